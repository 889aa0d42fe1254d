#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which of Debian's kernels is tested (selftests/vm/kernels.sh), on days on which Debian has
# more of one of its packages than of the others. And that a package that is nowhere is no
# answer.

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "$0")/../lib/ktap.sh"

TOP=$(cd "$(dirname "$0")/../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# shellcheck source=selftests/lib/mirror.sh
. "$TOP/selftests/lib/mirror.sh"
# shellcheck source=selftests/vm/kernels.sh
. "$TOP/selftests/vm/kernels.sh"

# shellcheck disable=SC2317 # called by ask_newest
apt-cache()
{
	cat "$WORK/names"
}

# Without a network and without what is kept of earlier answers.
# shellcheck disable=SC2317 # called by suite_newest
suite_answer()
{
	"$2" /dev/null "${@:3}" | grep .
}

# has VERSION... - of the cloud flavour, each as KIND-RELEASE.
has()
{
	printf 'linux-%s-cloud-amd64\n' "$@" >"$WORK/names"
	printf '%s\n' linux-headers-6.1.0-99-common linux-image-6.1.0-99-amd64 >>"$WORK/names"
}

has headers-6.1.0-{9,56,57} image-6.1.0-{9,56,57}
is "the newest kernel is taken, not the last by its letters" \
	"$(kernel_release 6.1)" 6.1.0-57-cloud-amd64
has headers-6.1.0-{55,56,57} image-6.1.0-{55,56}
is "headers whose image is not signed yet are left alone" \
	"$(kernel_release 6.1)" 6.1.0-56-cloud-amd64
has headers-6.1.0-55 image-6.1.0-{55,56}
is "an image whose headers are gone is left alone" \
	"$(kernel_release 6.1)" 6.1.0-55-cloud-amd64
has headers-6.12.95+deb12 image-6.12.95+deb12 headers-6.13.1 image-6.13.1
is "a newer series is left alone" "$(kernel_release 6.12)" 6.12.95+deb12-cloud-amd64
has headers-6.1.0-57 image-6.1.0-56
is "headers and an image of two releases are no kernel" "$(kernel_release 6.1)" ""

ktap_end
