/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packs rows of the history into text and unpacks them, by a table of columns
 * (the format is described in rows.h). An empty field is unpacked as 0 or NULL.
 */
#include "wire/rows.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T struct slu_history_row
#define COLUMN(kind, member)                                         \
	{                                                            \
		.type = SLU_T_##kind, .offset = offsetof(T, member), \
		.name = #member                                      \
	}
/* A column's place is part of the format: new ones go to the end. */
static const struct slu_field column[] = {
	COLUMN(U32, job.uid),	       COLUMN(U32, job.node_cnt),
	COLUMN(U32, job.limit_asked),  COLUMN(I64, job.submit),
	COLUMN(I64, job.start),	       COLUMN(I64, job.end),
	COLUMN(STR, job.name),	       COLUMN(STR, job.account),
	COLUMN(STR, job.partition),    COLUMN(STR, job.state),
	COLUMN(U32, job.ions),	       COLUMN(I64, job.prepared),
	COLUMN(STR, job.request),      COLUMN(DOUBLE, read_bytes),
	COLUMN(DOUBLE, written_bytes), COLUMN(DOUBLE, calls),
	COLUMN(DOUBLE, called_bytes),  COLUMN(DOUBLE, shared_bytes),
	COLUMN(DOUBLE, consecutive),   COLUMN(U32, job.job_id),
	COLUMN(I64, job.suspended),    COLUMN(STR, job.ion_times),
	COLUMN(DOUBLE, metadata_ops),  COLUMN(STR, by_fs),
};
#undef T
#define COLUMNS (sizeof(column) / sizeof(column[0]))

#define EXACT	9007199254740992.0 /* 2^53: whole numbers below are exact */
#define NUMBER	32		   /* bytes of a number and its separator */

double slu_row_bandwidth(const struct slu_history_row *row)
{
	int64_t ran = slu_job_ran(&row->job);

	return ran > 0 ? (row->read_bytes + row->written_bytes) / 1e6 /
				 (double)ran
		       : 0;
}

/* Returns the end of what was written. */
static char *put_number(char *to, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	char *end;

	if (!value)
		return to;
	if (value < 0)
		*to++ = '-';
	for (uint64_t over = left; over; over /= 100)
		to += over < 10 ? 1 : 2;
	for (end = to; left >= 10; left /= 100)
		memcpy(to -= 2, &pairs[left % 100 * 2], 2);
	if (left)
		*--to = (char)('0' + left);
	return end;
}

static char *put_double(char *to, double value)
{
	if (fabs(value) < EXACT && value == trunc(value))
		return put_number(to, (int64_t)value);
	return isfinite(value) ? to + snprintf(to, NUMBER, "%.17g", value) : to;
}

static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '%' && c != ',' && c != ';' &&
	       c != '"' && c != '\\';
}

static char *put_text(char *to, const char *text)
{
	static const char hex[] = "0123456789ABCDEF";

	if (text && !*text)
		*to++ = '%';
	for (; text && *text; text++) {
		if (is_plain(*text)) {
			*to++ = *text;
			continue;
		}
		*to++ = '%';
		*to++ = hex[(unsigned char)*text >> 4];
		*to++ = hex[(unsigned char)*text & 15];
	}
	return to;
}

static const void *member(const struct slu_history_row *row, size_t i)
{
	return (const char *)row + column[i].offset;
}

/* An upper bound of the row's length. */
static size_t room_of(const struct slu_history_row *row)
{
	size_t room = COLUMNS * NUMBER;

	for (size_t i = 0; i < COLUMNS; i++)
		if (column[i].type == SLU_T_STR &&
		    *(char *const *)member(row, i))
			room += 3 * strlen(*(char *const *)member(row, i));
	return room;
}

static char *put(char *to, enum slu_type type, const void *p)
{
	if (type == SLU_T_STR)
		return put_text(to, *(char *const *)p);
	if (type == SLU_T_DOUBLE)
		return put_double(to, *(const double *)p);
	return put_number(to, type == SLU_T_U32 ? *(const uint32_t *)p
						: *(const int64_t *)p);
}

void slu_row_pack(const struct slu_history_row *row, struct slu_buf *out)
{
	char *at = slu_buf_room(out, room_of(row));

	for (size_t i = 0; at && i < COLUMNS; i++) {
		at = put(at, column[i].type, member(row, i));
		*at++ = i + 1 < COLUMNS ? ',' : ';';
	}
	if (at)
		slu_buf_cut(out, (size_t)(at - out->data));
}

static bool is_end(char c)
{
	return c == ',' || c == ';' || !c;
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* In place. A text must not contain NUL. */
static bool unescape(char *from, const char *end)
{
	char *to = from;

	if (end - from == 1 && *from == '%')
		from++;
	while (from < end) {
		int high, low;

		if (*from != '%') {
			*to++ = *from++;
			continue;
		}
		high = end - from < 3 ? -1 : digit(from[1]);
		low = high < 0 ? -1 : digit(from[2]);
		if (low < 0 || !(high | low))
			return false;
		*to++ = (char)(high << 4 | low);
		from += 3;
	}
	*to = '\0'; /* before the separator, as unescaping shortens it */
	return true;
}

/* Each advances to the separator; if the field is invalid, nothing beyond *at
 * has been changed. The caller replaces the separator by NUL. */

static bool unpack_text(char **at, char **out)
{
	char *c = *at;
	bool escaped = false;

	*out = c;
	for (; !is_end(*c); c++)
		escaped |= *c == '%';
	*at = c;
	return !escaped || unescape(*out, c);
}

static bool unpack_number(char **at, int64_t *out)
{
	bool minus = **at == '-';
	char *from = *at + minus, *c = from;
	uint64_t value = 0;

	for (; *c >= '0' && *c <= '9'; c++)
		value = value * 10 + (uint64_t)(*c - '0');
	if (c == from || c - from > 19 || !is_end(*c) ||
	    value > (uint64_t)INT64_MAX + minus)
		return false;
	*out = (int64_t)(minus ? -value : value);
	*at = c;
	return true;
}

static bool unpack_double(char **at, double *out)
{
	char *from = *at, *end;
	int64_t whole;

	if (unpack_number(at, &whole) && *at - from < 16) {
		*out = (double)whole;
		return true;
	}
	*at = from;
	if (digit(*from) < 0 && *from != '-')
		return false;
	*out = strtod(from, &end);
	if (end != from + strcspn(from, ",;") || !isfinite(*out))
		return false;
	*at = end;
	return true;
}

static bool unpack(const struct slu_field *c, char **at,
		   struct slu_history_row *row)
{
	void *to = (char *)row + c->offset;
	int64_t number;

	if (is_end(**at))
		return true;
	if (c->type == SLU_T_STR)
		return unpack_text(at, to);
	if (c->type == SLU_T_DOUBLE)
		return unpack_double(at, to);
	if (!unpack_number(at, &number))
		return false;
	if (c->type == SLU_T_I64)
		*(int64_t *)to = number;
	else if (number < 0 || number > UINT32_MAX)
		return false;
	else
		*(uint32_t *)to = (uint32_t)number;
	return true;
}

/* The field at `from` is invalid; the rest of the row, at `at`, is unchanged.
 */
static int refuse(const char *name, const char *from, char *at, char **text,
		  struct slu_err *err)
{
	at += strcspn(at, ";");
	*text = *at ? at + 1 : at;
	if (!*at)
		return slu_err(err, SLU_INVALID,
			       "rows: the last one has no end");
	return slu_err(err, SLU_INVALID, "rows: %s: %.*s", name,
		       (int)strcspn(from, ",;"), from);
}

int slu_row_unpack(char **text, struct slu_history_row *row,
		   struct slu_err *err)
{
	struct slu_history_row fresh = {0};
	char *at = *text, last = *at ? ',' : ';';

	if (!*at)
		return 0;
	for (size_t i = 0; last == ','; i++) {
		const char *name = i < COLUMNS ? column[i].name : "";
		char *from = at;

		if (i >= COLUMNS)
			at += strcspn(at, ",;");
		else if (!unpack(&column[i], &at, &fresh))
			return refuse(name, from, at, text, err);
		last = *at;
		if (!last)
			return refuse(name, from, at, text, err);
		*at++ = '\0';
	}
	*text = at;
	*row = fresh;
	row->io_bandwidth = slu_row_bandwidth(row);
	return 1;
}
