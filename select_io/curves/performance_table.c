/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the performance table, and computes the curve of a job's patterns.
 * Patterns are in the order of the file and found by a linear scan; a site has
 * tens or hundreds of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "common/str.h"
#include "select_io/curves/performance_table.h"

#define MAX_PATTERNS 65536
#define MAX_PARTS    16 /* of a profile */

enum { READ = 1, WRITE = 2 };

struct pattern {
	char *name;
	struct slu_curve curve;
	int ops;		   /* READ, WRITE or both */
	uint32_t nodes, processes; /* 0: open */
	double request;		   /* bytes; 0: open */
	enum slu_ion_layout layout;
	enum slu_ion_access access;
};

/* The columns that may precede those of the bandwidths. */
enum column { OP, NODES, PROCESSES, REQUEST, LAYOUT, ACCESS, COLUMNS };
static const char *const columns[] = {"op",	 "nodes",  "processes",
				      "request", "layout", "access"};

/* Indexed by value; an empty cell is the first. */
static const char *const ops[] = {"", "read", "write", NULL};
static const char *const layouts[] = {"", "shared", "file-per-process", NULL};
static const char *const accesses[] = {"", "contiguous", "strided", NULL};

struct slu_patterns {
	struct pattern *pattern;
	size_t n;
	uint32_t ions[SLU_CURVE_POINTS];
	uint32_t n_ions;
	enum column column[COLUMNS];
	uint32_t n_columns;
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static bool take_column(struct slu_patterns *t, const char *cell)
{
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (!strcmp(cell, columns[t->column[i]]))
			return false; /* duplicate */
	for (int i = 0; i < COLUMNS; i++)
		if (t->n_ions == 0 && !strcmp(cell, columns[i])) {
			t->column[t->n_columns++] = (enum column)i;
			return true;
		}
	return false;
}

static int take_heading(struct slu_patterns *t, char *line, struct slu_err *err)
{
	char *cell = strsep(&line, ",");

	if (strcmp(cell, "pattern"))
		return slu_err(err, SLU_INVALID,
			       "the heading begins with \"%.64s\", not with "
			       "\"pattern\"",
			       cell);
	while ((cell = strsep(&line, ","))) {
		char *end;
		unsigned long ions;

		if (take_column(t, cell))
			continue;
		ions = strtoul(cell, &end, 10);
		if (*cell < '0' || *cell > '9' || *end || ions > 1000000)
			return slu_err(err, SLU_INVALID,
				       "\"%.64s\" is no number of I/O nodes",
				       cell);
		if (t->n_ions == SLU_CURVE_POINTS)
			return slu_err(err, SLU_INVALID,
				       "more than %d numbers of I/O nodes",
				       SLU_CURVE_POINTS);
		t->ions[t->n_ions++] = (uint32_t)ions;
	}
	return t->n_ions ? 0
			 : slu_err(err, SLU_INVALID,
				   "the heading names no number of I/O nodes");
}

static int take_cell(struct slu_curve *curve, uint32_t ions, const char *cell,
		     struct slu_err *err)
{
	char *end;
	double v = strtod(cell, &end);

	if (*cell == '\0')
		return 0;
	if (end == cell || *end || !(v > 0 && v <= SLU_CURVE_MAX))
		return slu_err(err, SLU_INVALID, "\"%.64s\" is no bandwidth",
			       cell);
	slu_curve_add(curve, ions, v);
	return 0;
}

static int take_number(const char *cell, uint32_t *out, struct slu_err *err)
{
	char *end;
	unsigned long v = strtoul(cell, &end, 10);

	if (*cell == '\0')
		return 0;
	if (*cell < '0' || *cell > '9' || *end || v == 0 || v > UINT32_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no number of nodes or processes",
			       cell);
	*out = (uint32_t)v;
	return 0;
}

/* The index of a word in the list; < 0: it is not in the list. */
static int take_word(const char *cell, const char *const *words,
		     struct slu_err *err)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(cell, words[i]))
			return i;
	return slu_err(err, SLU_INVALID, "\"%.64s\" is neither %s nor %s", cell,
		       words[1], words[2]);
}

/* A cell that describes the access pattern. */
static int take_meaning(enum column column, const char *cell, struct pattern *p,
			struct slu_err *err)
{
	uint64_t bytes = 0;
	int word = 0;

	switch (column) {
	case NODES:
		return take_number(cell, &p->nodes, err);
	case PROCESSES:
		return take_number(cell, &p->processes, err);
	case REQUEST:
		if (*cell && slu_size_parse(cell, &bytes, err) < 0)
			return -1;
		p->request = (double)bytes;
		return 0;
	case LAYOUT:
		word = take_word(cell, layouts, err);
		p->layout = (enum slu_ion_layout)(word < 0 ? 0 : word);
		break;
	case ACCESS:
		word = take_word(cell, accesses, err);
		p->access = (enum slu_ion_access)(word < 0 ? 0 : word);
		break;
	case OP:
		word = take_word(cell, ops, err);
		p->ops = word > 0 ? word : READ | WRITE;
		break;
	case COLUMNS:
		break;
	}
	return word < 0 ? -1 : 0;
}

static int take_line(struct slu_patterns *t, char *line, struct slu_err *err)
{
	const char *name = strsep(&line, ","), *cell;
	struct pattern p = {.ops = READ | WRITE}, *grown;
	uint32_t i = 0;

	if (!*name || strpbrk(name, ":; \t"))
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no name of a pattern", name);
	if (slu_patterns_find(t, name))
		return slu_err(err, SLU_INVALID, "%.64s stands there twice",
			       name);
	for (uint32_t k = 0; k < t->n_columns; k++) {
		cell = strsep(&line, ",");
		if (take_meaning(t->column[k], cell ? cell : "", &p, err) < 0)
			return -1;
	}
	for (; (cell = strsep(&line, ",")); i++)
		if (i == t->n_ions)
			return slu_err(err, SLU_INVALID, "too many columns");
		else if (take_cell(&p.curve, t->ions[i], cell, err) < 0)
			return -1;
	if (!slu_curve_known(&p.curve))
		return slu_err(err, SLU_INVALID, "%.64s was never measured",
			       name);
	if (t->n == MAX_PATTERNS)
		return slu_err(err, SLU_INVALID, "too many patterns");
	grown = realloc(t->pattern, (t->n + 1) * sizeof(*grown));
	if (!grown)
		return nomem(err);
	t->pattern = grown;
	p.name = strdup(name);
	if (!p.name)
		return nomem(err);
	grown[t->n++] = p;
	return 0;
}

static int parse(struct slu_patterns *t, char *text, const char *name,
		 struct slu_err *err)
{
	char *line;
	int number = 0;

	while ((line = strsep(&text, "\n"))) {
		number++;
		line[strcspn(line, "\r")] = '\0';
		if (*line == '\0' || *line == '#')
			continue;
		if ((t->n_ions ? take_line(t, line, err)
			       : take_heading(t, line, err)) < 0)
			return slu_err_prefix(err, "%s:%d", name, number);
	}
	return t->n ? 0
		    : slu_err(err, SLU_INVALID, "%s: no pattern in it", name);
}

struct slu_patterns *slu_patterns_parse(const char *text, const char *name,
					struct slu_err *err)
{
	struct slu_patterns *t = calloc(1, sizeof(*t));
	char *copy = strdup(text);
	int rc = t && copy ? parse(t, copy, name, err) : nomem(err);

	free(copy);
	if (rc == 0)
		return t;
	slu_patterns_free(t);
	return NULL;
}

void slu_patterns_free(struct slu_patterns *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->pattern[i].name);
	free(t->pattern);
	free(t);
}

const struct slu_curve *slu_patterns_find(const struct slu_patterns *t,
					  const char *pattern)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->pattern[i].name, pattern))
			return &t->pattern[i].curve;
	return NULL;
}

bool slu_patterns_meaning(const struct slu_patterns *t, size_t i,
			  const char **name, struct slu_ion_manner *manner,
			  bool *reads, bool *writes)
{
	const struct pattern *p = &t->pattern[i];

	if (i >= t->n)
		return false;
	*name = p->name;
	*manner = (struct slu_ion_manner){.nodes = p->nodes,
					  .processes = p->processes,
					  .request = p->request,
					  .layout = p->layout,
					  .access = p->access};
	*reads = p->ops & READ;
	*writes = p->ops & WRITE;
	return true;
}

struct part {
	const struct slu_curve *curve;
	double bytes;
};

/* "NAME" or "NAME:SIZE" */
static int take_part(const struct slu_patterns *t, char *word,
		     struct part *part, struct slu_err *err)
{
	char *size = strchr(word, ':');
	uint64_t bytes = 1;

	if (size) {
		*size++ = '\0';
		if (slu_size_parse(size, &bytes, err) < 0)
			return -1;
	}
	part->curve = slu_patterns_find(t, word);
	part->bytes = (double)bytes;
	if (!part->curve)
		return slu_err(err, SLU_NOTFOUND,
			       "no pattern \"%.64s\" in the table", word);
	return 0;
}

/* With n I/O nodes: total bytes / sum (bytes / bandwidth). */
static void mix(const struct slu_patterns *t, const struct part *part, size_t n,
		struct slu_curve *out)
{
	for (uint32_t k = 0; k < t->n_ions; k++) {
		double bytes = 0, time = 0;

		for (size_t i = 0; i < n; i++) {
			bytes += part[i].bytes;
			time += part[i].bytes /
				slu_curve_at(part[i].curve, t->ions[k]);
		}
		slu_curve_add(out, t->ions[k], bytes / time);
	}
}

int slu_patterns_curve(const struct slu_patterns *t, const char *profile,
		       struct slu_curve *out, struct slu_err *err)
{
	struct slu_curve curve = {0};
	struct part part[MAX_PARTS];
	char *copy = strdup(profile), *rest = copy, *word;
	size_t n = 0;
	int rc = copy ? 0 : nomem(err);

	while (rc == 0 && (word = strsep(&rest, ",")))
		if (n == MAX_PARTS)
			rc = slu_err(err, SLU_INVALID, "more than %d patterns",
				     MAX_PARTS);
		else
			rc = take_part(t, word, &part[n++], err);
	free(copy);
	if (rc < 0)
		return -1;
	mix(t, part, n, &curve);
	*out = curve;
	return 0;
}

/* The distance of two values in doublings; 0 if one of them is open. */
static double apart(double a, double b)
{
	return a > 0 && b > 0 ? fabs(log2(a / b)) : 0;
}

static int wrong(int a, int b)
{
	return a && b && a != b;
}

static const struct pattern *nearest(const struct slu_patterns *t, int op,
				     const struct slu_ion_manner *m)
{
	const struct pattern *best = NULL;
	int least_wrong = 0;
	double least = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct pattern *p = &t->pattern[i];
		int w = wrong((int)p->layout, (int)m->layout) +
			wrong((int)p->access, (int)m->access);
		double d = apart(p->nodes, m->nodes) +
			   apart(p->processes, m->processes) +
			   apart(p->request, m->request);

		if (!(p->ops & op) ||
		    (best &&
		     (w > least_wrong || (w == least_wrong && d >= least))))
			continue;
		best = p;
		least_wrong = w;
		least = d;
	}
	return best;
}

char *slu_patterns_nearest(const struct slu_patterns *t,
			   const struct slu_ion_manner *m, struct slu_err *err)
{
	const struct pattern *r = NULL, *w = NULL;
	bool reads = m->read_bytes >= 1, writes = m->written_bytes >= 1;
	double read_bytes = fmin(m->read_bytes, 0x1p62);
	double written_bytes = fmin(m->written_bytes, 0x1p62);

	if (t->n_columns > 0 && reads)
		r = nearest(t, READ, m);
	if (t->n_columns > 0 && writes)
		w = nearest(t, WRITE, m);
	if ((reads && !r) || (writes && !w) || (!reads && !writes)) {
		slu_err(err, SLU_NOTFOUND, "no pattern of the table");
		return NULL;
	}
	if (r && w)
		return slu_asprintf("%s:%.0f,%s:%.0f", r->name, read_bytes,
				    w->name, written_bytes);
	return slu_asprintf("%s:%.0f", r ? r->name : w->name,
			    r ? read_bytes : written_bytes);
}

char *slu_ion_manner_text(const struct slu_ion_manner *m)
{
	static const char *const files[] = {"", "shared files",
					    "file per process"};
	struct slu_buf buf = {0};
	char size[SLU_SIZE_TEXT];

	slu_buf_puts(&buf, "");
	if (m->request >= 1)
		slu_buf_printf(&buf, "%s requests",
			       slu_size_text((uint64_t)fmin(m->request, 0x1p62),
					     size));
	if (m->access)
		slu_buf_printf(&buf, "%s%s", buf.len ? ", " : "",
			       accesses[m->access]);
	if (m->layout)
		slu_buf_printf(&buf, "%s%s", buf.len ? ", " : "",
			       files[m->layout]);
	return slu_buf_steal(&buf);
}
