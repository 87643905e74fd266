/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds, for each phase of a buffer, the node that finished last, and how many
 * seconds after the median node; from stored rows only. Declared in
 * buffer_report.h.
 */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"

/* The nodes of each phase, in the order in which they ended their last step. */
static const char ends[] =
	"SELECT Phase, Node, MAX(Ended) AS Last FROM BufferPhase"
	" WHERE BID = ? AND Ok = 1 AND Step <> 'ready'"
	" AND Phase IN ('setup', 'stage_in', 'stage_out')"
	" GROUP BY Phase, Node ORDER BY Phase, Last, Node";

/* The rows of one phase. */
struct phase {
	char name[16], node[256]; /* the last one so far */
	double last;
	double *end;
	size_t n;
};

static void add_phase(struct json_object *all, const struct phase *p)
{
	struct json_object *one;

	if (p->n < 2)
		return;
	one = json_object_new_object();
	slu_json_set_str(one, "node", p->node);
	slu_json_set_double(one, "behind", p->last - p->end[(p->n - 1) / 2]);
	json_object_object_add(all, p->name, one);
}

static int add(struct phase *p, struct slu_rows *rows, struct slu_err *err)
{
	double *more = realloc(p->end, (p->n + 1) * sizeof(*more));

	if (!more)
		return slu_err(err, SLU_NOMEM, "out of memory");
	p->end = more;
	p->last = more[p->n++] = slu_db_double(rows, 2);
	slu_copy(p->node, sizeof(p->node), slu_db_text(rows, 1));
	return 0;
}

struct json_object *slu_buffers_last_nodes(struct slu_db *db, uint64_t buffer,
					   struct slu_err *err)
{
	struct json_object *all = json_object_new_object();
	struct slu_rows *rows =
		slu_db_query(db, err, ends, "I", (int64_t)buffer);
	struct phase p = {.n = 0};
	int rc = rows ? 0 : -1;

	while (rc == 0 && (rc = slu_db_step(rows, err)) > 0) {
		if (!slu_eq(p.name, slu_db_text(rows, 0))) {
			add_phase(all, &p);
			p.n = 0;
			slu_copy(p.name, sizeof(p.name), slu_db_text(rows, 0));
		}
		rc = add(&p, rows, err);
	}
	add_phase(all, &p);
	slu_db_done(rows);
	free(p.end);
	if (rc == 0)
		return all;
	json_object_put(all);
	return NULL;
}
