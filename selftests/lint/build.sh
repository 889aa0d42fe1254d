# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Compilers and sparse over the modules: a copy of the tree is built in the
# cache, once per content. Sourced.
#
# W=1 would run kernel-doc as well, of each kernel another one, the older ones
# with perl modules that the chroot does not have: cmd_checkdoc= keeps it out,
# and the lint kernel-doc runs the newest.

export LINT_KERNELS='6.1 6.12 7.2'
# sparse and clang come from the machine, so they use the oldest headers: these
# suit every machine, and no sparse release understands the newest.
export LINT_KERNEL_HOST=6.1
# Features of ramp are left out of the build for one kernel: what differs between kernels
# is not what features are.
export FEATURES_KERNEL=6.12

lint_w1()
{
	local kernel

	has_modules w1 && needs w1 binutils || return 0
	has_builder w1 || return 0
	for kernel in $LINT_KERNELS; do
		add_build w1 "$kernel"
	done
}

lint_clang()
{
	has_modules clang && needs clang clang llvm lld make libelf-dev || return 0
	add_build clang "$LINT_KERNEL_HOST"
}

lint_sparse()
{
	has_modules sparse && needs sparse sparse gcc make libelf-dev || return 0
	add_build sparse "$LINT_KERNEL_HOST"
}

# These read what the build for w1 left: what an object calls lies before it in Kbuild,
# and in a room that it may call; and the short ways of a packet are no longer than they
# were.
lint_arrows()
{
	has_modules arrows && needs arrows binutils python3 || return 0
	add_read arrows
}

lint_short()
{
	has_modules short && needs short binutils || return 0
	add_read short
}

# The picture of who calls whom, and the files that a parameter is in.
lint_rooms()
{
	has_modules rooms && needs rooms binutils python3 || return 0
	has_builder rooms || return 0
	add_check rooms "$FEATURES_KERNEL" read_check rooms "$FEATURES_KERNEL"
}

rooms_check()
{
	selftests/lint/rooms check "$1/symbols"
}

# What is left of ramp without some of its features builds (selftests/features/), and what
# cannot be is refused.
lint_features()
{
	local features

	has_modules features && needs features python3 || return 0
	has_builder features || return 0
	while IFS= read -r features; do
		add_check "features: ${features:-none}," "$FEATURES_KERNEL" \
			features_check "$features"
	done < <(python3 -B selftests/features/features.py --builds)
	add_check "features: peers without codes are refused," "$FEATURES_KERNEL" \
		features_refused 'rails peers' 'peers need codes: .*"codes rails peers"'
	add_check "features: one that there is not is refused," "$FEATURES_KERNEL" \
		features_refused 'rails gear' 'no feature gear: '
}

features_name()
{
	[ -n "$1" ] || set -- none
	echo "${1// /-}"
}

features_path()
{
	local base sources=(Kbuild include net)

	base=$(kernel_dir "$FEATURES_KERNEL")
	cached "lint-features-$(features_name "$1")" "$(hash_of "$base" "${sources[@]}" \
			selftests/lint/build.sh)" \
		features_fill "$1" "$base" "${sources[@]}" 2>/dev/null
}

features_check()
{
	local log path

	log=$RAMP_CACHE/lint-features-$(features_name "$1").log
	path=$(features_path "$1") || {
		build_findings "$log" '(error|\*\*\*|fatal|warning):?' ||
			tail -n 25 "$log"
		return 1
	}
	grep -q '^ *LD .*sch_ramp.ko' "$path/build.log" || {
		echo "nothing was built"
		return 1
	}
	! build_findings "$path/build.log" 'warning:'
}

# features_refused FEATURES REGEX - does Kbuild say why it does not build that?
features_refused()
{
	local log

	log=$RAMP_CACHE/lint-features-$(features_name "$1").log
	if features_path "$1" >/dev/null; then
		echo "it was built"
		return 1
	fi
	grep -qE -- "$2" "$log" || {
		tail -n 25 "$log"
		return 1
	}
}

# What is for a debugger takes half of the time, and nobody looks at it here.
features_fill()
{
	local dir=$1 features=$2 base=$3 build=$1/build
	shift 3

	build_copy "$build" "$@"
	build_w1 "$base" "$build" '' "FEATURES=$features" sch_ramp.ko 2>&1 |
		build_tidy "$build" | tee "$dir/build.log"
	cached_remove "$build"
}

# add_read LINT
add_read()
{
	local kernel

	has_builder "$1" || return 0
	for kernel in $LINT_KERNELS; do
		add_check "$1" "$kernel" read_check "$1" "$kernel"
	done
}

read_check()
{
	local path
	path=$(build_path w1 "$2") || {
		echo "it does not build, see w1"
		return 1
	}
	"$1_check" "$path" "$2"
}

arrows_check()
{
	local rc=0

	python3 -B selftests/lint/arrows.py "$1/symbols" || rc=1
	python3 -B selftests/lint/arrows.py --reach "$1/calls" || rc=1
	return $rc
}

# Rows of short.txt: KERNEL FUNCTION INSTRUCTIONS
short_check()
{
	awk -v kernel="$2" '
		FNR == NR { has[$2] = $1; next }
		/^(#|$)/ || $1 != kernel { next }
		!($2 in has) { print $2 " is not there"; bad = 1; next }
		{ print $2 ": " has[$2] " instructions, at most " $3 }
		has[$2] > $3 { bad = 1 }
		END { exit bad }
	' "$1/instructions" selftests/lint/short.txt
}

# has_builder LINT - or skips it.
has_builder()
{
	builder_dir >/dev/null && return
	skipped "$1" "no chroot with a compiler"
	return 1
}

has_modules()
{
	[ ! -e Kbuild ] || return 0
	skipped "$1" "no Kbuild"
	return 1
}

# add_build TOOL KERNEL
add_build()
{
	add_check "$1" "$2" build_check "$1" "$2"
}

# add_check NAME KERNEL COMMAND...
add_check()
{
	if kernel_dir "$2" >/dev/null; then
		check "$1 $2" "${@:3}"
	else
		skipped "$1 $2" "no headers of $2"
	fi
}

# build_path TOOL KERNEL - the path of a folder with build.log, symbols, calls and
# instructions.
build_path()
{
	local tool=$1 kernel=$2 base path
	local sources=()

	base=$(kernel_dir "$kernel")
	for path in Kbuild include net selftests/modules; do
		[ ! -e "$path" ] || sources+=("$path")
	done
	cached "lint-$tool-$kernel" "$(hash_of "$base" "${sources[@]}" \
			selftests/lint/build.sh)" \
		build_fill "$tool" "$kernel" "$base" "${sources[@]}" 2>/dev/null
}

build_check()
{
	local tool=$1 kernel=$2 path log bad

	log=$RAMP_CACHE/lint-$tool-$kernel.log
	path=$(build_path "$tool" "$kernel") || {
		build_findings "$log" '(error|\*\*\*|fatal|warning):?' ||
			tail -n 25 "$log"
		return 1
	}
	log=$path/build.log
	# An empty log would have no warnings either.
	grep -q '^ *CC ' "$log" || {
		echo "nothing was compiled"
		return 1
	}
	case $tool in
	w1) bad='warning:' ;;
	# Headers of the kernel are not ours to mend; but what sparse calls an
	# error in them ends its work.
	sparse) bad='^TREE/[^ ]* warning:|error:' ;;
	clang) bad='^TREE/[^ ]* warning:' ;;
	esac
	! build_findings "$log" "$bad"
}

# build_findings LOG REGEX - shows what matches, or fails.
build_findings()
{
	grep -iE -A5 -m 20 -- "$2" "$1" | sed 's|^TREE/||'
}

build_fill()
{
	local dir=$1 tool=$2 kernel=$3 base=$4 build=$1/build folder rc=0
	shift 4

	build_copy "$build" "$@"
	for folder in '' selftests/modules; do
		[ -e "$build/${folder:-.}/Kbuild" ] || continue
		"build_$tool" "$base" "$build" "$folder" >"$dir/raw" 2>&1 || rc=$?
		build_tidy "$build" <"$dir/raw" | tee -a "$dir/build.log"
		# With the status here the cache forgets a build that failed.
		[ "$rc" = 0 ] || exit "$rc"
	done
	if [ "$tool" = w1 ]; then
		build_objects "$build" >"$dir/objects"
		build_symbols "$build" "$dir/objects" >"$dir/symbols"
		build_calls "$build" "$dir/objects" >"$dir/calls"
		build_instructions "$build" "$dir/objects" >"$dir/instructions"
	fi
	# Files of a build in the chroot belong to root.
	cached_remove "$build"
}

# build_copy BUILD SOURCE... - objects of the user's own builds may lie in the tree.
build_copy()
{
	local build=$1
	shift

	mkdir "$build"
	tar -C "$TOP" --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' \
		--exclude='*.mod*' -c "$@" | tar -C "$build" -x
}

# build_tidy BUILD <LOG - Kbuild compares tools with those of the kernel's own build;
# neither the differences nor the tools are ours.
build_tidy()
{
	sed -E "s,(^|[ (])($1|/build)/,\1TREE/,g
		/^warning: (pahole version|the compiler) differs/d"
}

# build_objects BUILD - lines MODULE PATH, in the order of Kbuild.
build_objects()
{
	local mod name object

	for mod in "$1"/*.mod; do
		name=$(basename "$mod" .mod)
		while read -r object; do
			# As seen in the chroot, or from outside, or from the folder.
			object=${object#/build/}
			echo "$name ${object#"$1"/}"
		done <"$mod"
	done
}

# build_symbols BUILD OBJECTS - what each object defines and refers to, as arrows.py reads it.
build_symbols()
{
	local module object

	while read -r module object; do
		echo "object $module $object"
		nm -g "$1/$object"
	done <"$2"
}

# build_calls BUILD OBJECTS - who calls whom, as reach.py reads it. Where a linker has yet to
# fill in what is called, the line that follows says what.
build_calls()
{
	local module object

	while read -r module object; do
		echo "object $module $object"
		objdump -dr --no-show-raw-insn "$1/$object"
	done <"$2" | awk '
		function flush()
		{
			if (target != "" && target != name && !seen[name, target]++)
				print "call", name, target
			target = ""
		}
		/^object / { flush(); split("", seen); print; next }
		/^Disassembly of section / { flush(); section = substr($4, 1, length($4) - 1) }
		/^[0-9a-f]+ <[^>+-]*>:$/ {
			flush()
			name = substr($2, 2, length($2) - 3)
			print "function", section, $1, name
		}
		/^ +[0-9a-f]+:\t/ {
			flush()
			if ($2 ~ /^(call|j[a-z]+)$/ && $NF ~ /^<.*>$/) {
				target = substr($NF, 2, length($NF) - 2)
				sub(/\+0x[0-9a-f]+$/, "", target)
			}
		}
		/^\t+[0-9a-f]+: R_X86_64_/ {
			if (target != "") {
				target = $3
				if (target !~ /^\./)
					sub(/-0x[0-9a-f]+$/, "", target)
			}
		}
		END { flush() }'
}

# build_instructions BUILD OBJECTS - lines COUNT FUNCTION. What fills the space between two
# functions is not counted.
build_instructions()
{
	local module object

	while read -r module object; do
		objdump -d --no-show-raw-insn "$1/$object"
	done <"$2" | awk '
		/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3) }
		/^ +[0-9a-f]+:\t/ && $2 !~ /^(nop|int3|xchg$)/ && !/%cs:/ { count[name]++ }
		END { for (name in count) print count[name], name }'
}

# build_w1 BASE BUILD FOLDER [ARG...] - ARGs in place of all modules.
build_w1()
{
	local release target=("${@:4}")
	release=$(cat "$1/release")

	builder_make "$1/headers" "$2" \
		-C "/headers/usr/src/linux-headers-${release%-cloud-amd64}-common" \
		O="/headers/usr/src/linux-headers-$release" CC=gcc-14 W=1 cmd_checkdoc= \
		CONFIG_DEBUG_INFO_BTF_MODULES= KCFLAGS=-g0 M="/build${3:+/$3}" \
		${3:+KBUILD_EXTRA_SYMBOLS=/build/Module.symvers} \
		"${target[@]:-modules}"
}

build_host()
{
	local base=$1 build=$2 folder=$3 release
	release=$(cat "$base/release")
	shift 3

	make -C "$base/headers/usr/src/linux-headers-${release%-cloud-amd64}-common" \
		O="$base/headers/usr/src/linux-headers-$release" \
		CONFIG_DEBUG_INFO_BTF_MODULES= M="$build${folder:+/$folder}" \
		${folder:+KBUILD_EXTRA_SYMBOLS="$build/Module.symvers"} "$@" modules
}

build_sparse()
{
	build_host "$@" CC=gcc KCFLAGS=-g0 C=2 CF=-D__CHECK_ENDIAN__
}

# The headers are configured for gcc: all that only gcc has is taken back.
build_clang()
{
	build_host "$@" LLVM=1 CC=clang W=1 cmd_checkdoc= \
		CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y CONFIG_RETHUNK= \
		CONFIG_SLS= CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_INIT_STACK_ALL_ZERO= \
		KCFLAGS="-g0 -Wno-unknown-warning-option"
}
