// SPDX-License-Identifier: GPL-2.0
/*
 * What the parameters of ladders, codes and peers may be
 */

#include <linux/if_ether.h>

#include "ramp.h"

#define RAMP_CODE(id, name, says, ...) \
	RAMP_NUMBER(struct ramp_code_config, id, __VA_ARGS__, \
		    RAMP_SAYS(CODES, says, name))
#define RAMP_PEER(id, name, says, ...) \
	RAMP_NUMBER(struct ramp_code_config, id, __VA_ARGS__, \
		    RAMP_SAYS(PEERS, says, name))
#define RAMP_LIST(id, name, says, nla) \
	RAMP_OTHER(id, nla, RAMP_SAYS(CODES, says, name))
#define RAMP_PEER_LIST(id, name, says, nla) \
	RAMP_OTHER(id, nla, RAMP_SAYS(PEERS, says, name))

/* In the order in which they are shown. */
const struct ramp_attr ramp_code_params[] = {
	RAMP_LIST(TCA_RAMP_LADDER, "ladder",
		  "none or up to 16 AT:RATE; AT 0.01%..100% rises, RATE 99.99%..0% falls",
		  NLA_NESTED),
	RAMP_LIST(TCA_RAMP_BAND_LADDERS, "band-ladder",
		  "band below bands; none, auto or a ladder; 64 steps in all bands",
		  NLA_NESTED),
	RAMP_CODE(TCA_RAMP_ADJUST, "adjust", "0.01%..50%",
		  adjust, 1, RAMP_PERCENT / 2),
	RAMP_LIST(TCA_RAMP_FEEDBACK, "feedback",
		  "none, or up to 16 Ethernet devices of this network namespace",
		  NLA_NESTED),
	RAMP_LIST(TCA_RAMP_BAND_FEEDBACKS, "band-feedback",
		  "band below bands; none or an Ethernet device of this namespace",
		  NLA_NESTED),
	RAMP_CODE(TCA_RAMP_VALIDITY, "validity", "10ms..10s",
		  validity, 10 * NSEC_PER_MSEC, 10ULL * NSEC_PER_SEC),
	RAMP_CODE(TCA_RAMP_ETHERTYPE, "ethertype", "0x0600..0xffff",
		  ethertype, ETH_P_802_3_MIN, U16_MAX),
	RAMP_PEER(TCA_RAMP_OBEY, "obey", "0 or 1", obey, 0, 1),
	RAMP_PEER(TCA_RAMP_OBEY_MIN, "min", "0%..100%",
		  obey_min, 0, RAMP_PERCENT),
	RAMP_PEER_LIST(TCA_RAMP_OBEY_FROM, "from",
		       "any, or up to 16 addresses, each of one station",
		       NLA_BINARY),
	{}
};
