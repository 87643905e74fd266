/* SPDX-License-Identifier: GPL-2.0-or-later */
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
/* Others know them by their place: new ones go to the end. */
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
	COLUMN(I64, job.suspended),
};
#undef T
#define COLUMNS (sizeof(column) / sizeof(column[0]))

#define EXACT	9007199254740992.0 /* 2^53: whole numbers below are exact */

double slu_row_bandwidth(const struct slu_history_row *row)
{
	int64_t ran = slu_job_ran(&row->job);

	return ran > 0 ? (row->read_bytes + row->written_bytes) / 1e6 /
				 (double)ran
		       : 0;
}

static void pack_number(int64_t value, struct slu_buf *out)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[24], *at = text + sizeof(text);

	if (!value)
		return;
	for (; left; left /= 10)
		*--at = (char)('0' + left % 10);
	if (value < 0)
		*--at = '-';
	slu_buf_add(out, at, (size_t)(text + sizeof(text) - at));
}

static void pack_double(double value, struct slu_buf *out)
{
	if (fabs(value) < EXACT && value == trunc(value))
		pack_number((int64_t)value, out);
	else if (isfinite(value))
		slu_buf_printf(out, "%.17g", value);
}

static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '%' && c != ',' && c != ';' &&
	       c != '"' && c != '\\';
}

static void pack_text(const char *text, struct slu_buf *out)
{
	static const char hex[] = "0123456789ABCDEF";

	if (text && !*text)
		slu_buf_add(out, "%", 1);
	while (text && *text) {
		size_t n = 0;
		char escape[3] = "%";

		while (text[n] && is_plain(text[n]))
			n++;
		slu_buf_add(out, text, n);
		text += n;
		if (!*text)
			break;
		escape[1] = hex[(unsigned char)*text >> 4];
		escape[2] = hex[(unsigned char)*text++ & 15];
		slu_buf_add(out, escape, 3);
	}
}

void slu_row_pack(const struct slu_history_row *row, struct slu_buf *out)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const void *p = (const char *)row + column[i].offset;

		if (i)
			slu_buf_add(out, ",", 1);
		if (column[i].type == SLU_T_STR)
			pack_text(*(char *const *)p, out);
		else if (column[i].type == SLU_T_DOUBLE)
			pack_double(*(const double *)p, out);
		else
			pack_number(column[i].type == SLU_T_U32
					    ? *(const uint32_t *)p
					    : *(const int64_t *)p,
				    out);
	}
	slu_buf_add(out, ";", 1);
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* In place. No text has a NUL. */
static bool unpack_text(char *from, size_t len, char **out)
{
	char *to = from, *end = from + len;

	*out = from;
	if (len == 1 && *from == '%')
		to = from++;
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
	*to = '\0'; /* at most where the separator was */
	return true;
}

static bool unpack_number(const char *from, size_t len, int64_t *out)
{
	bool minus = *from == '-';
	uint64_t value = 0;

	if (len - minus > 19 || len == minus)
		return false;
	for (size_t i = minus; i < len; i++) {
		if (from[i] < '0' || from[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(from[i] - '0');
	}
	if (value > (uint64_t)INT64_MAX + minus)
		return false;
	*out = (int64_t)(minus ? -value : value);
	return true;
}

static bool unpack_double(const char *from, size_t len, double *out)
{
	int64_t whole;
	char *end;

	if (len < 16 && unpack_number(from, len, &whole)) {
		*out = (double)whole;
		return true;
	}
	if (digit(*from) < 0 && *from != '-')
		return false;
	*out = strtod(from, &end);
	return end == from + len && isfinite(*out);
}

static bool unpack(const struct slu_field *c, char *from, size_t len,
		   struct slu_history_row *row)
{
	void *to = (char *)row + c->offset;
	int64_t number;

	if (!len)
		return true;
	if (c->type == SLU_T_STR)
		return unpack_text(from, len, to);
	if (c->type == SLU_T_DOUBLE)
		return unpack_double(from, len, to);
	if (!unpack_number(from, len, &number))
		return false;
	if (c->type == SLU_T_I64)
		*(int64_t *)to = number;
	else if (number < 0 || number > UINT32_MAX)
		return false;
	else
		*(uint32_t *)to = (uint32_t)number;
	return true;
}

/* `at`: in the row; what is before may have been changed. */
static char *behind_row(char *at)
{
	at += strcspn(at, ";");
	return *at ? at + 1 : at;
}

int slu_row_unpack(char **text, struct slu_history_row *row,
		   struct slu_err *err)
{
	struct slu_history_row fresh = {0};
	char *at = *text, last = *at ? ',' : ';';

	if (!*at)
		return 0;
	for (size_t i = 0; last == ','; i++) {
		size_t len = 0;

		while (at[len] != ',' && at[len] != ';' && at[len])
			len++;
		last = at[len];
		if (!last) {
			*text = at + len;
			return slu_err(err, SLU_INVALID,
				       "rows: the last one has no end");
		}
		if (i < COLUMNS && !unpack(&column[i], at, len, &fresh)) {
			*text = behind_row(at + len);
			return slu_err(err, SLU_INVALID, "rows: %s: %.*s",
				       column[i].name,
				       (int)(len < 40 ? len : 40), at);
		}
		at += len + 1;
	}
	*text = at;
	*row = fresh;
	row->io_bandwidth = slu_row_bandwidth(row);
	return 1;
}
