#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The compiler of policy files (Documentation/examples/policy): what it makes polices
# real packets as the file says; run again after a change it touches nothing else and
# loses no packet; whatever has happened in between, it makes things right.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

COMPILER=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/examples/policy/mpolice-policy
VM6=2001:db8::2 PEER6=2001:db8:9::1

# Action: bucket * 64 + order.
INFRA=$((64 + 10)) STORAGE=$((64 + 20)) DEFAULT=$((64 + 63))

# policy RATE BURST STORAGE_MATCH... - one endpoint on out0, another on dummy1.
policy()
{
	local rate=$1 burst=$2

	shift 2
	cat >"$NET_WORK/policy" <<-END
		[class infrastructure]
		order = 10
		policy = bypass
		match = arp
		 icmp
		 udp 53
		 udp 67-68
		[class storage]
		order = 20
		policy = account
		match = tcp 4420
		$(printf ' %s\n' "tcp 8009" "$@")
		[default]
		policy = drop
		[endpoint vm]
		device = out0
		bucket = 1
		rate = $rate
		burst = $burst
		[endpoint other]
		device = dummy1
		bucket = 2
		rate = 10mbit
	END
}

# edit SED - changes the policy.
edit()
{
	sed -i "$1" "$NET_WORK/policy"
}

compiled()
{
	python3 "$COMPILER" --netns "$src" "$@" "$NET_WORK/policy"
}

# apply NAME LINES REGEX - must be so many commands, all of them like this.
apply()
{
	local name=$1 commands odd

	commands=$(compiled) || fail "$name: compiles"
	odd=$(grep -vE "$3" <<<"$commands")
	is "$name: commands" "$(grep -c . <<<"$commands")" "$2"
	[ "$2" = 0 ] || is "$name: nothing else in them" "$odd" ""
	[ -z "$commands" ] || tc -n "$src" -batch - <<<"$commands" ||
		fail "$name: tc takes them" "$commands"
	is "$name: then nothing is left to do" "$(compiled)" ""
}

# What of actions and filters is not to change, one per line: their parameters and
# counters, the age of actions, and where a filter is.
snapshot()
{
	tc -n "$src" -j -s actions list action mpolice | jq -c '.[] | .actions[]? |
		[.index, .bucket, .rate, .burst, .policy, .threshold,
		 .conformed, .exceeded, .bypassed, .over, .ref, .bind]'
	tc -n "$src" -j filter show dev out0 ingress |
		jq -c '.[] | select(.options.handle) |
			["in", .pref, .options.handle, .options.actions[0].index]'
	tc -n "$src" -j filter show dev out0 egress |
		jq -c '.[] | select(.options.handle) |
			["out", .pref, .options.handle, .options.actions[0].index]'
}

# A bucket that earns nothing: what passes is known to a packet.
compiles()
{
	local commands

	policy 8bit 20000
	is "a new configuration: the file is right" "$(compiled --check 2>&1)" ""
	is "a new configuration: all commands are the difference to nothing" \
		"$(compiled --all)" "$(compiled)"
	commands=$(compiled --all)
	tc -n "$src" -batch - <<<"$commands" 2>"$NET_WORK/why" ||
		fail "a new configuration: tc takes it" "$(cat "$NET_WORK/why")"
	is "a new configuration: buckets, policies and indices" \
		"$(acts 'sort_by(.index) |
		map([.bucket, .policy, .index, .users] | map(tostring) |
		join(" ")) | join(", ")')" \
		"1 bypass 74 3, 1 account 84 3, 1 drop 127 3, 2 bypass 138 3, 2 account 148 3, 2 drop 191 3"
	apply "the same again" 0 ""
	flows "nvme from $VM $PEER tcp 4420 1000 x6" \
		"discovery to $VM $PEER tcp 8009 1000 x4" \
		"nvme6 from $VM6 $PEER6 tcp 4420 1000 x3" \
		"storage6 to $VM6 $PEER6 tcp 8009 1000 x2" \
		"dns from $VM $PEER udp 53 1000 x30" \
		"dhcp to $VM $PEER udp 67 1000 x30" \
		"ping to $VM $PEER icmp 8 1000 x30" \
		"web from $VM $PEER tcp 80 1000 0:50ms,x20" \
		"web6 to $VM6 $PEER6 tcp 80 1000 0:100ms,x20"
	is "a new configuration: storage and infrastructure pass whole" \
		"$(jq -r '[.nvme, .discovery,
		.nvme6, .storage6, .dns, .dhcp, .ping | .received] |
		join(" ")' "$NET_WORK/flows")" "6 4 3 2 30 30 30"
	is "a new configuration: the others share what storage left" \
		"$(flow web received) \
$(flow web6 received)" "5 0"
	accounts "storage" $STORAGE nvme discovery nvme6 storage6
	accounts "infrastructure" $INFRA dns dhcp ping
	accounts "default" $DEFAULT web web6
}

# One more port: four filters, and nothing else.
touches_nothing_else()
{
	local before after

	before=$(snapshot)
	policy 8bit 20000 "tcp 3260"
	apply "one more port" 8 '^filter add dev (out0|dummy1) (in|e)gress protocol ip(v6)? pref 108[01] handle [0-9]+ flower ip_proto tcp (src|dst)_port 3260 action mpolice index (84|148)$'
	after=$(snapshot)
	is "one more port: all else is as it was, counters included" \
		"$(grep -Fvx "$before" <<<"$after" |
			grep -vE '"(in|out)",108[01],[0-9]+,84\]' |
			grep -vE '^\[(84|148),')" ""
	is "one more port: nothing is gone" "$(comm -23 \
		<(sed -E 's/(^\[(84|148),.*),[0-9]+,[0-9]+\]$/\1]/' <<<"$before" | sort) \
		<(sed -E 's/(^\[(84|148),.*),[0-9]+,[0-9]+\]$/\1]/' <<<"$after" | sort))" ""
	flows "iscsi from $VM $PEER tcp 3260 1000 x5"
	is "one more port: it is storage" "$(flow iscsi received)" 5
	policy 8bit 20000
	apply "one port less" 8 '^filter delete dev (out0|dummy1) (in|e)gress protocol ip(v6)? pref 108[01] handle [0-9]+ flower$'
	is "one port less: filters are those from before" \
		"$(snapshot | grep -E '^."(in|out)"')" \
		"$(grep -E '^."(in|out)"' <<<"$before")"
}

# Changes while packets of all classes pass in both directions. None is lost, and none
# finds itself without a policy: such as it would come to the last filter.
loses_nothing()
{
	local traffic hook before

	for hook in ingress egress; do
		tc -n "$src" filter add dev out0 $hook pref 30000 protocol all \
			matchall action gact pass index 900 ||
			fail "a last filter, $hook"
	done
	policy 1gbit 10m
	python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" ||
		fail "changes while packets pass: another rate is applied"
	before=$(acts '[.[].exceeded.packets] | add')
	rm -f "$NET_WORK/enough"
	flows --until "$NET_WORK/enough" \
		"s from $VM $PEER tcp 4420 500 200pps:120s" \
		"t to $VM $PEER tcp 8009 500 100pps:120s" \
		"d from $VM $PEER udp 53 500 100pps:120s" \
		"w from $VM $PEER tcp 80 500 100pps:120s" \
		"v to $VM6 $PEER6 tcp 80 500 100pps:120s" &
	traffic=$!
	sleep 0.3
	edit 's/^rate = 1gbit/rate = 2gbit/'
	apply "another rate" 1 '^actions change .* bucket 1 rate 2000000000bit .* index 74$'
	sleep 0.3
	edit 's/^burst = 10m/burst = 12m/; s/^policy = drop/&\nthreshold = 10%/'
	apply "another burst and threshold" 3 '^actions change .* index (74|127|191)$'
	# A port becomes infrastructure: in, then out.
	sleep 0.3
	edit '/^ tcp 8009$/d; s/^ icmp$/&\n tcp 8009/'
	apply "a port changes its class" 16 '^filter (add|delete) '
	sleep 0.3
	edit 's/^order = 20/order = 30/'
	apply "a class changes its order" 16 '^filter (add|delete) '
	sleep 0.3
	edit 's/^order = 30/order = 20/; /^ tcp 8009$/d; s/^match = tcp 4420/&\n tcp 8009/'
	python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" ||
		fail "changes while packets pass: the first file is applied again"
	is "changes while packets pass: nothing is left to do after the first file" \
		"$(compiled)" ""
	sleep 0.3
	edit '/endpoint other/,/^rate/d'
	apply "an endpoint goes" 22 '^filter delete dev dummy1 '
	if ! kill -0 $traffic 2>/dev/null; then
		fail "changes while packets pass: packets last longer than the changes" \
			"they had passed before"
	fi
	touch "$NET_WORK/enough"
	wait $traffic
	within "changes while packets pass: packets" \
		"$(jq '[.[].sent] | add' "$NET_WORK/flows")" 500 1000000
	is "changes while packets pass: all arrive" \
		"$(jq -r '[.[].received] | join(" ")' "$NET_WORK/flows")" \
		"$(jq -r '[.[].sent] | join(" ")' "$NET_WORK/flows")"
	is "changes while packets pass: what exceeded" \
		"$(acts '[.[].exceeded.packets] | add')" "$before"
	is "changes while packets pass: packets without a policy" "$(tc -n "$src" \
		-j -s actions get action gact index 900 |
		jq '[.. | objects | .stats? // empty][0].packets')" 0
	tc -n "$src" filter del dev out0 ingress pref 30000
	tc -n "$src" filter del dev out0 egress pref 30000
}

# What has happened to the live configuration meanwhile, it does not matter.
makes_right()
{
	modify bucket 1 policy drop threshold 5000 index $STORAGE
	apply "an action changed by hand" 1 "^actions change .* policy account threshold 0 index $STORAGE\$"
	tc -n "$src" filter del dev out0 ingress pref 1080
	apply "filters deleted by hand" 2 '^filter add dev out0 ingress protocol ip pref 1080 '
	tc -n "$src" qdisc del dev out0 clsact
	apply "the device came back without anything" 23 \
		'^(qdisc add dev out0 clsact|filter add dev out0 .*)$'
	# A batch that ended in the middle.
	nothing
	compiled --all | grep -v '^qdisc add dev out0' | head -n 8 | tc -n "$src" -batch - ||
		fail "half a batch"
	python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" ||
		fail "the rest of a batch"
	is "a batch that ended in the middle is completed" "$(compiled)" ""
	flows "web from $VM $PEER tcp 80 1000 x20" "nvme to $VM $PEER tcp 4420 1000 x20"
	accounts "made right, default" $DEFAULT web
	accounts "made right, storage" $STORAGE nvme
}

# What the kernel does, and warns of.
warns()
{
	local said

	cp "$NET_WORK/policy" "$NET_WORK/before"
	edit 's/^burst = .*/burst = 30000/'
	said=$(python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" 2>&1)
	is "a burst below a GSO packet is applied" "$? $(compiled)" "0 "
	matches "a burst below a GSO packet: the kernel's warning is shown" "$said" \
		'Warning: burst: GSO packets may be larger'
	cp "$NET_WORK/before" "$NET_WORK/policy"
	is "a burst of many GSO packets: there is no warning" \
		"$(python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" 2>&1)" ""
}

# What the kernel would refuse, after it had done what comes before it.
counts_otherwise()
{
	local before why

	cp "$NET_WORK/policy" "$NET_WORK/before"
	before=$(snapshot)
	edit 's/^rate = .*/pps = 1000/; s/^burst = .*/burst = 500/; s/^threshold = .*/threshold = 5/'
	why=$(python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" 2>&1)
	is "a bucket that is to count packets: exit status" $? 1
	matches "a bucket that is to count packets: the message says what to do" "$why" \
		'bucket 1 counts bytes; choose another number'
	is "a bucket that is to count packets: nothing was done" "$(snapshot)" "$before"
	edit 's/^bucket = 1/bucket = 9/'
	python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" ||
		fail "a bucket of packets with another number is applied"
	is "a bucket of packets with another number is in force" "$(compiled)" ""
	sed 's/^bucket = 1/bucket = 9/' "$NET_WORK/before" >"$NET_WORK/policy"
	why=$(python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" 2>&1)
	is "a bucket that is to count bytes: exit status" $? 1
	matches "a bucket that is to count bytes: the message says what to do" "$why" \
		'bucket 9 counts packets; choose another number'
	cp "$NET_WORK/before" "$NET_WORK/policy"
	wait_until 20 first_file
	is "the first number once more: nothing is left to do" "$(compiled)" ""
}

# Actions of the filters that are gone may be there for a moment.
# shellcheck disable=SC2317 # called by wait_until
first_file()
{
	python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" 2>/dev/null
}

# shellcheck disable=SC2317 # called by wait_until
only_others()
{
	[ "$(acts 'map(.index) | tojson')" = "[7]" ]
}

# Of others nothing is touched; where they are in the way, nothing is done.
respects()
{
	local before why

	tc -n "$src" filter add dev out0 ingress protocol ip pref 5 flower \
		ip_proto tcp dst_port 99 action mpolice bucket 77 rate 1mbit \
		policy drop index 7 2>/dev/null
	tc -n "$src" filter add dev out0 ingress protocol ip pref 2000 flower \
		ip_proto tcp dst_port 98 action gact drop
	apply "filters and actions of others" 0 ""
	before=$(snapshot)
	create bucket 3 rate 1mbit policy drop index 5
	printf '[endpoint third]\ndevice = out0\nbucket = 3\nrate = 1mbit\n' \
		>"$NET_WORK/third"
	sed 's/^device = out0/device = dummy1/' "$NET_WORK/third" >>"$NET_WORK/policy"
	why=$(compiled 2>&1) && fail "a bucket of others" "accepted: $why"
	matches "a bucket of others" "$why" "bucket 3 .*index 5.*somebody else"
	tc -n "$src" actions delete action mpolice index 5
	create bucket 4 rate 1mbit policy drop index $((3 * 64 + 63))
	why=$(compiled 2>&1) && fail "an index of others" "accepted: $why"
	matches "an index of others" "$why" "index 255 was made by somebody else"
	tc -n "$src" actions delete action mpolice index 255
	edit 's/^device = dummy1/device = nowhere/'
	why=$(compiled 2>&1) && fail "a device that is not there" "accepted: $why"
	matches "a device that is not there" "$why" "nowhere does not exist"
	is "a file that is refused: nothing was done" "$(snapshot)" "$before"
	: >"$NET_WORK/policy"
	before=$(snapshot)
	why=$(compiled 2>&1) && fail "an empty file" "accepted: $why"
	matches "an empty file" "$why" "all that is in force.*--allow-empty"
	why=$(python3 "$COMPILER" --netns "$src" --apply "$NET_WORK/policy" 2>&1) &&
		fail "an empty file is not applied" "accepted: $why"
	matches "an empty file is not applied" "$why" "--allow-empty"
	is "an empty file: nothing was done" "$(snapshot)" "$before"
	python3 "$COMPILER" --netns "$src" --allow-empty --apply "$NET_WORK/policy" ||
		fail "an empty file that is meant: applied"
	wait_until 20 only_others
	is "an empty file that is meant removes all that is ours" "$(acts 'map(.index)' |
		jq -c .) $(snapshot | grep -c '"in"')" "[7] 2"
}

mpolice_init ramp-send
pair 1500
ip -n "$src" link add dummy1 type dummy
ip -n "$src" link set dummy1 up
compiles
touches_nothing_else
loses_nothing
makes_right
warns
counts_otherwise
respects
ktap_end
