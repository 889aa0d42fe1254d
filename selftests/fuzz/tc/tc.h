/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets of tc's plugins share: a command line from an input, what
 * iproute2 needs around it, and a message that is printed and read again.
 *
 * Words are separated by spaces or newlines. What a plugin prints of a message it
 * made is itself a command line, which must make the same message.
 */
#ifndef _FUZZ_TC_H
#define _FUZZ_TC_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils.h"
#include "tc_util.h"

#define TC_ARGS_MAX	128
#define TC_DIGITS_MAX	15

/* What tc.c has. Without details a default is not printed, and cannot be read again. */
int show_stats, show_details = 1, show_raw, use_iec, force, use_names, json;

struct tc_message {
	struct nlmsghdr n;
	struct tcmsg t;
	char attrs[65536];
};

static jmp_buf tc_exit;
static FILE *tc_stdout, *tc_quiet;

/* iproute2 is compiled with this in place of exit(). */
void fuzz_exit(int status) __attribute__((noreturn));
void fuzz_exit(int status)
{
	longjmp(tc_exit, 1);
}

/* There are eth1 .. eth9. */
unsigned int ll_name_to_index(const char *name);
unsigned int ll_name_to_index(const char *name)
{
	if (strncmp(name, "eth", 3) || name[3] < '1' || name[3] > '9' || name[4])
		return 0;
	return name[3] - '0';
}

const char *ll_index_to_name(unsigned int idx);
const char *ll_index_to_name(unsigned int idx)
{
	static char name[IFNAMSIZ];

	snprintf(name, sizeof(name), idx < 10 ? "eth%u" : "if%u", idx);
	return name;
}

const char *ll_idx_n2a(unsigned int idx);
const char *ll_idx_n2a(unsigned int idx)
{
	return ll_index_to_name(idx);
}

int ll_index_to_flags(unsigned int idx);
int ll_index_to_flags(unsigned int idx)
{
	return idx < 10;
}

/* One of them is not told from the other: what it says is not asked for. */
static void tc_begin(void)
{
	if (tc_quiet)
		return;
	tc_stdout = stdout;
	tc_quiet = fopen("/dev/null", "w");
	if (!tc_quiet)
		abort();
	setvbuf(tc_quiet, NULL, _IOFBF, 1 << 16);
	stderr = tc_quiet;
}

/* A number of so many digits is one that no kernel takes: tc asks the kernel, and
 * never has to print it.
 */
static bool tc_in_range(const char *text)
{
	int digits = 0;

	for (; *text; text++) {
		digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
		if (digits > TC_DIGITS_MAX)
			return false;
	}
	return true;
}

/* What is in parentheses tc says of itself. */
static void tc_no_remarks(char *text)
{
	int depth = 0;

	for (; *text; text++) {
		depth += *text == '(';
		if (depth) {
			depth -= *text == ')';
			*text = ' ';
		}
	}
}

/* Splits @text, which is changed; returns how many words there are. */
static int tc_split(char *text, char **argv)
{
	int argc = 0;
	char *word;

	for (word = strtok(text, " \t\n"); word && argc < TC_ARGS_MAX;
	     word = strtok(NULL, " \t\n"))
		argv[argc++] = word;
	argv[argc] = NULL;
	return argc;
}

/* All of the one before is gone, what is between its attributes, too. */
static void tc_message_init(struct tc_message *m)
{
	memset(m, 0, sizeof(m->n) + sizeof(m->t) + m->n.nlmsg_len);
	m->n.nlmsg_len = NLMSG_LENGTH(sizeof(m->t));
}

static struct rtattr *tc_options(struct tc_message *m)
{
	return (struct rtattr *)m->attrs;
}

/* What is not printed, or not in the same words, is no fault by itself; that the
 * same words mean something else is.
 */
static void tc_same(struct tc_message *a, struct tc_message *b,
		    const char *text)
{
	if (a->n.nlmsg_len == b->n.nlmsg_len &&
	    !memcmp(a->attrs, b->attrs, a->n.nlmsg_len -
		    NLMSG_LENGTH(sizeof(a->t))))
		return;
	fprintf(tc_stdout, "fuzz: printed, and read as something else: %s\n",
		text);
	fflush(tc_stdout);
	abort();
}

/* What a target has: a command line becomes a message, or is refused; a message is
 * printed; and whether all of it is what the plugin prints.
 */
static bool tc_parse(char *text, struct tc_message *m);
static void tc_print(FILE *to, struct rtattr *options);
static bool tc_all_printed(struct tc_message *m);

/* Returns what was printed, to be freed. */
static char *tc_text(struct tc_message *m)
{
	size_t size;
	char *text;

	stdout = open_memstream(&text, &size);
	if (!stdout)
		abort();
	if (!setjmp(tc_exit))
		tc_print(stdout, tc_options(m));
	fclose(stdout);
	stdout = tc_stdout;
	return text;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static struct tc_message first, second;
	char *text, *printed, *again;

	tc_begin();
	text = strndup((const char *)data, size);
	if (tc_parse(text, &first)) {
		printed = tc_text(&first);
		again = strdup(printed);
		tc_no_remarks(again);
		if (tc_all_printed(&first) && tc_in_range(printed)) {
			if (!tc_parse(again, &second)) {
				fprintf(tc_stdout,
					"fuzz: printed, and refused: %s\n",
					printed);
				fflush(tc_stdout);
				abort();
			}
			tc_same(&first, &second, printed);
		}
		free(again);
		free(printed);
	}
	free(text);
	return 0;
}

#endif
