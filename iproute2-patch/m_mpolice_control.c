// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of the packets that exceed, and of those that conform
 *
 * iproute2 itself reads "goto/pipe" as chain 0, and "goto chain 5/pipe" not at
 * all: here a slash ends a control action wherever it stands.
 */

#include <string.h>

#include "m_mpolice.h"

/* "goto chain N / goto chain N" are seven. */
#define MPOLICE_WORDS_MAX	8

/* Arguments cut at slashes, each of which is a word then. */
struct mpolice_words {
	char text[256];
	char *word[MPOLICE_WORDS_MAX];
	int arg[MPOLICE_WORDS_MAX];	/* which argument it is of */
	int count;
};

/* What does not fit is too much, or too long, to belong to a control action. */
static void mpolice_split(struct mpolice_words *w, int argc, char **argv)
{
	char *out = w->text;
	int i;

	w->count = 0;
	for (i = 0; i < argc; i++) {
		const char *c = argv[i];

		while (*c) {
			size_t len = *c == '/' ? 1 : strcspn(c, "/");

			if (w->count == MPOLICE_WORDS_MAX ||
			    out + len >= w->text + sizeof(w->text))
				return;
			memcpy(out, c, len);
			out[len] = '\0';
			w->arg[w->count] = i;
			w->word[w->count++] = out;
			out += len + 1;
			c += len;
		}
	}
}

/* Where tc misses a word it ends, and does not say of which parameter. */
static bool mpolice_cut_short(int left, char **word)
{
	size_t len = left ? strlen(*word) : 0;

	/* It takes a word by its beginning. */
	if (len && !strncmp(*word, "jump", len))
		return left < 2;
	return len && !strncmp(*word, "goto", len) && left < 3;
}

static const char *mpolice_parse_control(int argc, char **argv,
					 struct mpolice_value *v, int *used)
{
	struct mpolice_words w;
	char **word = w.word;
	int left, n;

	mpolice_split(&w, argc, argv);
	left = w.count;
	if (mpolice_cut_short(left, word) ||
	    parse_action_control(&left, &word, &v->exceed, true))
		return "EXCEED is no control action";
	if (left > 0 && !strcmp(*word, "/")) {
		left--;
		word++;
		if (mpolice_cut_short(left, word) ||
		    parse_action_control(&left, &word, &v->conform, true))
			return "CONFORM is no control action";
		v->has_conform = true;
	}

	n = w.count - left;
	*used = w.arg[n - 1] + 1;
	if (left > 0 && w.arg[n] < *used)
		return "there is junk at the end";
	return NULL;
}

static void mpolice_put_control(const struct mpolice_param *p,
				const struct mpolice_value *v,
				struct nlmsghdr *n)
{
	addattr32(n, MAX_MSG, p->attr, v->exceed);
	if (v->has_conform)
		addattr32(n, MAX_MSG, TCA_MPOLICE_CONFORM, v->conform);
}

static bool mpolice_has_number(int action)
{
	return TC_ACT_EXT_CMP(action, TC_ACT_GOTO_CHAIN) ||
	       TC_ACT_EXT_CMP(action, TC_ACT_JUMP);
}

static const char *mpolice_control_name(int action)
{
	if (TC_ACT_EXT_CMP(action, TC_ACT_GOTO_CHAIN))
		return "goto";
	if (TC_ACT_EXT_CMP(action, TC_ACT_JUMP))
		return "jump";
	switch (action) {
	case TC_ACT_UNSPEC:
		return "continue";
	case TC_ACT_OK:
		return "pass";
	case TC_ACT_RECLASSIFY:
		return "reclassify";
	case TC_ACT_SHOT:
		return "drop";
	case TC_ACT_PIPE:
		return "pipe";
	case TC_ACT_TRAP:
		return "trap";
	}
	return NULL;
}

/* As tc prints those of other actions. */
static void mpolice_print_action(const char *prefix, int action)
{
	const char *name = mpolice_control_name(action);
	unsigned int number = action & TC_ACT_EXT_VAL_MASK;
	char unnamed[SPRINT_BSIZE];

	if (!name) {
		snprintf(unnamed, sizeof(unnamed), "%d", action);
		name = unnamed;
	}
	print_string(PRINT_FP, NULL, "%s", prefix);
	open_json_object("control_action");
	print_string(PRINT_ANY, "type", "%s", name);
	if (TC_ACT_EXT_CMP(action, TC_ACT_GOTO_CHAIN))
		print_uint(PRINT_ANY, "chain", " chain %u", number);
	if (TC_ACT_EXT_CMP(action, TC_ACT_JUMP))
		print_uint(PRINT_ANY, "jump", " %u", number);
	close_json_object();
}

/* Both have a JSON object of the same name, hence one around each. */
static void mpolice_print_control(const struct mpolice_param *p,
				  struct rtattr *tb[])
{
	__s32 exceed = rta_getattr_s32(tb[p->attr]);
	__s32 conform;

	open_json_object("conform_exceed");
	open_json_object("exceed");
	mpolice_print_action("conform-exceed ", exceed);
	close_json_object();
	if (tb[TCA_MPOLICE_CONFORM]) {
		conform = rta_getattr_s32(tb[TCA_MPOLICE_CONFORM]);
		open_json_object("conform");
		/* "chain 5/pipe" is not what other actions would read. */
		mpolice_print_action(mpolice_has_number(exceed) ||
				     mpolice_has_number(conform) ? " / " : "/",
				     conform);
		close_json_object();
	}
	close_json_object();
	print_string(PRINT_FP, NULL, "%s", " ");
}

const struct mpolice_type mpolice_type_control = {
	.parse	= mpolice_parse_control,
	.put	= mpolice_put_control,
	.print	= mpolice_print_control,
};
