/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multiple-choice knapsack by dynamic programming over the capacity.
 *
 * A value and the wish to keep a held item become one int64 key: the value in
 * units, times (classes + 1), plus 1 when the item is held. The largest sum of
 * keys is then the largest value and, within it, the most held items. Setup
 * picks the unit so that the sum of the classes' largest keys stays below
 * KEY_MAX; no sum of keys anywhere is larger than that.
 *
 * An item that weighs at least as much as another of its class and has no
 * larger key is dropped. Rows: row[i][c] is the best sum of the first i
 * classes within weight c, or negative when they do not fit. All rows are
 * kept, so no choice is written down: it is found again on the way back.
 *
 * The bound is the linear relaxation: along the upper hull of each class, the
 * steps with the most key per weight first, the last one in part.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/mckp.h"

#define KEY_MAX	     0x1p60
#define NOT_REACHED  (-(INT64_C(1) << 62))
#define FINEST_UNIT  1e-3
#define DEFAULT_SIZE ((size_t)1 << 30)

__extension__ typedef __int128 int128;

struct option {
	uint32_t weight;
	uint32_t item; /* its index in the problem's class */
	int64_t key;
	double value;
};

/* A move along the hull of one class. */
struct step {
	uint32_t weight;
	int64_t key;
};

struct slu_mckp {
	uint32_t n;
	uint32_t capacity; /* no more than the heaviest options need */
	bool feasible;
	struct option *option; /* of all classes, in order, by weight */
	size_t *first;	       /* n + 1: where each class begins */
	int64_t *row;	       /* (n + 1) x (capacity + 1) */
	double unit;
	int64_t bound; /* of the relaxation, in keys */
	size_t bytes;
};

static int check(const struct slu_mckp_problem *p, size_t *items,
		 struct slu_err *err)
{
	if (p->n > SLU_MCKP_MAX_CLASSES)
		return slu_err(err, SLU_INVALID, "%u classes are too many",
			       p->n);
	*items = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct slu_mckp_class *c = &p->class[i];

		if (c->n == 0)
			return slu_err(err, SLU_INVALID, "class %u is empty",
				       i);
		if (c->hold != SLU_MCKP_NONE && c->hold >= c->n)
			return slu_err(err, SLU_INVALID,
				       "class %u holds item %u of %u", i,
				       c->hold, c->n);
		for (uint32_t j = 0; j < c->n; j++)
			if (!(c->item[j].value >= 0 &&
			      c->item[j].value <= SLU_MCKP_MAX_VALUE))
				return slu_err(err, SLU_INVALID,
					       "class %u item %u: value %g", i,
					       j, c->item[j].value);
		*items += c->n;
	}
	return 0;
}

/* The finest unit, a power of two times FINEST_UNIT, whose keys fit. */
static double find_unit(const struct slu_mckp_problem *p)
{
	double sum = 0, unit = FINEST_UNIT;

	for (uint32_t i = 0; i < p->n; i++) {
		double most = 0;

		for (uint32_t j = 0; j < p->class[i].n; j++)
			most = fmax(most, p->class[i].item[j].value);
		sum += most;
	}
	while ((sum / unit + 2.0 * p->n) * (p->n + 1.0) > KEY_MAX)
		unit *= 2;
	return unit;
}

static int by_weight(const void *a, const void *b)
{
	const struct option *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Write the options of class c that may be of use; returns their number. */
static size_t take_class(const struct slu_mckp_problem *p, uint32_t i,
			 double unit, struct option *out)
{
	const struct slu_mckp_class *c = &p->class[i];
	size_t n = 0, kept = 0;

	for (uint32_t j = 0; j < c->n; j++) {
		if (c->item[j].weight > p->capacity)
			continue;
		out[n++] = (struct option){
			.weight = c->item[j].weight,
			.item = j,
			.value = c->item[j].value,
			.key = llround(c->item[j].value / unit) *
				       ((int64_t)p->n + 1) +
			       (j == c->hold),
		};
	}
	qsort(out, n, sizeof(*out), by_weight);
	for (size_t j = 0; j < n; j++)
		if (kept == 0 || out[j].key > out[kept - 1].key)
			out[kept++] = out[j];
	return kept;
}

static void take_options(struct slu_mckp *m, const struct slu_mckp_problem *p)
{
	uint64_t least = 0, most = 0;

	m->feasible = true;
	for (uint32_t i = 0; i < p->n; i++) {
		struct option *at = m->option + m->first[i];
		size_t n = take_class(p, i, m->unit, at);

		m->first[i + 1] = m->first[i] + n;
		m->feasible = m->feasible && n > 0;
		least += n ? at[0].weight : 0;
		most += n ? at[n - 1].weight : 0;
	}
	m->feasible = m->feasible && least <= p->capacity;
	m->capacity = most < p->capacity ? (uint32_t)most : p->capacity;
}

static int by_slope(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	int128 l = (int128)x->key * y->weight, r = (int128)y->key * x->weight;

	return (l < r) - (l > r);
}

/* The upper hull of one class as steps; returns their number. */
static size_t hull(const struct option *o, size_t n, struct step *out)
{
	size_t k = 0;

	for (size_t j = 1; j < n; j++) {
		struct step s = {o[j].weight - o[j - 1].weight,
				 o[j].key - o[j - 1].key};

		while (k > 0 && by_slope(&out[k - 1], &s) > 0) {
			k--;
			s.weight += out[k].weight;
			s.key += out[k].key;
		}
		out[k++] = s;
	}
	return k;
}

static void relax(struct slu_mckp *m, struct step *step)
{
	uint64_t room = m->capacity;
	size_t n = 0;

	m->bound = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct option *o = m->option + m->first[i];

		m->bound += o->key;
		room -= o->weight;
		n += hull(o, m->first[i + 1] - m->first[i], step + n);
	}
	qsort(step, n, sizeof(*step), by_slope);
	for (size_t i = 0; i < n && room > 0; i++) {
		uint64_t w = step[i].weight < room ? step[i].weight : room;

		m->bound += (int64_t)((int128)step[i].key * w / step[i].weight);
		room -= w;
	}
}

static int get_memory(struct slu_mckp *m, size_t max_bytes, struct slu_err *err)
{
	size_t width = (size_t)m->capacity + 1;
	size_t cells = 0, bytes = 0;

	if (__builtin_mul_overflow(width, (size_t)m->n + 1, &cells) ||
	    __builtin_mul_overflow(cells, sizeof(*m->row), &bytes) ||
	    __builtin_add_overflow(bytes, m->bytes, &m->bytes) ||
	    m->bytes > max_bytes)
		return slu_err(
			err, SLU_NOMEM,
			"%u jobs by %u I/O nodes need more than %zu bytes",
			m->n, m->capacity, max_bytes);
	m->row = malloc(bytes);
	return m->row ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

struct slu_mckp *slu_mckp_setup(const struct slu_mckp_problem *problem,
				const struct slu_mckp_settings *settings,
				struct slu_err *err)
{
	size_t max = settings && settings->max_bytes ? settings->max_bytes
						     : DEFAULT_SIZE;
	struct slu_mckp *m = calloc(1, sizeof(*m));
	struct step *step = NULL;
	size_t items = 0;

	if (!m) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	if (check(problem, &items, err) < 0)
		goto fail;
	m->n = problem->n;
	m->unit = find_unit(problem);
	m->option = calloc(items + 1, sizeof(*m->option));
	m->first = calloc((size_t)m->n + 1, sizeof(*m->first));
	step = calloc(items + 1, sizeof(*step));
	if (!m->option || !m->first || !step) {
		slu_err(err, SLU_NOMEM, "out of memory");
		goto fail;
	}
	m->bytes = (items + 1) * sizeof(*m->option) +
		   ((size_t)m->n + 1) * sizeof(*m->first);
	take_options(m, problem);
	if (m->feasible) {
		relax(m, step);
		if (get_memory(m, max, err) < 0)
			goto fail;
	}
	free(step);
	return m;
fail:
	free(step);
	slu_mckp_free(m);
	return NULL;
}

void slu_mckp_free(struct slu_mckp *m)
{
	if (!m)
		return;
	free(m->option);
	free(m->first);
	free(m->row);
	free(m);
}

static void fill_row(int64_t *restrict row, const int64_t *restrict before,
		     size_t width, const struct option *o, size_t n)
{
	for (size_t c = 0; c < width; c++)
		row[c] = NOT_REACHED;
	for (size_t j = 0; j < n; j++) {
		int64_t key = o[j].key;

		for (size_t c = o[j].weight; c < width; c++) {
			int64_t with = before[c - o[j].weight] + key;

			row[c] = row[c] > with ? row[c] : with;
		}
	}
}

/* From the last class to the first: the lightest option that explains the sum
 * in the row. */
static void walk_back(const struct slu_mckp *m, struct slu_mckp_solution *out)
{
	size_t width = (size_t)m->capacity + 1, c = 0;
	const int64_t *row = m->row + m->n * width;

	while (row[c] < row[m->capacity])
		c++;
	out->weight = c;
	for (uint32_t i = m->n; i-- > 0; row -= width) {
		const struct option *o = m->option + m->first[i];
		const int64_t *before = row - width;

		while (o->weight > c ||
		       before[c - o->weight] + o->key != row[c])
			o++;
		out->choice[i] = o->item;
		out->value += o->value;
		c -= o->weight;
	}
}

void slu_mckp_solve(struct slu_mckp *m, struct slu_mckp_solution *out,
		    struct slu_mckp_info *info)
{
	size_t width = (size_t)m->capacity + 1;
	double per_key = m->unit / (m->n + 1.0);

	out->feasible = m->feasible;
	out->value = 0;
	out->weight = 0;
	if (info)
		*info = (struct slu_mckp_info){.unit = m->unit,
					       .bytes = m->bytes};
	if (!m->feasible)
		return;
	memset(m->row, 0, width * sizeof(*m->row));
	for (uint32_t i = 0; i < m->n; i++)
		fill_row(m->row + (i + 1) * width, m->row + i * width, width,
			 m->option + m->first[i],
			 m->first[i + 1] - m->first[i]);
	walk_back(m, out);
	if (info) {
		int64_t best = m->row[m->n * width + m->capacity];

		info->bound = m->bound * per_key + m->unit * m->n / 2;
		info->gap = (m->bound - best) * per_key;
	}
}
