/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the state file, computes means and deviations over repeated
 * runs, and formats the table.
 */
#include "select_io/ionbench/results.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "common/size.h"

#define MAX_STATE (64 << 20)
#define VERSION	  1

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int keep(struct slu_bench_results *r, const struct slu_bench_run *run,
		struct slu_err *err)
{
	struct slu_bench_run *grown =
		realloc(r->run, (r->n + 1) * sizeof(*grown));

	if (!grown)
		return nomem(err);
	r->run = grown;
	grown[r->n++] = *run;
	r->seconds += run->seconds;
	r->moved += run->moved;
	return 0;
}

static struct json_object *setup_json(const struct slu_bench_setup *s)
{
	struct json_object *o = json_object_new_object();

	slu_json_set_u64(o, "ionbench", VERSION);
	slu_json_set_u64(o, "nodes", s->nodes);
	slu_json_set_u64(o, "tasks", s->tasks);
	slu_json_set_u64(o, "bytes", s->bytes);
	slu_json_set_i64(o, "seconds", s->seconds);
	return o;
}

static struct json_object *run_json(const struct slu_bench_run *run)
{
	struct json_object *o = json_object_new_object();

	slu_json_set_str(o, "pattern", run->key);
	slu_json_set_u64(o, "ions", run->ions);
	slu_json_set_double(o, "bandwidth", run->bandwidth);
	slu_json_set_double(o, "seconds", run->seconds);
	slu_json_set_u64(o, "moved", run->moved);
	return o;
}

/* Writes the object as one line, and frees it. */
static int write_line(int fd, struct json_object *o, struct slu_err *err)
{
	char *line = slu_asprintf("%s\n", slu_json_text(o));
	int rc =
		!line ? nomem(err)
		: slu_write_all(fd, line, strlen(line)) < 0 || fdatasync(fd) < 0
			? slu_errno(err, SLU_IO, "the state file")
			: 0;

	json_object_put(o);
	free(line);
	return rc;
}

static int check_setup(struct json_object *o, const struct slu_bench_setup *s,
		       struct slu_err *err)
{
	if (slu_json_u64_at(o, "ionbench") != VERSION)
		return slu_err(err, SLU_INVALID,
			       "is no state file of sluice-ionbench");
	if (slu_json_u64_at(o, "nodes") != s->nodes ||
	    slu_json_u64_at(o, "tasks") != s->tasks ||
	    slu_json_u64_at(o, "bytes") != s->bytes ||
	    (int64_t)slu_json_u64_at(o, "seconds") != s->seconds)
		return slu_err(
			err, SLU_INVALID,
			"was begun with %llu nodes, %llu tasks, --bytes "
			"%llu and --seconds %llu: go on with these, or "
			"take another --state",
			(unsigned long long)slu_json_u64_at(o, "nodes"),
			(unsigned long long)slu_json_u64_at(o, "tasks"),
			(unsigned long long)slu_json_u64_at(o, "bytes"),
			(unsigned long long)slu_json_u64_at(o, "seconds"));
	return 0;
}

/* Outside of a job the numbers of nodes and tasks are not known. */
static int take_setup(struct slu_bench_setup *s, struct json_object *o,
		      struct slu_err *err)
{
	if (!s->nodes) {
		s->nodes = (uint32_t)slu_json_u64_at(o, "nodes");
		s->tasks = (uint32_t)slu_json_u64_at(o, "tasks");
	}
	return check_setup(o, s, err);
}

static int take_run(struct slu_bench_results *r, struct json_object *o,
		    struct slu_err *err)
{
	const char *key = slu_json_str_at(o, "pattern");
	struct slu_bench_run run = {
		.ions = (uint32_t)slu_json_u64_at(o, "ions"),
		.bandwidth = slu_json_number_at(o, "bandwidth"),
		.seconds = slu_json_number_at(o, "seconds"),
		.moved = slu_json_u64_at(o, "moved"),
	};

	if (!key || !slu_copy(run.key, sizeof(run.key), key))
		return slu_err(err, SLU_INVALID, "no pattern");
	return keep(r, &run, err);
}

/* *whole: the length of the complete lines. */
static int take_lines(struct slu_bench_results *r, char *text, size_t *whole,
		      struct slu_err *err)
{
	char *line = text, *end;
	int rc = 0;

	for (int i = 1; rc == 0 && (end = strchr(line, '\n')); i++) {
		struct json_object *o =
			slu_json_parse(line, (size_t)(end - line), err);

		rc = !o	      ? -1
		     : i == 1 ? take_setup(&r->setup, o, err)
			      : take_run(r, o, err);
		json_object_put(o);
		if (rc < 0)
			slu_err_prefix(err, "line %d", i);
		line = end + 1;
	}
	*whole = (size_t)(line - text);
	return rc;
}

int slu_bench_open(struct slu_bench_results *r, const char *path,
		   const struct slu_bench_setup *setup, bool look,
		   struct slu_err *err)
{
	struct slu_buf text = {0};
	size_t whole = 0;
	int rc;

	*r = (struct slu_bench_results){.setup = *setup, .fd = -1};
	if (!look)
		r->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
			     0644);
	if (!look && r->fd < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	rc = slu_file_read(AT_FDCWD, path, MAX_STATE, &text, err);
	if (rc < 0 && look && err->kind == SLU_NOTFOUND)
		return 0;
	if (rc == 0 && text.len)
		rc = take_lines(r, text.data, &whole, err);
	if (rc < 0)
		slu_err_prefix(err, "%s", path);
	else if (!look && ftruncate(r->fd, (off_t)whole) < 0)
		rc = slu_errno(err, SLU_IO, "%s", path);
	else if (!look && whole == 0)
		rc = write_line(r->fd, setup_json(setup), err);
	slu_buf_free(&text);
	if (rc < 0)
		slu_bench_close(r);
	return rc;
}

void slu_bench_close(struct slu_bench_results *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->run);
	*r = (struct slu_bench_results){.fd = -1};
}

int slu_bench_add_run(struct slu_bench_results *r,
		      const struct slu_bench_run *run, struct slu_err *err)
{
	if (write_line(r->fd, run_json(run), err) < 0)
		return -1;
	return keep(r, run, err);
}

struct slu_bench_deviation
slu_bench_deviation(const struct slu_bench_results *r, const char *key,
		    uint32_t ions)
{
	struct slu_bench_deviation s = {0};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct slu_bench_run *run = &r->run[i];

		if (run->ions != ions || strcmp(run->key, key) != 0 ||
		    !(run->bandwidth > 0))
			continue;
		s.least =
			s.runs ? fmin(s.least, run->bandwidth) : run->bandwidth;
		s.most = fmax(s.most, run->bandwidth);
		sum += run->bandwidth;
		s.runs++;
	}
	s.mean = s.runs ? sum / s.runs : 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->run[i].ions == ions && !strcmp(r->run[i].key, key) &&
		    r->run[i].bandwidth > 0)
			squares += (r->run[i].bandwidth - s.mean) *
				   (r->run[i].bandwidth - s.mean);
	s.deviation = s.runs > 1 ? sqrt(squares / (s.runs - 1)) : 0;
	return s;
}

static bool is_known(const struct slu_bench_results *r, const char *key,
		     const uint32_t *ions, size_t n_ions)
{
	for (size_t k = 0; k < n_ions; k++)
		if (ions[k] > 0 && slu_bench_deviation(r, key, ions[k]).runs)
			return true;
	return false;
}

static void add_row(const struct slu_bench_results *r,
		    const struct slu_bench_pattern *p, const uint32_t *ions,
		    size_t n_ions, struct slu_buf *rows,
		    struct slu_buf *remarks)
{
	char key[SLU_BENCH_KEY];

	slu_bench_key(p, key);
	slu_buf_printf(rows, "%s,%s,%u,%u,%llu,%s,%s", p->name,
		       p->reads ? "read" : "write", r->setup.nodes,
		       r->setup.tasks, (unsigned long long)p->request,
		       p->shared ? "shared" : "file-per-process",
		       p->strided ? "strided" : "contiguous");
	for (size_t k = 0; k < n_ions; k++) {
		struct slu_bench_deviation s =
			slu_bench_deviation(r, key, ions[k]);

		slu_buf_puts(rows, ",");
		if (!s.runs)
			continue;
		slu_buf_printf(rows, "%.6g", s.mean);
		slu_buf_printf(remarks,
			       "# %s with %u: %u runs, %.6g to %.6g, standard "
			       "deviation %.3g MB/s\n",
			       p->name, ions[k], s.runs, s.least, s.most,
			       s.deviation);
	}
	slu_buf_puts(rows, "\n");
}

char *slu_bench_table(const struct slu_bench_results *r,
		      const struct slu_bench_patterns *patterns,
		      const uint32_t *ions, size_t n_ions, const char *about,
		      struct slu_err *err)
{
	struct slu_buf rows = {0}, text = {0};
	struct slu_patterns *check;
	char key[SLU_BENCH_KEY];
	bool any = false;

	slu_buf_printf(&text, "# %s\n", about);
	slu_buf_puts(&rows, "pattern,op,nodes,processes,request,layout,access");
	for (size_t k = 0; k < n_ions; k++)
		slu_buf_printf(&rows, ",%u", ions[k]);
	slu_buf_puts(&rows, "\n");
	for (size_t i = 0; i < patterns->n; i++) {
		const struct slu_bench_pattern *p = &patterns->pattern[i];

		if (!is_known(r, slu_bench_key(p, key), ions, n_ions))
			continue;
		any = true;
		add_row(r, p, ions, n_ions, &rows, &text);
	}
	slu_buf_puts(&text, rows.data ? rows.data : "");
	text.failed |= rows.failed;
	slu_buf_free(&rows);
	if (!any)
		slu_err(err, SLU_NOTFOUND,
			"nothing was measured with an I/O "
			"node so far");
	else if (text.failed)
		nomem(err);
	/* with the parser of sluice.conf */
	check = any && !text.failed
			? slu_patterns_parse(text.data, "table", err)
			: NULL;
	slu_patterns_free(check);
	if (check)
		return slu_buf_steal(&text);
	slu_buf_free(&text);
	return NULL;
}
