/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses Slurm's host lists ("n[1-3,7]") and keeps lists of host names. A piece
 * "a[1-2]b[1-3]" is expanded depth first into one shared name buffer; each
 * bracket adds at least one character, so the depth is bounded by the length of
 * a name. The array of a list has room for the next power of two, so adding
 * needs no capacity field.
 */
#include "config.h"
#include "common/hostlist.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN_MAX 255
#define DIGITS_MAX   18

/* Append `name`, which the list then owns. Frees it on failure. */
static int append(struct slu_hosts *hosts, char *name)
{
	size_t n = hosts->n;

	if (name && (n & (n - 1)) == 0) {
		char **more =
			realloc(hosts->name, (n ? 2 * n : 1) * sizeof(*more));

		if (!more) {
			free(name);
			return -1;
		}
		hosts->name = more;
	}
	if (!name)
		return -1;
	hosts->name[hosts->n++] = name;
	return 0;
}

struct expansion {
	struct slu_hosts hosts;
	const char *piece; /* what is being expanded, for the messages */
	int piece_len;
	char name[NAME_LEN_MAX + 1];
	struct slu_err *err;
};

static int bad(const struct expansion *ex, const char *why)
{
	return slu_err(ex->err, SLU_INVALID, "host list: \"%.*s\" %s",
		       ex->piece_len, ex->piece, why);
}

static int finish_name(struct expansion *ex, size_t len)
{
	if (len == 0)
		return bad(ex, "is an empty name");
	if (ex->name[0] == '.' || ex->name[0] == '-')
		return bad(ex, "begins with '.' or '-'");
	if (ex->hosts.n == SLU_HOSTS_MAX)
		return slu_err(ex->err, SLU_INVALID,
			       "host list: more than %d names", SLU_HOSTS_MAX);
	ex->name[len] = '\0';
	if (append(&ex->hosts, strdup(ex->name)) < 0)
		return slu_err(ex->err, SLU_NOMEM, "host list: no memory");
	return 0;
}

/* Numbers lo to hi, written with at least `width` digits. */
struct range {
	uint64_t lo, hi;
	int width;
};

/* The number at *p, and how many digits it has (0: it is none). */
static uint64_t number(const char **p, int *digits)
{
	uint64_t n = 0;

	for (*digits = 0; isdigit((unsigned char)**p); ++*p)
		if (++*digits <= DIGITS_MAX)
			n = n * 10 + (uint64_t)(**p - '0');
	return n;
}

/* "3" or "5-7" at *p, up to a comma or to the bracket's end at `close`. */
static int read_range(const struct expansion *ex, const char **p,
		      const char *close, struct range *r)
{
	int digits;

	r->lo = r->hi = number(p, &r->width);
	digits = r->width;
	if (**p == '-') {
		++*p;
		r->hi = number(p, &digits);
	}
	if (!r->width || !digits || (**p != ',' && *p != close))
		return bad(ex, "has a bracket that is no list of numbers");
	if (r->width > DIGITS_MAX || digits > DIGITS_MAX)
		return bad(ex, "has a number of more than 18 digits");
	if (r->hi < r->lo)
		return bad(ex, "has a range that runs backwards");
	return 0;
}

static int expand(struct expansion *ex, size_t len, const char *p,
		  const char *end);

/* "[3,5-7]..." at p, whose bracket closes at `close`. */
static int expand_bracket(struct expansion *ex, size_t len, const char *p,
			  const char *close, const char *end)
{
	char text[DIGITS_MAX + 1];
	struct range r;

	do {
		p++; /* the bracket or the comma */
		if (read_range(ex, &p, close, &r) < 0)
			return -1;
		for (uint64_t i = r.lo; i <= r.hi; i++) {
			size_t n = (size_t)snprintf(text, sizeof(text),
						    "%0*" PRIu64, r.width, i);

			if (len + n > NAME_LEN_MAX)
				return bad(ex, "makes a name that is too long");
			memcpy(ex->name + len, text, n);
			if (expand(ex, len + n, close + 1, end) < 0)
				return -1;
		}
	} while (*p == ',');
	return 0;
}

/* The rest of a piece, p to end, after `len` characters of the name. */
static int expand(struct expansion *ex, size_t len, const char *p,
		  const char *end)
{
	const char *close;

	for (; p < end && *p != '['; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
			return bad(ex, "holds a character no host name has");
		if (len == NAME_LEN_MAX)
			return bad(ex, "makes a name that is too long");
		ex->name[len++] = *p;
	}
	if (p == end)
		return finish_name(ex, len);
	close = memchr(p, ']', (size_t)(end - p));
	if (!close)
		return bad(ex, "has a bracket that is not closed");
	return expand_bracket(ex, len, p, close, end);
}

/* Length of the piece at p: up to a comma outside brackets. */
static size_t piece_len(const char *p)
{
	bool inside = false;
	size_t n = 0;

	for (; p[n] && (inside || p[n] != ','); n++)
		if (p[n] == '[' || p[n] == ']')
			inside = p[n] == '[';
	return n;
}

/* By name, and by place among equal names. */
static int cmp_slots(const void *a, const void *b)
{
	char **x = *(char **const *)a, **y = *(char **const *)b;
	int order = strcmp(*x, *y);

	return order ? order : (x > y) - (x < y);
}

/* Keep the first of equal names. */
static int remove_duplicates(struct slu_hosts *hosts)
{
	size_t kept = 0;
	char ***slot;

	if (hosts->n < 2)
		return 0;
	slot = malloc(hosts->n * sizeof(*slot));
	if (!slot)
		return -1;
	for (size_t i = 0; i < hosts->n; i++)
		slot[i] = &hosts->name[i];
	qsort(slot, hosts->n, sizeof(*slot), cmp_slots);
	for (size_t i = hosts->n - 1; i > 0; i--) {
		if (strcmp(*slot[i], *slot[i - 1]) == 0) {
			free(*slot[i]);
			*slot[i] = NULL;
		}
	}
	free(slot);
	for (size_t i = 0; i < hosts->n; i++)
		if (hosts->name[i])
			hosts->name[kept++] = hosts->name[i];
	hosts->n = kept;
	return 0;
}

int slu_hosts_parse(const char *text, struct slu_hosts *out,
		    struct slu_err *err)
{
	struct expansion ex = {.err = err};
	const char *p = text;

	while (*text) {
		size_t len = piece_len(p);

		ex.piece = p;
		ex.piece_len = (int)(len < 80 ? len : 80);
		if (expand(&ex, 0, p, p + len) < 0)
			goto fail;
		if (!p[len])
			break;
		p += len + 1;
	}
	if (remove_duplicates(&ex.hosts) < 0) {
		slu_err(err, SLU_NOMEM, "host list: no memory");
		goto fail;
	}
	*out = ex.hosts;
	return 0;
fail:
	slu_hosts_free(&ex.hosts);
	return -1;
}

void slu_hosts_free(struct slu_hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		free(hosts->name[i]);
	free(hosts->name);
	*hosts = (struct slu_hosts){0};
}

long slu_hosts_find(const struct slu_hosts *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (strcmp(hosts->name[i], name) == 0)
			return (long)i;
	return -1;
}

static int cmp_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void slu_hosts_sort(struct slu_hosts *hosts)
{
	size_t n = 0;

	if (hosts->n)
		qsort(hosts->name, hosts->n, sizeof(*hosts->name), cmp_names);
	for (size_t i = 0; i < hosts->n; i++) {
		if (n && strcmp(hosts->name[n - 1], hosts->name[i]) == 0)
			free(hosts->name[i]);
		else
			hosts->name[n++] = hosts->name[i];
	}
	hosts->n = n;
}

bool slu_hosts_sorted_has(const struct slu_hosts *hosts, const char *name)
{
	return hosts->n && bsearch(&name, hosts->name, hosts->n,
				   sizeof(*hosts->name), cmp_names);
}

int slu_hosts_add(struct slu_hosts *hosts, const char *name)
{
	if (slu_hosts_find(hosts, name) >= 0)
		return 0;
	return slu_hosts_append(hosts, name);
}

int slu_hosts_append(struct slu_hosts *hosts, const char *name)
{
	return append(hosts, strdup(name));
}
