/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses and prints sizes and times. Sizes are computed in 128-bit integers, so
 * that a fraction of a unit is exact to the byte.
 */
#include "config.h"
#include "common/size.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* Bytes in a unit; 0 when it is none. */
static uint64_t unit_bytes(const char *unit, size_t len)
{
	static const char prefixes[] = "kmgtp";
	const char *prefix;
	uint64_t base, bytes = 1;

	if (len == 0 || (len == 1 && tolower((unsigned char)*unit) == 'b'))
		return 1;
	prefix = strchr(prefixes, tolower((unsigned char)*unit));
	if (!prefix)
		return 0;
	if (len == 1 || (len == 3 && strncasecmp(unit + 1, "ib", 2) == 0))
		base = 1024;
	else if (len == 2 && tolower((unsigned char)unit[1]) == 'b')
		base = 1000;
	else
		return 0;
	for (ptrdiff_t i = 0; i <= prefix - prefixes; i++)
		bytes *= base;
	return bytes;
}

/* The digits from *p on, as many as the 18 that fit; *scale is 10 to their
 * number. Moves *p behind the last digit, used or not. */
static uint64_t fraction(const char **p, uint64_t *scale)
{
	uint64_t n = 0;

	*scale = 1;
	for (; isdigit((unsigned char)**p); ++*p) {
		if (*scale < UINT64_C(1000000000000000000)) {
			n = n * 10 + (uint64_t)(**p - '0');
			*scale *= 10;
		}
	}
	return n;
}

int slu_size_parse(const char *text, uint64_t *bytes, struct slu_err *err)
{
	const char *p = skip_blanks(text), *unit;
	unsigned __int128 whole = 0, sum;
	uint64_t part = 0, scale = 1, factor;
	size_t len;

	if (!isdigit((unsigned char)*p))
		return slu_err(
			err, SLU_INVALID,
			"size \"%s\" is not a positive number, as 100GiB "
			"is",
			text);
	for (; isdigit((unsigned char)*p); p++)
		if (whole <= INT64_MAX)
			whole = whole * 10 + (unsigned)(*p - '0');
	if (p[0] == '.' && isdigit((unsigned char)p[1])) {
		p++;
		part = fraction(&p, &scale);
	}
	unit = skip_blanks(p);
	len = strcspn(unit, " \t\r\n");
	factor = unit_bytes(unit, len);
	if (factor == 0 || *skip_blanks(unit + len))
		return slu_err(
			err, SLU_INVALID,
			"size \"%s\" has no known unit: use B, KiB, MiB, "
			"GiB, TiB, PiB or KB, MB, GB, TB, PB",
			text);
	sum = whole * factor +
	      ((unsigned __int128)part * factor + scale / 2) / scale;
	if (sum == 0)
		return slu_err(err, SLU_INVALID, "size \"%s\" is zero", text);
	if (sum > INT64_MAX)
		return slu_err(err, SLU_INVALID, "size \"%s\" is too large",
			       text);
	*bytes = (uint64_t)sum;
	return 0;
}

int slu_rate_parse(const char *text, uint64_t *bytes, struct slu_err *err)
{
	size_t len = strlen(text);
	char *size;
	int rc;

	if (len > 2 && strcasecmp(text + len - 2, "/s") == 0)
		len -= 2;
	if (len && text[len - 1] == 'b')
		return slu_err(err, SLU_INVALID,
			       "\"%s\": bits? bytes are B, as in 200GB/s or "
			       "200GiB/s",
			       text);
	size = strndup(text, len);
	if (!size)
		return slu_err(err, SLU_NOMEM, "no memory");
	rc = slu_size_parse(size, bytes, err);
	free(size);
	return rc < 0 ? slu_err_prefix(err, "such as 200GB/s") : 0;
}

const char *slu_size_text(uint64_t bytes, char out[SLU_SIZE_TEXT])
{
	static const char *const units[] = {"B",   "KiB", "MiB",
					    "GiB", "TiB", "PiB"};
	size_t unit = 0, len;
	double value = (double)bytes;

	/* 1023.95 would be written as 1024.0: that is one of the next unit */
	while (value >= 1023.95 && unit < 5) {
		value /= 1024;
		unit++;
	}
	snprintf(out, SLU_SIZE_TEXT, "%.1f", value);
	len = strlen(out);
	if (strcmp(out + len - 2, ".0") == 0)
		out[len -= 2] = '\0';
	snprintf(out + len, SLU_SIZE_TEXT - len, "%s", units[unit]);
	return out;
}

const char *slu_bytes_text(double bytes, char out[SLU_SIZE_TEXT])
{
	return slu_size_text(bytes > 0 ? (uint64_t)bytes : 0, out);
}

#define DIGITS_MAX 9 /* of one number in a time; keeps sums far below 2^63 */

/* One number at *p: its value and *p moved behind it, or -1. */
static int64_t number(const char **p)
{
	int64_t n = 0;
	int digits = 0;

	for (; isdigit((unsigned char)**p); ++*p) {
		if (++digits > DIGITS_MAX)
			return -1;
		n = n * 10 + (**p - '0');
	}
	return digits ? n : -1;
}

/* ":NN" fields that follow: each below 60. Adds to field[], returns how many
 * fields there are then, or -1. */
static int more_fields(const char **p, int64_t field[], int n, int max)
{
	while (**p == ':') {
		++*p;
		if (n == max)
			return -1;
		field[n] = number(p);
		if (field[n] < 0 || field[n] > 59)
			return -1;
		n++;
	}
	return n;
}

/* Parses what follows the first number, in every form but a plain unit
 * letter. */
static int64_t clock_seconds(const char **p, int64_t first)
{
	int64_t field[3] = {first};
	int64_t days = 0;
	int n;

	if (**p == '-') {
		++*p;
		days = first;
		field[0] = number(p);
		if (field[0] < 0 || field[0] > 23)
			return -1;
		field[1] = field[2] = 0;
		n = more_fields(p, field, 1, 3) < 0 ? -1 : 3;
	} else {
		n = more_fields(p, field, 1, 3);
	}
	switch (n) {
	case 2: /* MM:SS */
		return field[0] * 60 + field[1];
	case 3:
		return ((days * 24 + field[0]) * 60 + field[1]) * 60 + field[2];
	default:
		return -1;
	}
}

const char *slu_rate_text(double rate, char out[SLU_RATE_TEXT])
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	size_t i = 0;

	for (; rate >= 1000 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		rate /= 1000;
	snprintf(out, SLU_RATE_TEXT, "%.3g %s/s", rate, unit[i]);
	return out;
}

int slu_seconds_parse(const char *text, int64_t *seconds, struct slu_err *err)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	const char *p = skip_blanks(text);
	int64_t n = number(&p);

	if (n >= 0 && (*p == ':' || *p == '-')) {
		n = clock_seconds(&p, n);
	} else {
		for (size_t i = 0; i < 4; i++) {
			if (tolower((unsigned char)*p) == units[i].letter) {
				n *= units[i].seconds;
				p++;
				break;
			}
		}
	}
	if (n < 0 || *skip_blanks(p))
		return slu_err(err, SLU_INVALID,
			       "time \"%s\" is none of 90, 30s, 15m, 12h, 2d, "
			       "MM:SS, HH:MM:SS, D-HH:MM:SS",
			       text);
	*seconds = n;
	return 0;
}

const char *slu_seconds_text(double seconds, char out[SLU_TIME_TEXT])
{
	const char *sign = seconds < 0 ? "-" : "";
	double s = fabs(seconds);
	long long t = s < 1e15 ? llround(s) : 0;
	int sec = (int)(t % 60), min = (int)(t / 60 % 60);
	int hour = (int)(t / 3600 % 24);

	if (!(s < 1e15))
		snprintf(out, SLU_TIME_TEXT, "unknown");
	else if (s < 9.995)
		snprintf(out, SLU_TIME_TEXT, "%s%.2f s", sign, s);
	else if (s < 59.95)
		snprintf(out, SLU_TIME_TEXT, "%s%.1f s", sign, s);
	else if (t < 3600)
		snprintf(out, SLU_TIME_TEXT, "%s%d:%02d", sign, min, sec);
	else if (t < 86400)
		snprintf(out, SLU_TIME_TEXT, "%s%d:%02d:%02d", sign, hour, min,
			 sec);
	else
		snprintf(out, SLU_TIME_TEXT, "%s%lld-%02d:%02d:%02d", sign,
			 t / 86400, hour, min, sec);
	return out;
}
