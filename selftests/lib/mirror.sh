# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Packages and sources of Debian's suites, through the machine's own mirror.
# Sourced by prepare.sh.
#
# The machine's /etc/apt is only read. Each suite has its own apt folder in the
# cache; its lists are refreshed at most once a day, and old ones serve while
# there is no network.

# own_suite - the machine's suite: bookworm, trixie, ... sid says that it is what comes
# next, which is testing's name; what its apt is configured for tells them apart.
own_suite()
{
	local name targets
	name=$(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:?not a Debian release}")
	targets=$(own_targets)

	if ! grep -q "^main $name " <<<"$targets" && grep -q '^main sid ' <<<"$targets"; then
		name=sid
	fi
	printf '%s\n' "$name"
}

# mirror_of SUITE - the repository that serves SUITE. -security lives in one of
# its own, everything else in the main one.
mirror_of()
{
	local own want repos

	own=$(own_suite)
	case $1 in
	*-security) want="$own-security" ;;
	*) want=$own ;;
	esac
	repos=$(own_targets | awk -v s="$want" '$1 == "main" && $2 == s')
	# A third party may serve a suite of the same name; it has another origin.
	{ grep ' Debian ' <<<"$repos" || printf '%s\n' "$repos"; } |
		awk 'NF && !done { print $NF; done = 1 }' | grep .
}

# COMPONENT CODENAME ORIGIN URI of what the machine's apt is configured for.
own_targets()
{
	# shellcheck disable=SC2016 # apt's variables, not the shell's
	local format='$(COMPONENT) $(CODENAME) $(ORIGIN) $(REPO_URI)'
	local dir=$RAMP_CACHE/apt/own targets options
	local only=('Created-By: Packages')

	targets=$(apt-get indextargets --format "$format" "${only[@]}")
	if [ -z "$targets" ]; then
		# apt only tells of lists that it has: a fresh machine has none.
		mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
		options=(-o "Dir::State::lists=$dir/lists" -o "Dir::Cache=$dir/cache"
			-o Debug::NoLocking=1)
		[ "$(id -u)" != 0 ] || options+=(-o APT::Sandbox::User=root)
		apt-get "${options[@]}" -qq update >"$dir/log" 2>&1 || true
		targets=$(apt-get "${options[@]}" indextargets --format "$format" \
			"${only[@]}")
	fi
	printf '%s\n' "$targets"
}

# mirror_keyring - the keyring for Debian's suites, or nothing.
mirror_keyring()
{
	local keyring

	for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		if [ -r "$keyring" ]; then
			printf '%s\n' "$keyring"
			return
		fi
	done
}

# deb_line SUITE [deb|deb-src] - a line for sources.list.
deb_line()
{
	local uri keyring signed=''

	uri=$(mirror_of "$1") || {
		say "apt knows no mirror that serves $1 (apt-get indextargets)"
		return 1
	}
	keyring=$(mirror_keyring)
	[ -z "$keyring" ] || signed="[signed-by=$keyring] "
	printf '%s %s%s %s main\n' "${2:-deb}" "$signed" "$uri" "$1"
}

# deb_lines SUITE [deb|deb-src] - SUITE with its updates and security fixes, as
# far as the machine has a mirror for them. sid and experimental have all in one.
deb_lines()
{
	deb_line "$@"
	case $1 in
	*-* | sid | experimental) return ;;
	esac
	deb_line "$1-updates" "${2:-deb}"
	deb_line "$1-security" "${2:-deb}" 2>/dev/null || true
}

# suite_apt SUITE[:src|:ARCH] - prints the path of an apt configuration (for apt-get -c)
# that knows just this suite: its sources, or its packages for an architecture, which the
# machine need not be able to run.
suite_apt()
{
	local dir lock rc=0
	dir=$(suite_folder "$1")

	if [ -z "$(find "$dir/updated" -mmin -1440 2>/dev/null)" ]; then
		mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
		exec {lock}>"$dir/lock"
		flock "$lock"
		[ -n "$(find "$dir/updated" -mmin -1440 2>/dev/null)" ] ||
			suite_update "$1" "$dir" {lock}>&- || rc=1
		exec {lock}>&-
	fi
	printf '%s\n' "$dir/apt.conf"
	return $rc
}

suite_folder()
{
	printf '%s\n' "$RAMP_CACHE/apt/${1/:/-}"
}

suite_update()
{
	local suite=${1%:*} type=deb arch='' dir=$2

	case $1 in
	*:src) type='deb-src' ;;
	*:*) arch=${1#*:} ;;
	esac
	suite_apt_config "$dir" "$arch" >"$dir/apt.conf"
	if [ -z "$arch" ]; then
		deb_lines "$suite" "$type" >"$dir/sources.list"
	else
		# As it was released: fixes come later for some architectures.
		deb_line "$suite" >"$dir/sources.list"
	fi
	if apt-get -c "$dir/apt.conf" -qq update >"$dir/log" 2>&1; then
		rm -rf "$dir/answers"
		touch "$dir/updated"
	elif [ -e "$dir/updated" ]; then
		say "cannot refresh the package lists of $suite, using those of $(date -r "$dir/updated" +%F)"
	else
		cat "$dir/log" >&2
		say "cannot fetch the package lists of $suite"
		return 1
	fi
}

suite_apt_config()
{
	cat <<-END
	Dir::Etc::sourcelist "$1/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	Dir::State "$1";
	Dir::State::lists "$1/lists";
	Dir::State::status "/dev/null";
	Dir::Cache "$1/cache";
	Dir::Cache::pkgcache "pkgcache.bin";
	Dir::Cache::srcpkgcache "srcpkgcache.bin";
	Acquire::Languages "none";
	Debug::NoLocking "1";
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	END
	[ -z "$2" ] || cat <<-END
	APT::Architecture "$2";
	#clear APT::Architectures;
	APT::Architectures "$2";
	END
	# apt's own download user cannot reach into root's home.
	[ "$(id -u)" != 0 ] || echo 'APT::Sandbox::User "root";'
}

# suite_answer SUITE[:src|:ARCH] FUNCTION ARG... - what FUNCTION CONF ARG... prints; asks
# only once per refresh, as apt takes seconds to read its lists.
suite_answer()
{
	local suite=$1 conf file new
	shift

	conf=$(suite_apt "$suite")
	file=$(suite_folder "$suite")/answers/$(hash_of "$*")
	if [ ! -s "$file" ]; then
		mkdir -p "${file%/*}"
		new=$(mktemp "$file.XXXXXX")
		"$1" "$conf" "${@:2}" | grep . >"$new" || {
			rm -f "$new"
			say "no answer from the package lists of $suite: $*"
			return 1
		}
		mv "$new" "$file"
	fi
	cat "$file"
}

# suite_newest SUITE REGEX [SED] - of SUITE's packages whose whole name matches the
# extended REGEX, prints that with the highest version in its name, or fails. With SED,
# which makes another name of it, of those alone of which SUITE has that other, too.
suite_newest()
{
	suite_answer "$1" ask_newest "${@:2}"
}

ask_newest()
{
	local names
	names=$(apt-cache -c "$1" pkgnames)

	grep -xE -- "$2" <<<"$names" | sed "p; ${3-}" | paste -d ' ' - - |
		awk 'NR == FNR { have[$1] = 1; next } $2 in have { print $1 }' \
			<(printf '%s\n' "$names") - | sort -V | tail -n 1
}

# suite_version SUITE PKG - the version that SUITE has.
suite_version()
{
	suite_answer "$1" ask_version "$2"
}

ask_version()
{
	apt-cache -c "$1" show --no-all-versions "$2" |
		awk '$1 == "Version:" && !done { print $2; done = 1 }'
}

# suite_depends SUITE PKG REGEX - the packages that PKG depends on whose whole
# names match the extended REGEX, or fails.
suite_depends()
{
	suite_answer "$1" ask_depends "$2" "$3"
}

ask_depends()
{
	apt-cache -c "$1" depends "$2" | awk '$1 ~ /^(Pre)?Depends:$/ { print $2 }' |
		grep -xE -- "$3" | sort -u
}

ask_source_version()
{
	apt-cache -c "$1" showsrc "$2" | sed -n 's/^Version: //p' | sort -V |
		tail -n 1
}

# suite_unpack DIR SUITE PKG... - downloads and unpacks packages into DIR, without
# their dependencies and scripts.
suite_unpack()
{
	local dir=$1 suite=$2 conf tmp deb
	shift 2

	conf=$(suite_apt "$suite")
	tmp=$dir/.download
	mkdir -p "$tmp"
	(cd "$tmp" && apt-get -c "$conf" -q download "$@")
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -r "$tmp"
}

# debian_source PKG - the path of the unpacked, patched source package of the
# machine's own suite.
debian_source()
{
	local conf suite version

	need "unpack Debian source packages" dpkg-dev xz-utils
	suite=$(own_suite)
	conf=$(suite_apt "$suite:src")
	version=$(suite_answer "$suite:src" ask_source_version "$1")
	CACHED_WHAT="the source of Debian's $1 $version (10 s)" \
	cached "source-$1" "$(hash_of "$1" "$version")" \
		debian_source_fill "$1" "$version" "$conf"
}

debian_source_fill()
{
	local dir=$1 pkg=$2 version=$3 conf=$4

	mkdir "$dir/.download"
	cd "$dir/.download" || return
	apt-get -c "$conf" -q --download-only source "$pkg=$version"
	dpkg-source --no-check -x ./*.dsc "$dir/.download/tree"
	# As `cached` has made the folder: its content is the package's tree.
	find "$dir/.download/tree" -mindepth 1 -maxdepth 1 \
		-exec mv -t "$dir" {} +
	rm -r "$dir/.download"
}

# linux_source [-k SERIES] FOLDER... - the path of a tree that has just these folders and
# files of a kernel, with Debian's patches, by default of the newest that is tested. "." is
# all of it.
linux_source()
{
	local series=7.2 suite=trixie-backports older='' pkg version name key deb

	if [ "$1" = -k ]; then
		series=$2 suite=bookworm older=-$2
		shift 2
	fi
	pkg=linux-source-$series
	version=$(suite_version $suite "$pkg")

	need "unpack the kernel's source" xz-utils
	# Each set of folders has a name of its own, or one would prune the other.
	name=linux-$(hash_of "folders: $*" | cut -c1-8)$older
	key=$(hash_of "version: $version")
	if [ ! -d "$RAMP_CACHE/$name-$key" ]; then
		deb=$(CACHED_WHAT="the kernel's source package ($version, 160 MB, 10 s)" \
			cached "linux-deb$older" "$key" suite_unpack $suite "$pkg")
	fi
	CACHED_WHAT="the kernel's source: $* (15 s)" \
	cached "$name" "$key" linux_source_fill "${deb-}" "$pkg" "$@"
}

linux_source_fill()
{
	local dir=$1 deb=$2 pkg=$3
	shift 3

	if [ "$*" = . ]; then
		set -- ''
	fi
	tar -x --no-same-owner -C "$dir" --strip-components=1 \
		-f "$deb"/usr/src/linux-source-*.tar.xz "${@/#/$pkg/}"
}
