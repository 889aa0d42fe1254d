# SPDX-License-Identifier: GPL-2.0
"""The power of a box by what it uses, as the paper NetFridgeS has it (sections 3 to 7).

Everything here is modelled. What was measured on a box of one's own is worth more.
"""

import math

# A pipeline's share of a switch, and a port in W: without gears, and with them.
PIPELINE = 0.58
PORT = 4.5
PORT_WITH_GEARS = 4.51

# Table 4: the lowest share of ports in use, and the pipeline's power then.
TABLE_4 = ((0, 0.2824), (0.2, 0.6703), (0.4, 0.7387), (0.6, 0.8118), (0.8, 0.9640), (1, 1.0009))

# Tables 2 and 3: name, ports, bus in bytes, clock in GHz, then what the paper says: ns,
# inner and outer KiB, with frames of 1522 bytes, and with those of 9216.
CHIPS = (
    ('Tofino 2', 32, 512, 2.5, (9.6, 106, 47.563), (69.6, 136, 288)),
    ('BCM88800', 12, 512, 1.0, (24, 106, 17.836), (174, 136, 108)),
    ('SPECTRUM-4', 64, 512, 2.0, (12, 106, 95.125), (87, 136, 576)),
    ('Silicon One', 16, 256, 1.35, (40, 106, 71.344), (262.22, 86, 432)),
)
FRAME, JUMBO = 1522, 9216
LOWEST_CLOCK = 0.1
INHERENT_CYCLES = 4
BIG_BUFFERS, HEADERS = 4, 200


def pipeline_factor(active, ports):
    """What is left of the pipeline's power with so many of its ports in use."""
    if ports <= 0 or not 0 <= active <= ports:
        raise ValueError(f'{active} of {ports} ports')
    # In whole numbers: 3 of 5 are 0.6, and no rounding may make them less.
    return [factor for least, factor in TABLE_4 if active * 10 >= round(least * 10) * ports][-1]


def box_watts(watts, active, ports, gears):
    """A box without its ports, of which so many are in use."""
    if not gears:
        return watts
    return watts * (1 - PIPELINE + PIPELINE * pipeline_factor(active, ports))


def ports_watts(active, gears):
    """The ports of a box that are in use."""
    return active * (PORT_WITH_GEARS if gears else PORT)


def change_ns(bus, ghz, frame):
    """How long the longest change of clocks takes a chip (section 3.3)."""
    cycles = math.ceil(frame / bus) - 1
    return INHERENT_CYCLES / ghz + cycles / (ghz * LOWEST_CLOCK)


def inner_kib(bus, frame):
    """Memory between the segments: whole frames where they come and go, and headers."""
    return (BIG_BUFFERS * frame + HEADERS * bus) / 1024


def outer_kib(ports, frame, gbit=0, took_ns=0):
    """Memory before the pipeline: a frame for each port, and what comes meanwhile."""
    return ports * (frame + gbit * took_ns / 8) / 1024
