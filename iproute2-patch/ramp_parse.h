/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers on the command line, for all of tc's plugins that belong to Ramp
 *
 * Rates are bytes per second, sizes are bytes, times are nanoseconds, percentages
 * are hundredths of a percent. A function that reads returns NULL, or what is wrong with the
 * text, and then has no result. One that prints takes a buffer of SPRINT_BSIZE
 * and returns it; what it wrote reads back as the same number.
 */
#ifndef _RAMP_PARSE_H
#define _RAMP_PARSE_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tc_api.h"

/* Digits only: strtoull() takes signs, spaces and 0x, and wraps "-1". */
static inline const char *ramp_get_digits(__u64 *val, const char *str,
					  const char **end)
{
	const char *p;
	__u64 v = 0;

	for (p = str; isdigit((unsigned char)*p); p++) {
		unsigned int digit = *p - '0';

		if (v > (UINT64_MAX - digit) / 10)
			return "the number is too large";
		v = v * 10 + digit;
	}
	*val = v;
	*end = p;
	return p == str ? "a number is missing" : NULL;
}

/* A whole number, with @suffix or, if that is NULL, without one. */
static inline const char *ramp_get_count(__u64 *val, const char *str,
					 const char *suffix)
{
	const char *end, *wrong;

	wrong = ramp_get_digits(val, str, &end);
	if (wrong)
		return wrong;
	if (*end == '.')
		return "a whole number is needed";
	return strcmp(end, suffix ? : "") ? "there is junk at the end" : NULL;
}

/* Of two numbers in one argument, only the text says which one is meant. */
static inline const char *ramp_no_percent(const char *number)
{
	static char wrong[SPRINT_BSIZE];

	snprintf(wrong, sizeof(wrong), "'%%' is missing after %s", number);
	return wrong;
}

/* In integers, since a double has no 12.34. May be more than 100%. */
static inline const char *ramp_get_share(__u64 *val, const char *str)
{
	const char *p, *wrong;
	unsigned int place = 10;
	__u64 whole;
	__u64 frac = 0;

	wrong = ramp_get_digits(&whole, str, &p);
	if (wrong)
		return wrong;
	if (*p == '.') {
		for (p++; isdigit((unsigned char)*p); p++) {
			if (!place)
				return "a percentage has at most two decimals";
			frac += (*p - '0') * place;
			place /= 10;
		}
		if (place == 10)
			return "digits are missing after the point";
	}
	if (!*p)
		return ramp_no_percent(str);
	if (strcmp(p, "%") != 0)
		return "there is junk in the percentage";
	if (whole > UINT32_MAX)
		return "the number is too large";
	*val = whole * 100 + frac;
	return NULL;
}

static inline const char *ramp_get_percent(__u64 *val, const char *str)
{
	const char *wrong = ramp_get_share(val, str);

	if (!wrong && *val > 10000)
		return "it is more than 100%";
	return wrong;
}

/*
 * Splits "1.5mbit" in its number and the text "8mbit", for a caller that asks
 * iproute2 what eight (or whatever @one says) of the unit are. Its own functions
 * do not notice a sign, NaN or a value that does not fit the result.
 */
static inline const char *ramp_split_unit(const char *str, const char *one,
					  double *val, char *unit, size_t len)
{
	const char *after = str + strspn(str, "0123456789.");
	char *end;

	if (!isdigit((unsigned char)*str))
		return "a number is missing";
	*val = strtod(str, &end);
	/* An exponent or 0x would make a number look as if it had a unit. */
	if (end != after)
		return "there is junk in the number";
	if (end[-1] == '.')
		return "digits are missing after the point";
	if (*end && !isalpha((unsigned char)*end))
		return "there is junk in the number";
	/* Behind @one, "e99" would be an exponent. */
	if (strpbrk(end, "0123456789"))
		return "the unit is unknown";
	if ((size_t)snprintf(unit, len, "%s%s", one, end) >= len)
		return "the unit is unknown";
	return NULL;
}

/* Rounds, so that 4.35mbit is not a byte less than that. */
static inline const char *ramp_scale(double val, double unit, __u64 *result)
{
	val = val * unit + 0.5;
	if (val >= (double)INT64_MAX)
		return "the number is too large";
	*result = val;
	return NULL;
}

/* Are these digits alone, and a number so small that its unit must be missing?
 * 0 is 0 in every unit.
 */
static inline bool ramp_lacks_unit(const char *str, double enough)
{
	double val = strtod(str, NULL);

	return !str[strspn(str, "0123456789.")] && val > 0 && val < enough;
}

/* Bit/s: 25000 is more likely a link of 25 Gbit/s than a rate of 25 kbit/s. */
#define RAMP_RATE_BARE	1e6

static inline const char *ramp_get_rate(__u64 *rate, const char *str)
{
	char unit[SPRINT_BSIZE];
	const char *wrong;
	double val;
	__u64 bits;

	wrong = ramp_split_unit(str, "8", &val, unit, sizeof(unit));
	if (wrong)
		return wrong;
	/* Bytes in 8 x unit are bits in the unit, and always integer. */
	if (get_rate64(&bits, unit))
		return "the unit is unknown";
	if (ramp_lacks_unit(str, RAMP_RATE_BARE))
		return "the unit is missing";
	wrong = ramp_scale(val, bits / 8., rate);
	if (wrong)
		return wrong;
	/* It is shown in bits. */
	return *rate > UINT64_MAX / 8 ? "the number is too large" : NULL;
}

static inline const char *ramp_get_size(__u64 *size, const char *str)
{
	char unit[SPRINT_BSIZE];
	const char *wrong;
	unsigned int one;
	double val;

	wrong = ramp_split_unit(str, "1", &val, unit, sizeof(unit));
	if (wrong)
		return wrong;
	if (get_size(&one, unit))
		return "the unit is unknown";
	return ramp_scale(val, one, size);
}

/* Nanoseconds: no timer is as exact as less than a microsecond. */
#define RAMP_TIME_BARE	1e3

static inline const char *ramp_get_time(__u64 *time, const char *str)
{
	char unit[SPRINT_BSIZE];
	const char *wrong;
	double val;
	__s64 ns;

	wrong = ramp_split_unit(str, "1", &val, unit, sizeof(unit));
	if (wrong)
		return wrong;
	if (get_time64(&ns, unit))
		return "the unit is unknown";
	if (ramp_lacks_unit(str, RAMP_TIME_BARE))
		return "the unit is missing";
	return ramp_scale(val, ns, time);
}

/* The largest unit that needs no decimals, as the text is to be read back. */
static inline char *ramp_sprint_unit(__u64 val, const char * const *units,
				     const unsigned int *scales, char *buf)
{
	while (units[1] && val && !(val % *scales)) {
		val /= *scales++;
		units++;
	}
	snprintf(buf, SPRINT_BSIZE, "%llu%s", (unsigned long long)val, *units);
	return buf;
}

static inline char *ramp_sprint_time(__u64 ns, char *buf)
{
	static const char * const units[] = { "ns", "us", "ms", "s", NULL };
	static const unsigned int scales[] = { 1000, 1000, 1000 };

	return ramp_sprint_unit(ns, units, scales, buf);
}

static inline char *ramp_sprint_rate(__u64 rate, char *buf)
{
	static const char * const units[] = {
		"bit", "Kbit", "Mbit", "Gbit", "Tbit", NULL
	};
	static const unsigned int scales[] = { 1000, 1000, 1000, 1000 };

	return ramp_sprint_unit(rate * 8, units, scales, buf);
}

static inline char *ramp_sprint_size(__u64 size, char *buf)
{
	static const char * const units[] = { "b", "Kb", "Mb", "Gb", NULL };
	static const unsigned int scales[] = { 1024, 1024, 1024 };

	return ramp_sprint_unit(size, units, scales, buf);
}

/* Without decimals that are zero. */
static inline char *ramp_sprint_percent(__u64 val, char *buf)
{
	unsigned long long whole = val / 100;
	unsigned int frac = val % 100;

	if (!frac)
		snprintf(buf, SPRINT_BSIZE, "%llu%%", whole);
	else if (frac % 10)
		snprintf(buf, SPRINT_BSIZE, "%llu.%02u%%", whole, frac);
	else
		snprintf(buf, SPRINT_BSIZE, "%llu.%u%%", whole, frac / 10);
	return buf;
}

#endif /* _RAMP_PARSE_H */
