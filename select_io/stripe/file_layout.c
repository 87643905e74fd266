/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the lines by their keys, never by columns, since releases indent them
 * differently. A file begins with lmm_stripe_count at the margin, or with
 * lcm_layout_gen where it has several components.
 */
#include "config.h"
#include "select_io/stripe/file_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"

static const char several_pools[] = "its components are in several pools";

/* "  - key:   value": the value, if that is the line's key; NULL: it is not. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	line += strspn(line, " -");
	if (strncmp(line, key, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	return line + strspn(line, " ");
}

static bool begins(const char *line)
{
	return strncmp(line, "lmm_stripe_count:", 17) == 0 ||
	       value_of(line, "lcm_layout_gen") || value_of(line, "lfm_magic");
}

static uint64_t number(const char *value)
{
	return strncmp(value, "EOF", 3) == 0 ? UINT64_MAX
					     : strtoull(value, NULL, 10);
}

/* "-1" is a number of stripes that is not settled yet. */
static uint32_t small(const char *value)
{
	uint64_t n = *value == '-' ? 0 : strtoull(value, NULL, 10);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void add_part(struct slu_file_layout *l)
{
	if (l->n == SLU_FILE_PARTS) {
		l->special = "it has too many components";
		return;
	}
	l->part[l->n++] =
		(struct slu_file_part){.end = UINT64_MAX, .first = l->n_ost};
}

static void add_target(struct slu_file_layout *l, struct slu_file_part *p,
		       const char *value)
{
	if (l->n_ost == SLU_FILE_STRIPES) {
		l->special = "it has too many stripes";
		return;
	}
	l->ost[l->n_ost++] = small(value);
	p->named++;
	p->made = true;
}

static void set_pool(struct slu_file_layout *l, struct slu_file_part *p,
		     const char *value)
{
	char pool[SLU_FILE_POOL] = "";

	sscanf(value, "%15[A-Za-z0-9_.-]", pool);
	if (*l->pool && strcmp(l->pool, pool) != 0)
		l->special = several_pools;
	p->pool = *pool;
	slu_copy(l->pool, sizeof(l->pool), pool);
}

static void set_pattern(struct slu_file_layout *l, struct slu_file_part *p,
			const char *value)
{
	if (strstr(value, "mdt"))
		p->mdt = p->made = true;
	if (strstr(value, "released"))
		l->special = "its data are in an archive";
	else if (!p->mdt && strncmp(value, "raid0", 5) != 0)
		l->special = "its pattern is not raid0";
}

/* Lines about the file as a whole. */
static void take_header(struct slu_file_layout *l, const char *line)
{
	const char *v;

	if ((v = value_of(line, "lcm_mirror_count")) && number(v) > 1)
		l->special = "it is mirrored";
	else if (value_of(line, "lfm_magic"))
		l->special = "its layout is foreign";
	else if (value_of(line, "lcme_id") ||
		 strncmp(line, "lmm_stripe_count:", 17) == 0)
		add_part(l);
}

static void take_part(struct slu_file_layout *l, const char *line)
{
	struct slu_file_part *p = &l->part[l->n - 1];
	const char *v;

	if ((v = value_of(line, "lcme_extent.e_start")))
		p->begin = number(v);
	else if ((v = value_of(line, "lcme_extent.e_end")))
		p->end = number(v);
	else if ((v = value_of(line, "lmm_stripe_count")))
		p->count = small(v);
	else if ((v = value_of(line, "lmm_stripe_size")))
		p->width = small(v);
	else if (value_of(line, "lmm_extension_size"))
		l->special = "it extends itself";
	else if ((v = value_of(line, "lmm_pattern")))
		set_pattern(l, p, v);
	else if ((v = value_of(line, "lmm_pool")))
		set_pool(l, p, v);
	else if ((v = value_of(line, "l_ost_idx")))
		add_target(l, p, v);
}

/* What makes no sense is left alone, and what no command keeps in its pools. */
static void check(struct slu_file_layout *l)
{
	for (size_t i = 0; i < l->n && !l->special; i++) {
		const struct slu_file_part *p = &l->part[i];

		if (p->begin >= p->end || (i > 0 && p->begin < p[-1].end) ||
		    (p->made && !p->mdt && (!p->width || !p->count)) ||
		    (p->named > 0 && p->named != p->count))
			l->special = "its layout was not understood";
		else if (!p->mdt && p->pool != (*l->pool != '\0'))
			l->special = several_pools;
	}
	if (l->n == 0 && !l->special)
		l->special = "its layout was not understood";
}

/* The line at *text without its end, and *text behind it. */
static void take_line(const char **text, char *line, size_t size)
{
	size_t len = strcspn(*text, "\n");

	snprintf(line, size, "%.*s", len < size ? (int)len : (int)size - 1,
		 *text);
	*text += len + ((*text)[len] == '\n');
}

bool slu_file_layout_next(const char **text, struct slu_file_layout *out)
{
	bool begun = false;
	char line[256];

	while (**text) {
		const char *next = *text;

		take_line(&next, line, sizeof(line));
		if (begins(line) && begun)
			break;
		if (begins(line)) {
			memset(out, 0, sizeof(*out));
			begun = true;
		}
		*text = next;
		if (!begun)
			continue;
		take_header(out, line);
		if (out->n > 0)
			take_part(out, line);
	}
	if (begun)
		check(out);
	return begun;
}

bool slu_df_target_parse(const char *line, struct slu_df_target *out)
{
	const char *mark = NULL;
	uint64_t total, used, left;

	for (const char *p = line; (p = strstr(p, "[OST:")); p++)
		mark = p;
	if (!mark || sscanf(line, "%*s %" SCNu64 " %" SCNu64 " %" SCNu64,
			    &total, &used, &left) != 3)
		return false;
	if (sscanf(line, "%8[^ -]-OST", out->fsname) != 1 ||
	    sscanf(mark, "[OST:%" SCNu32 "]", &out->index) != 1 ||
	    total > UINT64_MAX / 1024 || left > total)
		return false;
	out->total = total * 1024;
	out->available = left * 1024;
	return true;
}
