/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up, prints and parses the time that a run spent with each number of I/O
 * nodes.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/curves/ion_times.h"

int slu_ion_times_add(struct slu_ion_times *t, uint32_t ions, double seconds)
{
	uint32_t i = 0;

	if (!(seconds > 0))
		return 0;
	while (i < t->n && t->time[i].ions != ions)
		i++;
	if (i == SLU_ION_TIMES_MOST || seconds > SLU_ION_TIMES_LONG ||
	    (i < t->n && t->time[i].seconds + seconds > SLU_ION_TIMES_LONG))
		return -1;
	if (i == t->n)
		t->time[t->n++] = (struct slu_ion_time){.ions = ions};
	t->time[i].seconds += seconds;
	return 0;
}

struct slu_ion_times slu_ion_times_one(uint32_t ions)
{
	return (struct slu_ion_times){1, {{ions, 1}}};
}

double slu_ion_times_sum(const struct slu_ion_times *t)
{
	double sum = 0;

	for (uint32_t i = 0; i < t->n; i++)
		sum += t->time[i].seconds;
	return sum;
}

char *slu_ion_times_text(const struct slu_ion_times *t)
{
	struct slu_buf buf = {0};

	slu_buf_puts(&buf, "");
	for (uint32_t i = 0; i < t->n; i++)
		slu_buf_printf(&buf, "%s%u:%.9g", i ? "," : "", t->time[i].ions,
			       t->time[i].seconds);
	return slu_buf_steal(&buf);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses "2:1200" at *at and advances *at. */
static bool take_one(const char **at, struct slu_ion_times *t)
{
	char *end;
	unsigned long ions;
	double seconds;
	uint32_t n = t->n;

	if (!is_digit(**at))
		return false;
	ions = strtoul(*at, &end, 10);
	if (*end != ':' || !is_digit(end[1]) || ions >= UINT32_MAX)
		return false;
	seconds = strtod(end + 1, &end);
	if ((*end && *end != ',') ||
	    slu_ion_times_add(t, (uint32_t)ions, seconds) < 0 || t->n == n)
		return false;
	*at = *end ? end + 1 : end;
	return *end == '\0' || **at != '\0';
}

int slu_ion_times_parse(const char *text, struct slu_ion_times *out,
			struct slu_err *err)
{
	struct slu_ion_times t = {0};
	const char *at = text;

	do {
		if (!take_one(&at, &t))
			return slu_err(err, SLU_INVALID,
				       "\"%.64s\" does not say how long a job "
				       "had which number of I/O nodes",
				       text);
	} while (*at);
	*out = t;
	return 0;
}
