// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of mpolice: reads what messages ask for, from tc and from the family
 * "mpolice" alike, and says what is wrong with it.
 *
 * The policies say what an attribute is made of. What its number may be is in
 * one table with the text that says so: the kernel's own message names neither.
 */

#include <linux/mpolice.h>
#include <linux/time64.h>
#include <net/netlink.h>

#include "mpolice.h"

#define MPOLICE_DIFFERS(name) \
	name ": not what is in force, use actions change to alter it"

static const struct {
	u64		min;
	u64		max;
	const char	*range;
	const char	*differs;
} mpolice_params[__MPOLICE_P_MAX] = {
	[MPOLICE_P_INDEX] = {
		.max = U32_MAX,
		.range = "index: 0..4294967295",
		.differs = "index: exists, use actions change to alter it",
	},
	[MPOLICE_P_EXCEED] = {
		.max = U32_MAX,
		.range = "exceed: a control action",
		.differs = MPOLICE_DIFFERS("exceed"),
	},
	[MPOLICE_P_CONFORM] = {
		.max = U32_MAX,
		.range = "conform: a control action, but not goto chain",
		.differs = MPOLICE_DIFFERS("conform"),
	},
	[MPOLICE_P_POLICY] = {
		.max = MPOLICE_POLICY_MAX,
		.range = "policy: drop, account or bypass (0..2)",
		.differs = MPOLICE_DIFFERS("policy"),
	},
	[MPOLICE_P_THRESHOLD] = {
		.max = MPOLICE_TOKENS_MAX,
		.range = "threshold: 0..1099511627776",
		.differs = MPOLICE_DIFFERS("threshold"),
	},
	[MPOLICE_P_BUCKET] = {
		.min = 1,
		.max = U32_MAX,
		.range = "bucket: 1..4294967295",
		.differs = MPOLICE_DIFFERS("bucket"),
	},
	[MPOLICE_P_TARGET] = {
		.min = 1,
		.max = U32_MAX,
		.range = "target: 1..4294967295",
	},
	[MPOLICE_P_PACKETS] = {
		.max = 1,
		.range = "packets: 0 or 1",
	},
	[MPOLICE_P_RATE] = {
		.min = 1,
		.max = MPOLICE_RATE_MAX,
		.range = "rate: 8bit..8796093022208bit",
		.differs = MPOLICE_DIFFERS("rate"),
	},
	[MPOLICE_P_PPS] = {
		.min = 1,
		.max = MPOLICE_RATE_MAX,
		.range = "pps: 1..1099511627776",
		.differs = MPOLICE_DIFFERS("pps"),
	},
	[MPOLICE_P_BURST] = {
		.min = 1,
		.max = MPOLICE_TOKENS_MAX,
		.range =
			"burst: 1514..1099511627776 bytes, 1..1099511627776 packets",
		.differs = MPOLICE_DIFFERS("burst"),
	},
	[MPOLICE_P_INTERVAL] = {
		.max = MPOLICE_INTERVAL_MAX,
		.range = "interval: 0..60s",
		.differs = MPOLICE_DIFFERS("interval"),
	},
	[MPOLICE_P_DEBT] = {
		.max = MPOLICE_TOKENS_MAX,
		.range = "debt: 0..1099511627776 or unlimited",
		.differs = MPOLICE_DIFFERS("debt"),
	},
};

#define MPOLICE_IN_ANSWERS(name) { .type = NLA_REJECT, \
	.reject_message = name ": only in answers" }

static const struct nla_policy mpolice_policy[TCA_MPOLICE_MAX + 1] = {
	[TCA_MPOLICE_INDEX]	= { .type = NLA_U32 },
	[TCA_MPOLICE_TM]	= MPOLICE_IN_ANSWERS("tm"),
	[TCA_MPOLICE_REFCNT]	= MPOLICE_IN_ANSWERS("refcnt"),
	[TCA_MPOLICE_BINDCNT]	= MPOLICE_IN_ANSWERS("bindcnt"),
	[TCA_MPOLICE_EXCEED]	= { .type = NLA_S32 },
	[TCA_MPOLICE_CONFORM]	= { .type = NLA_S32 },
	[TCA_MPOLICE_POLICY]	= { .type = NLA_U32 },
	[TCA_MPOLICE_THRESHOLD]	= { .type = NLA_U64 },
	[TCA_MPOLICE_STATS]	= MPOLICE_IN_ANSWERS("stats"),
	[TCA_MPOLICE_BUCKET]	= { .type = NLA_U32 },
	[TCA_MPOLICE_RATE]	= { .type = NLA_U64 },
	[TCA_MPOLICE_PPS]	= { .type = NLA_U64 },
	[TCA_MPOLICE_BURST]	= { .type = NLA_U64 },
	[TCA_MPOLICE_INTERVAL]	= { .type = NLA_U64 },
	[TCA_MPOLICE_DEBT]	= { .type = NLA_U64 },
	[TCA_MPOLICE_TOKENS]	= MPOLICE_IN_ANSWERS("tokens"),
	[TCA_MPOLICE_USERS]	= MPOLICE_IN_ANSWERS("users"),
	[TCA_MPOLICE_STRANDED]	= MPOLICE_IN_ANSWERS("stranded"),
	[TCA_MPOLICE_PACKETS]	= { .type = NLA_U32 },
};

static const u8 mpolice_tca[TCA_MPOLICE_MAX + 1] = {
	[TCA_MPOLICE_INDEX]	= MPOLICE_P_INDEX,
	[TCA_MPOLICE_EXCEED]	= MPOLICE_P_EXCEED,
	[TCA_MPOLICE_CONFORM]	= MPOLICE_P_CONFORM,
	[TCA_MPOLICE_POLICY]	= MPOLICE_P_POLICY,
	[TCA_MPOLICE_THRESHOLD]	= MPOLICE_P_THRESHOLD,
	[TCA_MPOLICE_BUCKET]	= MPOLICE_P_BUCKET,
	[TCA_MPOLICE_RATE]	= MPOLICE_P_RATE,
	[TCA_MPOLICE_PPS]	= MPOLICE_P_PPS,
	[TCA_MPOLICE_BURST]	= MPOLICE_P_BURST,
	[TCA_MPOLICE_INTERVAL]	= MPOLICE_P_INTERVAL,
	[TCA_MPOLICE_DEBT]	= MPOLICE_P_DEBT,
	[TCA_MPOLICE_PACKETS]	= MPOLICE_P_PACKETS,
};

static const u8 mpolice_genl[MPOLICE_A_BUCKET_MAX + 1] = {
	[MPOLICE_A_BUCKET_ID]		= MPOLICE_P_BUCKET,
	[MPOLICE_A_BUCKET_TARGET]	= MPOLICE_P_TARGET,
	[MPOLICE_A_BUCKET_RATE]		= MPOLICE_P_RATE,
	[MPOLICE_A_BUCKET_PPS]		= MPOLICE_P_PPS,
	[MPOLICE_A_BUCKET_BURST]	= MPOLICE_P_BURST,
	[MPOLICE_A_BUCKET_INTERVAL]	= MPOLICE_P_INTERVAL,
	[MPOLICE_A_BUCKET_DEBT]		= MPOLICE_P_DEBT,
};

static int mpolice_say(const struct nlattr *attr, const char *msg, int err,
		       struct netlink_ext_ack *extack)
{
	if (extack) {
		NL_SET_BAD_ATTR(extack, attr);
		extack->_msg = msg;
	}
	return err;
}

/**
 * mpolice_refuse - say what a parameter may be
 * @req: what was asked for
 * @param: what is wrong in it
 * @extack: for the message
 *
 * Return: -EINVAL
 */
int mpolice_refuse(const struct mpolice_request *req, enum mpolice_param param,
		   struct netlink_ext_ack *extack)
{
	return mpolice_say(req->attr[param], mpolice_params[param].range,
			   -EINVAL, extack);
}

/**
 * mpolice_differs - say that something else is in force
 * @req: what was asked for
 * @param: which is not to be changed
 * @extack: for the message
 *
 * Return: -EEXIST
 */
int mpolice_differs(const struct mpolice_request *req,
		    enum mpolice_param param, struct netlink_ext_ack *extack)
{
	return mpolice_say(req->attr[param], mpolice_params[param].differs,
			   -EEXIST, extack);
}

static int mpolice_take(struct mpolice_request *req, enum mpolice_param param,
			const struct nlattr *attr,
			struct netlink_ext_ack *extack)
{
	u64 value = nla_len(attr) == sizeof(u64) ? nla_get_u64(attr) :
						   nla_get_u32(attr);

	req->set |= BIT(param);
	req->attr[param] = attr;
	req->value[param] = value;
	if (param == MPOLICE_P_DEBT && value == MPOLICE_DEBT_UNLIMITED)
		return 0;
	if (value < mpolice_params[param].min ||
	    value > mpolice_params[param].max)
		return mpolice_refuse(req, param, extack);
	return 0;
}

static int mpolice_take_all(struct mpolice_request *req, struct nlattr **tb,
			    const u8 *params, int max,
			    struct netlink_ext_ack *extack)
{
	int i, err;

	memset(req, 0, sizeof(*req));
	for (i = 1; i <= max; i++) {
		if (!tb[i] || !params[i])
			continue;
		err = mpolice_take(req, params[i], tb[i], extack);
		if (err)
			return err;
	}
	if (mpolice_asks(req, MPOLICE_P_RATE) &&
	    mpolice_asks(req, MPOLICE_P_PPS))
		return mpolice_say(req->attr[MPOLICE_P_PPS],
				   "rate, pps: only one of them", -EINVAL,
				   extack);
	return 0;
}

/**
 * mpolice_parse - what a message of tc asks for
 * @req: to be filled
 * @opt: TCA_ACT_OPTIONS or NULL
 * @extack: for the message
 *
 * Return: 0 or a negative error
 */
int mpolice_parse(struct mpolice_request *req, const struct nlattr *opt,
		  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_MPOLICE_MAX + 1];
	const struct nlattr *bad;
	int err;
	u8 param;

	if (!opt)
		return mpolice_say(NULL, mpolice_params[MPOLICE_P_BUCKET].range,
				   -EINVAL, extack);
	err = nla_parse_nested(tb, TCA_MPOLICE_MAX, opt, mpolice_policy,
			       extack);
	if (!err)
		return mpolice_take_all(req, tb, mpolice_tca, TCA_MPOLICE_MAX,
					extack);

	/* A number of the wrong size: the kernel would not say of what. */
	bad = extack ? extack->bad_attr : NULL;
	param = bad && bad != opt && nla_type(bad) <= TCA_MPOLICE_MAX ?
		mpolice_tca[nla_type(bad)] : 0;
	if (param)
		return mpolice_say(bad, mpolice_params[param].range, err,
				   extack);
	return err;
}

/**
 * mpolice_parse_genl - what a message of the family asks for
 * @req: to be filled
 * @tb: attributes, by the policy of the operation
 * @max: the last one that it knows
 * @extack: for the message
 *
 * Return: 0 or a negative error
 */
int mpolice_parse_genl(struct mpolice_request *req, struct nlattr **tb,
		       int max, struct netlink_ext_ack *extack)
{
	return mpolice_take_all(req, tb, mpolice_genl, max, extack);
}

/* What comes in an interval. The product has up to 76 bits. */
static u64 mpolice_lump(const struct mpolice_config *config)
{
	u32 sec, ns, rest;
	u64 whole;

	sec = div_u64_rem(config->interval, NSEC_PER_SEC, &ns);
	whole = div_u64_rem(config->rate, NSEC_PER_SEC, &rest);
	return config->rate * sec + whole * ns +
	       div_u64((u64)rest * ns, NSEC_PER_SEC);
}

/* Holds the longest GSO packet, what comes in 10 ms, and a lump. */
static u64 mpolice_burst_default(const struct mpolice_config *config)
{
	u64 burst = config->packets ? MPOLICE_BURST_SEGS : MPOLICE_BURST_GSO;

	burst = max(burst, div_u64(config->rate, 100));
	burst = max(burst, mpolice_lump(config));
	return min_t(u64, burst, MPOLICE_TOKENS_MAX);
}

/* Messages without an error are warnings. */
static void mpolice_config_warn(const struct mpolice_config *config,
				struct netlink_ext_ack *extack)
{
	if (!config->packets && config->burst < MPOLICE_BURST_GSO)
		NL_SET_ERR_MSG(extack,
			       "burst: GSO packets may be larger and never conform, give 128k or more");
	if (config->packets && config->burst < MPOLICE_BURST_SEGS)
		NL_SET_ERR_MSG(extack,
			       "burst: GSO packets may have more segments and never conform, give 128 or more");
	if (config->burst < mpolice_lump(config))
		NL_SET_ERR_MSG(extack,
			       "burst: less than rate x interval, so the rate cannot be reached");
}

/**
 * mpolice_config_apply - take over what is named
 * @config: what is in force, or zeroes
 * @exists: there is a bucket, which cannot begin to count something else
 * @req: what is asked for; a rate or pps, if there is no bucket
 * @extack: for the message, or a warning
 *
 * Return: 0 or a negative error
 */
int mpolice_config_apply(struct mpolice_config *config, bool exists,
			 const struct mpolice_request *req,
			 struct netlink_ext_ack *extack)
{
	bool packets = mpolice_asks(req, MPOLICE_P_PPS);
	enum mpolice_param rate = packets ? MPOLICE_P_PPS : MPOLICE_P_RATE;
	static const char * const other[] = {
		"rate: this bucket counts packets, make another one",
		"pps: this bucket counts bytes, make another one",
	};

	if (mpolice_asks(req, rate)) {
		if (exists && config->packets != packets)
			return mpolice_say(req->attr[rate], other[packets],
					   -EINVAL, extack);
		config->packets = packets;
		config->rate = req->value[rate];
	}
	if (mpolice_asks(req, MPOLICE_P_INTERVAL))
		config->interval = req->value[MPOLICE_P_INTERVAL];
	if (mpolice_asks(req, MPOLICE_P_BURST)) {
		config->burst = req->value[MPOLICE_P_BURST];
		config->burst_set = true;
	}
	if (mpolice_asks(req, MPOLICE_P_DEBT)) {
		config->debt = req->value[MPOLICE_P_DEBT];
		config->debt_set = true;
	}

	if (!config->burst_set)
		config->burst = mpolice_burst_default(config);
	if (!config->debt_set)
		config->debt = config->burst;
	if (!config->packets && config->burst < MPOLICE_BURST_MIN)
		return mpolice_refuse(req, MPOLICE_P_BURST, extack);
	mpolice_config_warn(config, extack);
	return 0;
}

/**
 * mpolice_config_same - is what is named what is in force?
 * @config: what is in force
 * @req: may name some of it
 * @extack: for the message
 *
 * Return: 0, or -EEXIST when it is not
 */
int mpolice_config_same(const struct mpolice_config *config,
			const struct mpolice_request *req,
			struct netlink_ext_ack *extack)
{
	u64 now[__MPOLICE_P_MAX] = {
		[MPOLICE_P_RATE]	= config->packets ? 0 : config->rate,
		[MPOLICE_P_PPS]		= config->packets ? config->rate : 0,
		[MPOLICE_P_BURST]	= config->burst,
		[MPOLICE_P_INTERVAL]	= config->interval,
		[MPOLICE_P_DEBT]	= config->debt,
	};
	enum mpolice_param i;

	for (i = MPOLICE_P_RATE; i < __MPOLICE_P_MAX; i++)
		if (mpolice_asks(req, i) && req->value[i] != now[i])
			return mpolice_differs(req, i, extack);
	return 0;
}
