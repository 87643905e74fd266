/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a request against the rules of this site in sluice.conf: its users,
 * what each file system can do, the allowed capacities and paths. Runs at
 * submission, and again when the plan is made, as the configuration may have
 * changed while the job waited.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/mistakes.h"
#include "burst_buffer/request/site/coherence.h"
#include "burst_buffer/request/site/fs_check.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/persistent_check.h"
#include "burst_buffer/request/site/pool.h"
#include "burst_buffer/request/verbs/grammar.h"
#include "common/size.h"
#include "common/str.h"

static bool listed(char *const *list, const char *user)
{
	for (; list && *list; list++)
		if (strcmp(*list, user) == 0)
			return true;
	return false;
}

static int check_user(const struct slu_conf *conf, const char *user,
		      struct slu_err *err)
{
	if (!user || (!listed(conf->deny_users, user) &&
		      (!conf->allow_users || listed(conf->allow_users, user))))
		return 0;
	return slu_err(err, SLU_DENIED,
		       "user %.64s may not ask for a file system here", user);
}

/* What a file system of this type can do. */
static int check_type(const struct slu_request *req,
		      const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = slu_fstype_find(fs->driver);

	if (!type)
		return slu_err(err, SLU_INVALID,
			       "jobfs: %s has a driver %.64s that is not known "
			       "(tell the administrator)",
			       fs->name, fs->driver);
	if (req->dw && type->shared != (req->dw == SLU_DW_STRIPED))
		return slu_err(err, SLU_INVALID,
			       "jobdw: access_mode=%s: %s is %s",
			       type->shared ? "private" : "striped", fs->name,
			       type->shared ? "shared by the nodes of a job"
					    : "private to each node");
	if (req->dw_both && type->library)
		return slu_err(err, SLU_INVALID,
			       "jobdw: access_mode=striped,private: %s is "
			       "reached by a library and has no part for each "
			       "node",
			       fs->name);
	if (req->nodes && req->nodes != SLU_ALL_NODES && !type->shared)
		return slu_err(
			err, SLU_INVALID,
			"jobfs: nodes=%u: %s is private to each node, so "
			"that every node needs its own",
			(unsigned)req->nodes, fs->name);
	if (req->nodes && req->nodes != SLU_ALL_NODES && type->remote)
		return slu_err(err, SLU_INVALID,
			       "jobfs: nodes=%u: no node gives storage to %s",
			       (unsigned)req->nodes, fs->name);
	if (req->nodes && req->nodes != SLU_ALL_NODES && type->all_nodes)
		return slu_err(
			err, SLU_INVALID,
			"jobfs: nodes=%u: every node gives storage to %s",
			(unsigned)req->nodes, fs->name);
	if (req->tolerate != UINT32_MAX && req->tolerate && type->shared)
		return slu_err(
			err, SLU_INVALID,
			"jobfs: tolerate=%u: with a node of %s a part of "
			"every directory is lost",
			(unsigned)req->tolerate, fs->name);
	return 0;
}

/* A file system per switch needs storage on every node of it. */
static int check_split(const struct slu_request *req,
		       const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = slu_fstype_find(fs->driver);

	if (req->split != SLU_SPLIT_SWITCH)
		return 0;
	if (!type->shared)
		return slu_err(err, SLU_INVALID,
			       "jobfs: split=switch: %s is private to each "
			       "node already",
			       fs->name);
	if (type->remote)
		return slu_err(err, SLU_INVALID,
			       "jobfs: split=switch: %s does not lie on the "
			       "job's nodes",
			       fs->name);
	if (req->nodes && req->nodes != SLU_ALL_NODES)
		return slu_err(err, SLU_INVALID,
			       "jobfs: split=switch: every node gives storage, "
			       "nodes=%u cannot be",
			       (unsigned)req->nodes);
	return 0;
}

static int check_bind(const struct slu_request *req,
		      const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = slu_fstype_find(fs->driver);

	if (req->bind == SLU_BIND_UNSAID || req->bind == SLU_BIND_NONE ||
	    type->binds)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "jobfs: bind=%s: %s starts no server of its own on the "
		       "job's nodes",
		       slu_bind_names[req->bind], fs->name);
}

static int check_capacity(const struct slu_request *req,
			  const struct slu_conf *conf, struct slu_err *err)
{
	char asked[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT];

	if (!conf->max_capacity || req->capacity <= conf->max_capacity)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "jobfs: capacity %s is more than the %s that a job may "
		       "have (MaxCapacity)",
		       slu_size_text(req->capacity, asked),
		       slu_size_text(conf->max_capacity, most));
}

/* The path outside: absolute, and no $. */
static int check_outside(const char *what, const char *path,
			 struct slu_err *err)
{
	if (*path == '/' && !strchr(path, '$'))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "%s %.200s: must be an absolute path%s", what, path,
		       *path == '/' ? " without $"
				    : ": write all of it, from the / on");
}

/* The path in the job's file system: $BB_<name>[/...]. The shell from which
 * sbatch was called may have expanded it already. */
static int check_inside(const char *what, const char *path, const char *name,
			bool shell, struct slu_err *err)
{
	size_t n = strlen(name);

	if (strncmp(path, "$BB_", 4) != 0 || strncmp(path + 4, name, n) != 0 ||
	    (path[4 + n] && path[4 + n] != '/'))
		return slu_err(err, SLU_INVALID,
			       "%s %.200s: must be $BB_%s[/...]%s", what, path,
			       name,
			       shell ? "; if it was, the shell has replaced "
				       "it: put --bb in single quotes"
				     : "");
	if (strchr(path + 1, '$'))
		return slu_err(err, SLU_INVALID,
			       "%s %.200s: no variable but the $BB_%s at its "
			       "beginning is expanded",
			       what, path, name);
	return 0;
}

/* Finds unknown symbols and ".." by a trial expansion with sample values. */
static int check_symbols(const char *path, const char *name,
			 struct slu_err *err)
{
	struct slu_symbols sym = {
		.user = "u", .job_name = "x", .fs_name = name, .mount = "/m"};
	char *text = slu_request_expand(path, &sym, err);

	free(text);
	return text ? 0 : -1;
}

static bool ends_in_slash(const char *path)
{
	size_t n = strlen(path);

	return n && path[n - 1] == '/';
}

static int check_stage(const struct slu_request_stage *s, const char *name,
		       struct slu_err *err)
{
	const char *outside = s->out ? s->destination : s->source;
	const char *inside = s->out ? s->source : s->destination;

	if (*inside == '/' && !strncmp(outside, "$BB_", 4))
		return slu_err(err, SLU_INVALID,
			       "%s: source and destination are swapped: it "
			       "copies %s $BB_%s",
			       s->out ? "stage_out" : "stage_in",
			       s->out ? "out of" : "into", name);
	if (check_outside(s->out ? "destination" : "source", outside, err) ||
	    check_inside(s->out ? "source" : "destination", inside, name,
			 !s->line, err) ||
	    check_symbols(outside, name, err) ||
	    check_symbols(inside, name, err))
		return slu_err_prefix(err, s->out ? "stage_out" : "stage_in");
	if (s->type == SLU_STAGE_LIST && ends_in_slash(s->source))
		return slu_err(err, SLU_INVALID,
			       "%s: source %.200s: a list is a file, not a "
			       "directory",
			       s->out ? "stage_out" : "stage_in", s->source);
	return 0;
}

static int check_stripe(const struct slu_request_stripe *s, struct slu_err *err)
{
	if (check_outside("target", s->target, err) ||
	    check_symbols(s->target, "JOBFS", err))
		return slu_err_prefix(err, "stripe");
	return 0;
}

/* Does the path stand for another one in each task of an array? */
static bool has_index(const char *path)
{
	for (; (path = strchr(path, '%')); path += 2)
		if (path[1] == 'a')
			return true;
		else if (!path[1])
			return false;
	return false;
}

int slu_request_check_alone(const struct slu_request *req, struct slu_err *err)
{
	const struct slu_request_stage *s;
	int line = -1;

	for (size_t i = 0; line < 0 && i < req->n_stage; i++) {
		s = &req->stage[i];
		if (has_index(s->source) || has_index(s->destination))
			line = s->line;
	}
	for (size_t i = 0; line < 0 && i < req->n_stripe; i++)
		if (has_index(req->stripe[i].target))
			line = req->stripe[i].line;
	if (line < 0)
		return 0;
	slu_err(err, SLU_INVALID,
		"%%a stands for the number of an array task, and this job is "
		"none");
	return slu_request_at(line, err);
}

/* Only the form: which names exist depends on the site's performance table. */
static int check_pattern(const char *list, struct slu_err *err)
{
	const char *at = list;
	uint64_t bytes;
	char size[32];

	while (at && (at = strchr(at, ':'))) {
		at++;
		snprintf(size, sizeof(size), "%.*s", (int)strcspn(at, ","), at);
		if (slu_size_parse(size, &bytes, err))
			return slu_err_prefix(err, "forward: pattern");
	}
	return 0;
}

static int check_forward(const struct slu_request *req,
			 const struct slu_conf *conf, struct slu_err *err)
{
	if (req->has_forward && !req->forward_max && conf->io_nodes.n &&
	    !conf->direct_access)
		return slu_err(err, SLU_INVALID,
			       "forward: every job here needs an I/O node "
			       "(DirectAccess=no): leave max=none out");
	return check_pattern(req->forward_pattern, err);
}

static int check_coherence(const struct slu_request *req,
			   const struct slu_conf *conf, struct slu_err *err)
{
	return slu_check_coherence(req, conf, NULL, err)
		       ? slu_err_prefix(err, "jobfs")
		       : 0;
}

static int check_jobfs(const struct slu_request *req,
		       const struct slu_conf *conf, const char *user,
		       struct slu_err *err)
{
	if (check_user(conf, user, err))
		return -1;
	if (req->persistent)
		return 0;
	if (slu_check_fs(req, conf, err))
		return slu_err_prefix(err, "jobfs");
	return slu_pool_check_name(req, conf, err) ||
			       check_type(req, conf, err) ||
			       check_split(req, conf, err) ||
			       check_bind(req, conf, err) ||
			       check_coherence(req, conf, err) ||
			       check_capacity(req, conf, err)
		       ? -1
		       : 0;
}

/* All of it, as one mistake does not hide the next. */
static int check_paths(const struct slu_request *req, struct slu_err *err)
{
	struct slu_mistakes m = {.err = err};
	struct slu_err one;

	for (size_t i = 0; i < req->n_stage; i++)
		if (check_stage(&req->stage[i], req->name, &one)) {
			slu_request_at(req->stage[i].line, &one);
			slu_mistake(&m, &one);
		}
	for (size_t i = 0; i < req->n_stripe; i++)
		if (check_stripe(&req->stripe[i], &one)) {
			slu_request_at(req->stripe[i].line, &one);
			slu_mistake(&m, &one);
		}
	return slu_mistakes_end(&m);
}

int slu_request_check(const struct slu_request *req,
		      const struct slu_conf *conf, const char *user,
		      struct slu_err *err)
{
	if (req->n_stage && !req->has_fs) {
		slu_err(err, SLU_INVALID,
			"%s: staging needs a jobfs or a persistent buffer to "
			"stage into or from: add jobfs capacity=SIZE",
			req->stage[0].out ? "stage_out" : "stage_in");
		return slu_request_at(req->stage[0].line, err);
	}
	if (check_forward(req, conf, err))
		return slu_request_at(req->forward_line, err);
	if (req->no_io_wait && conf->io_start == SLU_IOSTART_ON &&
	    !conf->io_wait_optional) {
		slu_err(err, SLU_INVALID,
			"bandwidth: at this site every job waits for the "
			"parallel file system (IOWaitOptional=no): leave "
			"wait=no out");
		return slu_request_at(req->bandwidth_line, err);
	}
	if (req->n_stripe && check_user(conf, user, err))
		return slu_request_at(req->stripe[0].line, err);
	if (req->n_persist && check_user(conf, user, err))
		return slu_request_at(req->persist[0].line, err);
	if (slu_check_persist(req, conf, err))
		return -1;
	if (req->has_fs && check_jobfs(req, conf, user, err))
		return slu_request_at(req->line, err);
	return check_paths(req, err);
}
