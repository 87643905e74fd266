/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the layouts of directories on Lustre that a job asks for: each is made
 * if it is missing, and gets its default layout by `lfs setstripe`, on the
 * first node of the job, in a child that runs as the job's user and may hang.
 * Repeating it does no harm. A permanent error is reported as the request's
 * fault, as another node would fail as well.
 */
#include "config.h"
#include "burst_buffer/node/setup/stripe_directories.h"
#include "burst_buffer/node/node.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/node/talk.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/str.h"

#define SECONDS 30.0
#define WORDS	96 /* words of a layout: eight components of ten */

struct striping {
	const struct slu_node *n;
	const struct slu_stripe *s;
	const char *path;
};

/* Is it on the root file system? Then a mount is perhaps missing, which is this
 * node's fault and not the request's. */
static bool may_be_unmounted(const char *path)
{
	char above[PATH_MAX], *slash;
	struct stat root, st;

	if (stat("/", &root) || !slu_copy(above, sizeof(above), path))
		return true;
	while (stat(above, &st)) {
		slash = strrchr(above, '/');
		if (!slash || slash == above)
			return true;
		*slash = '\0';
	}
	return st.st_dev == root.st_dev;
}

/* SLU_INVALID: the user has to name another directory. */
static int make(const char *path, struct slu_err *err)
{
	if (!slu_mkdirs(path, 0755, err))
		return 0;
	if ((err->kind == SLU_DENIED || err->kind == SLU_NOTFOUND) &&
	    !may_be_unmounted(path))
		err->kind = SLU_INVALID;
	return -1;
}

/* Exit codes of lfs are errno values: an error in the directory or the layout
 * is permanent, one in Lustre may not be. */
static bool is_lasting(int code)
{
	static const int lasting[] = {EPERM,   EACCES, EINVAL, ENOTTY,
				      ENOTDIR, ENOENT, ERANGE, E2BIG,
				      EROFS,   ENOSYS, ENOTSUP};

	for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++)
		if (code == lasting[i])
			return true;
	return false;
}

static int set(char **argv, struct slu_buf *said, struct slu_err *err)
{
	int code;

	if (!slu_run_code(argv, SECONDS, said, &code, err))
		return 0;
	if (is_lasting(code))
		err->kind = SLU_INVALID;
	return -1;
}

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
	     make(g->path, err) || set(argv, &said, err);
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
		n->mistake = err->kind == SLU_INVALID;
		/* SLU_DENIED is reserved for sluiced's "abort" */
		err->kind = SLU_IO;
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
	return slu_talk_arrive(n, "striped", err);
}
