/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a list of host names in Slurm's bracket form ("n[1-3,7]"). Names are
 * folded by one run of digits at a time, the last one first: names that are
 * equal before and after that run become one text with a bracket in its place.
 * The next pass folds texts that differ only in the run before it, so a full
 * grid r[1-2]n[1-4] is found.
 */
#include "config.h"
#include "common/hostlist.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"

#define DIGITS_MAX 18 /* longer runs are not numbers to slu_hosts_parse */

int slu_host_cmp(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		size_t m, n;
		int order;

		if (!isdigit((unsigned char)*x) ||
		    !isdigit((unsigned char)*y)) {
			if (*x != *y)
				return (unsigned char)*x - (unsigned char)*y;
			x++;
			y++;
			continue;
		}
		x += strspn(x, "0");
		y += strspn(y, "0");
		m = strspn(x, "0123456789");
		n = strspn(y, "0123456789");
		order = m != n ? (m < n ? -1 : 1) : memcmp(x, y, m);
		if (order)
			return order;
		x += m;
		y += n;
	}
	if (*x || *y)
		return *x ? 1 : -1;
	return strcmp(a, b); /* n01 and n1 differ */
}

/* A name, or names folded to one text, and the run it is folded by now. */
struct item {
	char *text; /* owned */
	size_t at;  /* text[at .. at+len) is the run; len 0: not this time */
	size_t len;
};

/* Point the item at its k-th run from the end; false when it has no such run.
 * A bracket of an earlier pass counts as a run, but is not folded again. */
static bool find_run(struct item *it, unsigned k)
{
	const char *s = it->text;
	size_t end = strlen(s), start;

	it->len = 0;
	for (;;) {
		while (end > 0 && !isdigit((unsigned char)s[end - 1]) &&
		       s[end - 1] != ']')
			end--;
		if (end == 0)
			return false;
		start = end - 1;
		if (s[start] == ']')
			while (start > 0 && s[start] != '[')
				start--;
		else
			while (start > 0 &&
			       isdigit((unsigned char)s[start - 1]))
				start--;
		if (k-- == 0)
			break;
		end = start;
	}
	if (s[end - 1] != ']' && end - start <= DIGITS_MAX) {
		it->at = start;
		it->len = end - start;
	}
	return true;
}

/* Same text around the run? Orders groups. */
static int cmp_around(const struct item *a, const struct item *b)
{
	size_t least = a->at < b->at ? a->at : b->at;
	int order = memcmp(a->text, b->text, least);

	if (!order)
		order = (a->at > b->at) - (a->at < b->at);
	return order ? order
		     : strcmp(a->text + a->at + a->len,
			      b->text + b->at + b->len);
}

/* Items without a run last; groups together; in a group by width and value,
 * which for digits is by length and text. */
static int cmp_items(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;
	int order = (a->len == 0) - (b->len == 0);

	if (!order && a->len)
		order = cmp_around(a, b);
	if (!order)
		order = (a->len > b->len) - (a->len < b->len);
	return order ? order : strcmp(a->text, b->text);
}

static int cmp_text(const void *a, const void *b)
{
	return slu_host_cmp(((const struct item *)a)->text,
			    ((const struct item *)b)->text);
}

/* Is b's run the number after a's, as a range would write it (09, 10 and
 * 99, 100 but not 9, 010)? */
static bool follows(const struct item *a, const struct item *b)
{
	char next[DIGITS_MAX + 2];
	size_t i = a->len;

	next[0] = '0';
	memcpy(next + 1, a->text + a->at, a->len);
	while (next[i] == '9')
		next[i--] = '0';
	next[i]++;
	i = next[0] == '0'; /* no carry out of the first digit */
	return b->len == a->len + 1 - i &&
	       memcmp(next + i, b->text + b->at, b->len) == 0;
}

/* Fold the n items of one group (n > 1) into the text of the first; the
 * others are left without text. */
static int fold_group(struct item *it, size_t n)
{
	struct slu_buf buf = {0};
	char *text;

	slu_buf_add(&buf, it->text, it->at);
	for (size_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n; last++)
			if (!follows(&it[last], &it[last + 1]))
				break;
		slu_buf_puts(&buf, i ? "," : "[");
		slu_buf_add(&buf, it[i].text + it[i].at, it[i].len);
		if (last == i)
			continue;
		slu_buf_puts(&buf, "-");
		slu_buf_add(&buf, it[last].text + it[last].at, it[last].len);
	}
	slu_buf_puts(&buf, "]");
	slu_buf_puts(&buf, it->text + it->at + it->len);
	text = slu_buf_steal(&buf);
	if (!text)
		return -1;
	for (size_t i = 0; i < n; i++) {
		free(it[i].text);
		it[i].text = NULL;
	}
	it->text = text;
	return 0;
}

/* One pass over the items, by the runs they point at; *n is how many are left
 * with a text, in front. */
static int fold(struct item *it, size_t *n)
{
	size_t kept = 0;

	qsort(it, *n, sizeof(*it), cmp_items);
	for (size_t i = 0, next; i < *n; i = next) {
		next = i + 1;
		while (next < *n && it[i].len && it[next].len &&
		       cmp_around(&it[i], &it[next]) == 0)
			next++;
		if (next - i > 1 && fold_group(&it[i], next - i) < 0)
			return -1;
	}
	for (size_t i = 0; i < *n; i++) {
		struct item one = it[i];

		it[i].text = NULL;
		if (one.text)
			it[kept++] = one;
	}
	*n = kept;
	return 0;
}

static int fold_all(struct item *it, size_t *n)
{
	bool more = true;

	for (unsigned k = 0; more; k++) {
		more = false;
		for (size_t i = 0; i < *n; i++)
			more |= find_run(&it[i], k);
		if (more && fold(it, n) < 0)
			return -1;
	}
	return 0;
}

char *slu_hosts_text(const struct slu_hosts *hosts)
{
	struct item *it = calloc(hosts->n + 1, sizeof(*it));
	struct slu_buf buf = {0};
	char *text = NULL;
	size_t n = hosts->n;

	if (!it)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!(it[i].text = strdup(hosts->name[i])))
			goto out;
	if (fold_all(it, &n) < 0)
		goto out;
	qsort(it, n, sizeof(*it), cmp_text);
	for (size_t i = 0; i < n; i++)
		slu_buf_printf(&buf, "%s%s", i ? "," : "", it[i].text);
	text = slu_buf_steal(&buf);
out:
	for (size_t i = 0; i < hosts->n; i++)
		free(it[i].text);
	free(it);
	return text;
}
