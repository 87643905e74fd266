/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of directories: each is made if it is not there, and its default
 * layout set by `lfs setstripe`, by the first node of the job, in a child that
 * is the job's user and may hang. Twice does no harm.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <stdlib.h>
#include <string.h>
#include "burst_buffer/host/aside.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/str.h"

#define SECONDS 30.0
#define WORDS	96 /* of a layout: eight components of ten */

struct striping {
	const struct slu_node *n;
	const struct slu_stripe *s;
	const char *path;
};

static int run(struct slu_aside *aside, void *arg, void *out,
	       struct slu_err *err)
{
	const struct striping *g = arg;
	char *argv[WORDS + 4] = {g->s->program, "setstripe"}, *word;
	char *words = strdup(g->s->layout), *rest = words;
	struct slu_buf said = {.max = 4096};
	int n = 2, rc;

	(void)out;
	if (!words)
		return slu_err(err, SLU_NOMEM, "out of memory");
	while ((word = strsep(&rest, " ")))
		if (*word && n < WORDS + 2)
			argv[n++] = word;
	argv[n] = (char *)g->path;
	rc = slu_aside_become(aside, g->n->plan.uid, g->n->plan.gid, err) ||
	     slu_mkdirs(g->path, 0755, err) ||
	     slu_run(argv, SECONDS, &said, err);
	slu_buf_free(&said);
	free(words);
	return rc ? -1 : 0;
}

static int stripe(struct slu_node *n, const struct slu_stripe *s,
		  struct slu_err *err)
{
	struct striping g = {n, s, *s->target ? s->target : n->data};
	struct slu_aside aside = {.fn = run, .arg = &g, .seconds = SECONDS};

	if (slu_aside(&aside, "the parallel file system", NULL, err)) {
		err->kind = SLU_IO; /* SLU_DENIED is sluiced's word */
		return slu_err_prefix(err, "stripe %s", g.path);
	}
	slu_node_log(n, SLU_INFO, "stripe %s: lfs setstripe %s%s%s", g.path,
		     s->layout, s->why && *s->why ? ": " : "",
		     s->why ? s->why : "");
	return 0;
}

int slu_node_stripe(struct slu_node *n, struct slu_err *err)
{
	if (n->plan.n_stripe == 0)
		return 0;
	for (size_t i = 0; n->first && i < n->plan.n_stripe; i++)
		if (stripe(n, &n->plan.stripe[i], err))
			return -1;
	return slu_talk_meet(n, "striped", err);
}
