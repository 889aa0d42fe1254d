# SPDX-License-Identifier: GPL-2.0
"""Who may call whom in ramp: see Documentation/architecture.rst."""

# The rooms of ramp: what its objects are for, in the order of Kbuild.
ROOMS = {
    'ground': 'event timer attr',
    'engine': 'level engine detect',
    'bands': 'band',
    'rails': 'rail_pool rail_wait rail rail_net rail_config rail_netlink',
    'gate': 'gate',
    'codes': 'code_attr code ladder_config ladder_netlink ladder',
    'peers': 'ear peer',
    'gears': 'gear_attr gear_clock gear_config gear_netlink gear gear_change gear_port',
    'packets': 'push dequeue enqueue',
    'parameters': 'config config_netlink',
    'changes': 'change device main',
    'ramp_mq': 'mq',
    'module': 'module',
}

# Whose the structures and inlines of a header are; None: everybody's.
HEADERS = {
    'event.h': 'ground',
    'netlink.h': None,
    'engine.h': 'engine',
    'ramp.h': None,
    'rail.h': 'rails',
    # What the ramps of a ramp_mq share is a rail and what hangs on it.
    'mq.h': 'rails',
    'code_config.h': 'codes',
    'send.h': 'codes',
    'obey.h': 'peers',
    'gear_clock.h': 'gears',
    'gear.h': 'gears',
    'watch.h': 'changes',
}

# The rooms that a room may call, and look into. An entry that nobody needs goes.
ALLOWED = {
    # Knows nobody, so that everybody may tell it something.
    'ground': '',
    # Tells of surges. Its owner, a qdisc or a rail, is behind its ops.
    'engine': 'ground',
    # Sums up for the engine what passed; what waits is looked at by callers.
    'bands': 'engine',
    # Have an engine, wake members by their timers, and count what these sent.
    'rails': 'ground engine bands',
    # Has an engine, too, and is that of the rail where there is one.
    'gate': 'ground engine bands rails',
    # Features: what they bound is in plain fields of bands and of the qdisc; the engine
    # has all tracepoints. On a ramp_mq all ramps tell and hear as one: rails.
    'codes': 'ground engine bands rails',
    # They answer codes: whether a frame is our own, and the same parameters (NEVER).
    'peers': 'ground engine codes rails',
    'gears': 'ground engine bands',
    # The way of a packet alone asks all of them, by name; a rail for what is in its pools.
    'packets': 'ground engine bands rails gate codes peers gears',
    # Each feature reads, checks and shows its own; peers have theirs with codes.
    'parameters': 'ground engine rails codes gears',
    # In force with all, or with none.
    'changes': 'ground engine bands rails gate codes peers gears packets parameters',
    # A rail, and the entries of ramp for each queue.
    'ramp_mq': 'rails codes packets parameters changes',
    # What is registered.
    'module': 'ground rails gears changes ramp_mq',
}

FEATURES = 'codes peers gears'
CONTROL = 'packets parameters changes ramp_mq module'

# What ALLOWED must not have, whatever is built on it.
NEVER = {
    'ground': ' '.join(ROOMS),
    'engine': ' '.join(room for room in ROOMS if room != 'ground'),
    'bands': f'{FEATURES} {CONTROL}',
    'rails': f'{FEATURES} {CONTROL}',
    'gate': f'{FEATURES} {CONTROL}',
    'codes': f'peers gears {CONTROL}',
    # But codes: peers are what codes are for, and Kbuild refuses them without.
    'peers': f'gears {CONTROL}',
    'gears': f'codes peers {CONTROL}',
}
# Whoever owns an engine is in there.
NEVER_INCLUDED = {'engine': 'ramp.h', 'engine.h': 'ramp.h'}

# Arrows between objects of a module, and between rooms of ramp: never more, and with less
# the number goes down.
OBJECT_ARROWS = {'sch_ramp': 142, 'act_mpolice': 12, 'team_mode_spread': 11}
ROOM_ARROWS = 53

# Where a walk begins, and to how many objects direct calls lead from there, its own
# included. Likewise.
REACH = {
    'enqueue': ('ramp_enqueue', 19),
    'change': ('ramp_change', 29),
    'parse': ('ramp_parse', 10),
    'gear decision': ('ramp_gear_crossed', 4),
    'frame heard': ('ramp_obey_receive', 2),
    'dump': ('ramp_dump', 6),
}
