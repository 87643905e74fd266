/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares each file's layout with the planned one, names the reason of the
 * difference, and keeps the `top` most expensive files in a heap.
 */
#include "config.h"
#include "select_io/stripe/layout_review.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "common/grow.h"

const char *const slu_review_words[SLU_REVIEW_WHYS] = {
	[SLU_REVIEW_FULL] = "full target",  [SLU_REVIEW_NARROW] = "few targets",
	[SLU_REVIEW_WIDE] = "many stripes", [SLU_REVIEW_SERVER] = "one server",
	[SLU_REVIEW_WIDTH] = "stripe size",
};

static bool is_plain(const char *path)
{
	for (const char *p = path; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("/._-+=:,@%", *p))
			return false;
	return isalnum((unsigned char)*path) || strchr("/._", *path);
}

void slu_review_quote(const char *path, struct slu_buf *out)
{
	bool odd = false;

	if (*path && is_plain(path)) {
		slu_buf_puts(out, path);
		return;
	}
	for (const char *p = path; *p; p++)
		odd |= *p < ' ' || *p > '~';
	slu_buf_puts(out, odd ? "$'" : "'");
	for (const char *p = path; *p; p++)
		if (odd && (*p < ' ' || *p > '~'))
			slu_buf_printf(out, "\\%03o", (unsigned char)*p);
		else if (odd && (*p == '\'' || *p == '\\'))
			slu_buf_printf(out, "\\%c", *p);
		else if (*p == '\'')
			slu_buf_puts(out, "'\\''");
		else
			slu_buf_add(out, p, 1);
	slu_buf_puts(out, "'");
}

static bool is_full(const struct slu_cost_site *site, uint32_t ost)
{
	const struct slu_cost_target *t = &site->target[ost];

	return ost < site->n && t->total > 0 &&
	       (double)t->available < SLU_REVIEW_FREE * (double)t->total;
}

static double on_full(const struct slu_file_layout *l, uint64_t size,
		      const struct slu_cost_site *site)
{
	double bytes = 0;

	for (size_t i = 0; i < l->n; i++)
		for (uint32_t k = 0; k < l->part[i].named; k++)
			if (is_full(site, l->ost[l->part[i].first + k]))
				bytes += (double)slu_stripe_bytes(&l->part[i],
								  size, k);
	return bytes;
}

static uint32_t count_stripes(const struct slu_file_layout *l)
{
	uint32_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->part[i].made ? l->part[i].count : 0;
	return n;
}

/* The most stripes that a part of it has. */
static uint32_t widest(const struct slu_file_layout *l)
{
	uint32_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->part[i].made && l->part[i].count > n)
			n = l->part[i].count;
	return n;
}

static enum slu_review_why reason(const struct slu_review_file *f,
				  const struct slu_file_layout *is,
				  const struct slu_file_layout *planned)
{
	if (f->full > 0)
		return SLU_REVIEW_FULL;
	if (widest(is) < widest(planned))
		return SLU_REVIEW_NARROW;
	if (count_stripes(is) > count_stripes(planned))
		return SLU_REVIEW_WIDE;
	return is->part[0].width == planned->part[0].width ? SLU_REVIEW_SERVER
							   : SLU_REVIEW_WIDTH;
}

/* "lfs migrate -c 4 -S 1M -p flash PATH" */
static char *command(const struct slu_stripe_layout *planned, const char *path)
{
	struct slu_buf out = {0};

	slu_stripe_command("migrate", planned, &out);
	slu_buf_puts(&out, " ");
	slu_review_quote(path, &out);
	return slu_buf_steal(&out);
}

static void release(struct slu_review_file *f)
{
	free(f->path);
	free(f->command);
}

static void swap(struct slu_review_file *a, struct slu_review_file *b)
{
	struct slu_review_file was = *a;

	*a = *b;
	*b = was;
}

static void sink(struct slu_review_file *file, size_t n)
{
	for (size_t i = 0, k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && file[k + 1].saved < file[k].saved)
			k++;
		if (file[i].saved <= file[k].saved)
			return;
		swap(&file[i], &file[k]);
	}
}

static int keep(struct slu_review *r, const struct slu_review_file *f,
		struct slu_err *err)
{
	size_t i = r->n;

	if (r->n == r->top) {
		release(&r->file[0]);
		r->file[0] = *f;
		sink(r->file, r->n);
		return 0;
	}
	if (SLU_GROW(r->file, r->n + 1))
		return slu_err(err, SLU_NOMEM, "out of memory");
	r->file[r->n++] = *f;
	for (; i > 0 && r->file[i].saved < r->file[(i - 1) / 2].saved;
	     i = (i - 1) / 2)
		swap(&r->file[i], &r->file[(i - 1) / 2]);
	return 0;
}

static bool is_worth(const struct slu_review_file *f)
{
	return f->saved >= SLU_REVIEW_SECONDS &&
	       (f->full > 0 || f->now >= SLU_REVIEW_BETTER * f->better);
}

static int remember(struct slu_review *r, struct slu_review_file *f,
		    const struct slu_stripe_layout *planned, const char *path,
		    struct slu_err *err)
{
	if (r->top == 0 || (r->n == r->top && f->saved <= r->file[0].saved))
		return 0;
	f->path = strdup(path);
	f->command = command(planned, path);
	if (f->path && f->command && keep(r, f, err) == 0)
		return 0;
	release(f);
	return slu_err(err, SLU_NOMEM, "out of memory");
}

int slu_review_add(struct slu_review *r, const char *path, uint64_t size,
		   const struct slu_file_layout *layout, struct slu_err *err)
{
	struct slu_review_file f = {.size = size};
	struct slu_stripe_request request = r->request;
	struct slu_stripe_layout planned;
	struct slu_file_layout as_file;

	r->files++;
	if (layout->special || size == 0) {
		r->special += layout->special != NULL;
		return 0;
	}
	request.size = size;
	if (slu_stripe_plan(&request, &planned, NULL)) {
		r->no_room++;
		return 0;
	}
	planned.pool = layout->pool;
	slu_stripe_as_file(&planned, size, &as_file);
	f.stripes = count_stripes(layout);
	f.now = slu_stripe_seconds(layout, size, r->site);
	f.better = slu_stripe_seconds(&as_file, size, r->site);
	f.full = on_full(layout, size, r->site);
	f.saved = f.now - f.better + f.full / slu_stripe_disk(r->site);
	if (!is_worth(&f))
		return 0;
	f.why = reason(&f, layout, &as_file);
	r->of[f.why].files++;
	r->of[f.why].saved += f.saved;
	return remember(r, &f, &planned, path, err);
}

/* The worst first; alike ones by name. */
static int by_saved(const void *a, const void *b)
{
	const struct slu_review_file *x = a, *y = b;

	return x->saved != y->saved ? (x->saved < y->saved ? 1 : -1)
				    : strcmp(x->path, y->path);
}

void slu_review_sort(struct slu_review *r)
{
	if (r->n > 0)
		qsort(r->file, r->n, sizeof(*r->file), by_saved);
}

void slu_review_free(struct slu_review *r)
{
	for (size_t i = 0; i < r->n; i++)
		release(&r->file[i]);
	free(r->file);
	r->file = NULL;
	r->n = 0;
}
