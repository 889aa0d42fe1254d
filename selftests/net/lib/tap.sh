# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests share that change the speed of a link, on top of lib.sh: a tap in $src.
#
#	tap_open
#	tap_speed 1000
#	tc -n "$src" qdisc add dev tap0 root ramp
#	tap_speed 100
#	tap_changes 12500000
#	tap_close

# on DEV JQ - a field of the ramp on DEV.
on()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" -j -s qdisc show dev "$1" |
		jq -r ".[] | select(.kind == \"ramp\") | $2"
}

# shellcheck disable=SC2317 # called by wait_until
rate_is()
{
	[ "$(on tap0 .options.rate)" = "$1" ]
}

# shellcheck disable=SC2317 # called by wait_until
tap_ready()
{
	ip -n "$src" -j link show dev tap0 2>/dev/null |
		jq -e '.[0].flags | index("LOWER_UP")' >/dev/null
}

# A tap has the speed that one gives it, and a carrier while somebody has it open. It is as
# fast as its reader, who takes all.
tap_open()
{
	modprobe -q tun
	[ -c /dev/net/tun ] || missing "tun"
	mkfifo "$NET_WORK/fifo"
	ip netns exec "$src" python3 -c 'if True:
		import fcntl, os, select, struct, sys
		tap = os.open("/dev/net/tun", os.O_RDWR)
		# TUNSETIFF, IFF_TAP | IFF_NO_PI
		fcntl.ioctl(tap, 0x400454ca, struct.pack("16sH22x", b"tap0", 0x1002))
		while sys.stdin not in select.select([tap, sys.stdin], [], [])[0]:
			os.read(tap, 65536)' <"$NET_WORK/fifo" &
	TAP=$!
	exec {TAP_OPEN}>"$NET_WORK/fifo"
	wait_until 20 ip -n "$src" link set tap0 up 2>/dev/null
	wait_until 20 tap_ready
}

tap_speed()
{
	ip netns exec "$src" ethtool -s tap0 speed "$1" duplex full autoneg off
}

# tap_changes RATE - without the link going down, which would also reset the
# qdisc. The rate follows in the background: mostly before it is asked for, and what waits
# is to be there when it did.
tap_changes()
{
	local tries

	ip -n "$src" link set tap0 arp off
	ip -n "$src" link set tap0 arp on
	for ((tries = 0; tries < 100; tries++)); do
		! rate_is "$1" || return 0
		sleep 0.0001
	done
	wait_until 20 rate_is "$1"
}

# Others that were started meanwhile have the FIFO open as well, so its end says nothing.
tap_close()
{
	echo >&"$TAP_OPEN"
	exec {TAP_OPEN}>&-
	wait "$TAP"
}
