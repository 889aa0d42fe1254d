# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What run and texts share: steps that are results, a disk before and after, a machine
# whose results are ours. Sourced, on top of image.sh. They set SUITE, DISK (an image) and
# WORK (a folder).
#
# What step is given is called by it, scripts in quotes expand where they run, and WORK is
# no other work:
# shellcheck disable=SC2016,SC2153,SC2317

# step NAME COMMAND... - a result of the suite, in a shell of its own under `set -e`.
step()
{
	local name="$SUITE: $1" rc=0
	shift

	# In a condition bash would ignore `set -e`.
	set +e
	(set -e; "$@") >"$WORK/step.log" 2>&1
	rc=$?
	set -e
	cat "$WORK/step.log" >>"$WORK/all.log"
	if [ $rc = 0 ]; then
		pass "$name"
	else
		fail "$name" "$(tail -n 40 "$WORK/step.log")"
	fi
}

# tree DIR [SUFFIX] - what belongs to the source, with a later version.
tree()
{
	local dir=$1 version

	mkdir -p "$dir"
	git ls-files -z --cached --others --exclude-standard |
		tar --null --files-from=- --ignore-failed-read -c 2>/dev/null |
		tar -x -C "$dir"
	[ -n "${2-}" ] || return 0
	version=$(cd "$dir" && dpkg-parsechangelog -S Version)
	sed -n "s/^\\(ramp (\\)[^)]*/\\1$version$2/p; 2,/^ --/p" "$dir/debian/changelog" \
		>"$dir/changelog"
	cat "$dir/debian/changelog" >>"$dir/changelog"
	mv "$dir/changelog" "$dir/debian/changelog"
}

# Each file of the disk that is nobody's log, cache or backup.
files()
{
	inside "$DISK" "$WORK" find / -xdev \( -path /proc -o -path /sys -o -path /dev \
		-o -path /tmp -o -path /mnt -o -path /run -o -path /var/log \
		-o -path /var/cache -o -path /var/tmp -o -path /var/lib/apt \
		-o -path /var/lib/NetworkManager -o -path /var/backups -o -path /root -o -path /lost+found \
		-o -path '/var/lib/dkms/mok.*' \) -prune -o -printf '%y %p\n' | LC_ALL=C sort
}

# nothing_removed - of what was configured before, and of modules. Other files are those of
# services that a boot starts.
nothing_removed()
{
	local less

	less=$(LC_ALL=C comm -23 <(sed 's/^. //' "$WORK/before" | LC_ALL=C sort) \
		<(sed 's/^. //' "$WORK/after" | LC_ALL=C sort) |
		{ grep -E '^(/etc|/lib/modules|/usr/lib/modules)/' || [ $? = 1 ]; })
	printf '%s\n' "$less"
	[ -z "$less" ]
}

# What a shell says before a command that wants to know of the kernel that will run: the disk's
# newest one.
# shellcheck disable=SC2034 # of who sources this
BOOTED_UNAME='mkdir -p /tmp/bin
printf "#!/bin/sh\n[ \"\$*\" != -r ] || exec echo %s\nexec /usr/bin/uname \"\$@\"\n" \
	"$(ls /lib/modules | sort -V | tail -n 1)" >/tmp/bin/uname
chmod 755 /tmp/bin/uname
export PATH=/tmp/bin:$PATH
'

# boot WHAT [WORD...] - results of the guest become results of the suite. WORDs are for its
# kernel's command line. Sets BOOTED, its kernel.
boot()
{
	local work=$WORK/machine kernel line rc=0

	rm -rf "$work"
	mkdir "$work"
	machine "$DISK" "$work" "${@:2}" || rc=$?
	kernel=$(sed -n 's/^end //p' "$work/guest")
	while IFS= read -r line; do
		case $line in
		"ok "*) pass "$SUITE, booted${1:+ $1}: ${line#ok }" ;;
		"not ok "*) fail "$SUITE, booted${1:+ $1}: ${line#not ok }" ;;
		"# "*) note "${line#\# }" ;;
		esac
	done < <(tr -d '\r' <"$work/guest")
	step "the machine${1:+ $1} boots, and goes off when all is done" \
		[ "$rc:${kernel:+known}" = 0:known ] || {
			note "status $rc"
			tail -n 20 "$work/console" | sed 's/^/# /'
		}
	note "kernel $kernel"
	# shellcheck disable=SC2034 # of who calls
	BOOTED=$kernel
	step "its kernel${1:+ $1} has nothing to complain about" silent_kernel "$work/console"
}

silent_kernel()
{
	! splat_find "$1"
}
