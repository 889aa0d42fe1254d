# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What belongs to one run: the tree, the modules, the patched tc, the command.

# payload_fill DIR KERNEL MACHINE COMMAND [ARG...] - lays it out as it is to
# appear in the guest's root.
payload_fill()
{
	local dir=$1 kernel=$2 machine=$3 modules
	shift 3

	modules=$(modules_dir "$kernel")
	mkdir -p "$dir"/{ramp,usr/lib/ramp,usr/local/sbin,usr/local/lib}
	# A copy: the guest cannot change the tree, nor the tree the run.
	tar -C "$TOP" --exclude-vcs --exclude=./out --exclude=./selftests/vm/out --exclude='*.o' \
		--exclude='*.ko' --exclude='.*.cmd' -c . |
		tar -C "$dir/ramp" --no-same-owner -x
	cp -rlT "$modules/usr" "$dir/usr" 2>/dev/null ||
		cp -rT "$modules/usr" "$dir/usr"
	if kernel_is_foreign "$kernel"; then
		payload_foreign "$dir" "$(kernel_arch "$kernel")"
	else
		payload_tc "$dir"
		payload_net "$dir"
		payload_jq "$dir"
	fi
	install -m 755 "$VM_DIR/guest/init" "$VM_DIR/guest/poweroff" \
		"$dir/usr/lib/ramp/"
	install -m 644 "$VM_DIR/guest/fstab" "$dir/usr/lib/ramp/"
	payload_env "$kernel" "$machine" >"$dir/usr/lib/ramp/env"
	payload_command "$@" >"$dir/usr/lib/ramp/command"
}

payload_tc()
{
	local dir=$1 tc
	[ -x "$TOP/iproute2-patch/build" ] || return 0

	tc=${RAMP_VM_TC:-$("$TOP/iproute2-patch/build" --print-dir)}
	# The plugins beside it are for the stock tc (TC_LIB_DIR), which stays
	# at /sbin/tc.
	cp -r "$tc" "$dir/usr/local/lib/ramp-tc"
	ln -s ../lib/ramp-tc/tc "$dir/usr/local/sbin/tc"
}

# The tools of the network tests.
payload_net()
{
	local dir=$1 tools
	[ -x "$TOP/selftests/net/build" ] || return 0

	tools=$("$TOP/selftests/net/build" --print-dir)
	mkdir -p "$dir/usr/local/bin"
	cp "$tools"/* "$dir/usr/local/bin/"
}

# Of another architecture: the plugins for its own tc, and the tools of the tests.
payload_foreign()
{
	local dir=$1 tools

	tools=$(foreign_tools "$2")
	mkdir -p "$dir/usr/local/lib/ramp-tc" "$dir/usr/local/bin"
	cp -r "$tools/lib" "$dir/usr/local/lib/ramp-tc/"
	cp "$tools"/ramp-* "$dir/usr/local/bin/"
}

payload_jq()
{
	local dir=$1 jq

	jq=$(jq_dir)
	mkdir -p "$dir"/usr/local/{bin,lib}
	cp "$jq/jq" "$dir/usr/local/bin/"
	cp -r "$jq/lib" "$dir/usr/local/lib/ramp-jq"
}

# jq_dir - the path of a folder with jq, and lib/ with all that it needs. Before 1.7 it
# compiles its library at each start, for ten times as long as it works.
jq_dir()
{
	local version

	version=$(suite_version trixie jq)
	need "make jq run on another suite" patchelf
	CACHED_WHAT="jq $version (5 MB, 3 s)" \
	cached jq "$(hash_of "$version" "$(declare -f jq_fill)")" jq_fill
}

jq_fill()
{
	local dir=$1 lib=/usr/local/lib/ramp-jq

	suite_unpack "$dir/all" trixie jq libjq1 libonig5 libc6
	mkdir "$dir/lib"
	cp -L "$dir"/all/usr/lib/x86_64-linux-gnu/{ld-linux-x86-64,libc,libm,libjq,libonig}.so.[1-9] \
		"$dir/lib/"
	cp "$dir/all/usr/bin/jq" "$dir/"
	patchelf --set-interpreter $lib/ld-linux-x86-64.so.2 --force-rpath \
		--set-rpath $lib "$dir/jq"
	rm -r "$dir/all"
}

payload_env()
{
	local name

	# Settings of the caller's tests go along, those of the runner do not.
	for name in $(compgen -e RAMP_); do
		case $name in
		RAMP_CACHE | RAMP_VM_*) continue ;;
		esac
		printf 'export %s=%q\n' "$name" "${!name}"
	done
	printf 'export RAMP_KERNEL=%q RAMP_MACHINE=%q\n' "$1" "$2"
	printf 'export RAMP_TC_PLUGINS=/usr/local/lib/ramp-tc/lib\n'
	! kernel_is_foreign "$1" ||
		printf 'export TC_LIB_DIR=/usr/local/lib/ramp-tc/lib\n'
	printf 'export TERM=%q\n' "${TERM:-dumb}"
}

# One argument is a script, several are a command with its arguments.
payload_command()
{
	if [ $# = 1 ]; then
		printf '%s\n' "$1"
	else
		printf 'exec'
		printf ' %q' "$@"
		printf '\n'
	fi
}
