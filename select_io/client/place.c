/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements libsluice_place (place.h): sends sluiced the query "osts", and
 * reads the targets from its answer. All other symbols are hidden, and after a
 * call nothing remains in the calling process (no thread, descriptor or signal
 * handler).
 */
#include "config.h"
#include "select_io/client/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/conf_host.h"
#include "common/file.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "common/str.h"

#define STRIPES_MAX 2000 /* of a file in Lustre */
#define PAUSE_MOST  1.0	 /* seconds */
#define OSC	    "sys/fs/lustre/osc"

static int say(char error[SLUICE_PLACE_ERROR], const struct slu_err *err)
{
	snprintf(error, SLUICE_PLACE_ERROR, "%.*s", SLUICE_PLACE_ERROR - 1,
		 err->text);
	return -1;
}

/* Many processes of a job query at once, or for more files than sluiced places
 * in a second: an answer all the same, unlike that of a dead daemon. */
static bool is_crowded(const struct slu_err *err)
{
	return err->kind == SLU_TIMEOUT && strstr(err->text, "too many") &&
	       strstr(err->text, "try again");
}

/* Exponential backoff, at least what sluiced asks for ("try again in 0.250 s"),
 * with a different jitter in each process. */
static double pause_after(const struct slu_err *err, unsigned tries)
{
	static const char says[] = "try again in ";
	const char *said = strstr(err->text, says);
	unsigned chance = (unsigned)(uint64_t)(slu_now_mono() * 1e9) ^
			  (unsigned)getpid() * 2654435761u;
	double most = tries < 4 ? 0.05 * (1u << tries) : PAUSE_MOST;

	return (said ? strtod(said + strlen(says), NULL) : 0) +
	       most * (0.5 + (chance % 1024) / 2048.0);
}

void (*sluice_place_waits)(double seconds);

static int post(const char *body, struct slu_buf *out, struct slu_err *err)
{
	struct slu_http *http = slu_http_of_host(SLUICE_PLACE_SECONDS, err);
	double began = slu_now_mono(), pause;
	unsigned tries = 0;
	int ret = -1;

	if (!http)
		return -1;
	slu_http_timeout(http, SLUICE_PLACE_SECONDS);
	for (;;) {
		ret = slu_http_post(http, "/v1/query", body, strlen(body), 0,
				    out, err);
		if (ret == 0 || !is_crowded(err))
			break;
		pause = pause_after(err, tries++);
		if (slu_now_mono() + pause - began > SLUICE_PLACE_TURN)
			break;
		if (sluice_place_waits)
			sluice_place_waits(slu_now_mono() - began);
		usleep((useconds_t)(pause * 1e6));
	}
	slu_http_free(http);
	return ret;
}

/* osc is "fs-OST0002-osc-ffff9a...": a target that is inactive on this client.
 */
static void add_inactive(const struct sluice_place *ask, const char *osc,
			 struct json_object *without)
{
	const char *ost = strstr(osc, "-OST");
	struct slu_buf text = {0};
	char path[300];

	snprintf(path, sizeof(path), "/" OSC "/%.200s/active", osc);
	if (!ost || !strstr(ost, "-osc-") ||
	    (ask->fsname && (strlen(ask->fsname) != (size_t)(ost - osc) ||
			     strncmp(osc, ask->fsname, (size_t)(ost - osc)))))
		return;
	if (!slu_file_read(AT_FDCWD, path, 64, &text, NULL) && text.data &&
	    *text.data == '0')
		json_object_array_add(without, json_object_new_int64(strtol(
						       ost + 4, NULL, 16)));
	slu_buf_free(&text);
}

/* Targets that this client cannot use. Where several file systems are mounted
 * the request has to name one. */
static struct json_object *inactive(const struct sluice_place *ask)
{
	struct json_object *without = json_object_new_array();
	DIR *dir = opendir("/" OSC);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		add_inactive(ask, entry->d_name, without);
	if (dir)
		closedir(dir);
	return without;
}

static struct json_object *question(const struct sluice_place *ask,
				    uint32_t files, bool dry, int64_t bad)
{
	struct json_object *without = inactive(ask);

	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "question", "osts");
	slu_json_set_u64(obj, "stripes", ask->stripes);
	slu_json_set_u64(obj, "files", files);
	slu_json_set_u64(obj, "size", ask->size);
	slu_json_set_str(obj, "name", ask->application);
	slu_json_set_str(obj, "fsname", ask->fsname);
	slu_json_set_bool(obj, "brief", true);
	if (dry)
		slu_json_set_bool(obj, "dry", true);
	if (bad >= 0)
		json_object_array_add(without, json_object_new_int64(bad));
	if (json_object_array_length(without) > 0)
		json_object_object_add(obj, "without", without);
	else
		json_object_put(without);
	return obj;
}

/* The targets of one file; returns their number. */
static uint32_t take_file(struct json_object *file, uint32_t stripes,
			  uint32_t *target)
{
	size_t n = 0;

	if (json_object_is_type(file, json_type_array))
		n = json_object_array_length(file);
	n = n > stripes ? stripes : n;
	for (size_t i = 0; i < n; i++)
		target[i] = (uint32_t)json_object_get_int64(
			json_object_array_get_idx(file, i));
	return (uint32_t)n;
}

static int take(const struct slu_buf *text, uint32_t stripes, uint32_t files,
		uint32_t *target, uint32_t *count, struct slu_err *err)
{
	struct json_object *answer = slu_json_parse(text->data, text->len, err);
	struct json_object *list = NULL;

	if (!answer)
		return -1;
	json_object_object_get_ex(answer, "files", &list);
	if (!json_object_is_type(list, json_type_array))
		list = NULL;
	for (uint32_t i = 0; i < files; i++)
		count[i] = take_file(list ? json_object_array_get_idx(list, i)
					  : NULL,
				     stripes, target + (size_t)i * stripes);
	json_object_put(answer);
	return count[0] ? 0
			: slu_err(err, SLU_NOTFOUND,
				  "no storage target can be used; see sysquery "
				  "osts");
}

static int check(const struct sluice_place *ask, uint32_t files,
		 struct slu_err *err)
{
	if (ask->stripes == 0 || ask->stripes > STRIPES_MAX)
		return slu_err(err, SLU_INVALID,
			       "%u stripes: 1 to %d are possible", ask->stripes,
			       STRIPES_MAX);
	if (files == 0 || (uint64_t)files * ask->stripes > SLUICE_PLACE_FILES)
		return slu_err(err, SLU_INVALID,
			       "%u files of %u stripes: 1 to %d of all are "
			       "possible",
			       files, ask->stripes, SLUICE_PLACE_FILES);
	return 0;
}

static int place_files(const struct sluice_place *ask, uint32_t files, bool dry,
		       int64_t bad, uint32_t *target, uint32_t *count,
		       char error[SLUICE_PLACE_ERROR])
{
	struct json_object *obj;
	struct slu_buf text = {0};
	struct slu_err err;
	int rc = check(ask, files, &err);

	if (rc)
		return say(error, &err);
	rc = -1;
	obj = question(ask, files, dry, bad);
	if (!post(slu_json_text(obj), &text, &err))
		rc = take(&text, ask->stripes, files, target, count, &err);
	json_object_put(obj);
	slu_buf_free(&text);
	return rc ? say(error, &err) : 0;
}

/* bad: a target to leave out, or -1. */
static int place(const struct sluice_place *ask, bool dry, int64_t bad,
		 uint32_t *target, char error[SLUICE_PLACE_ERROR])
{
	uint32_t count;

	return place_files(ask, 1, dry, bad, target, &count, error)
		       ? -1
		       : (int)count;
}

int sluice_place(const struct sluice_place *ask, uint32_t *target,
		 char error[SLUICE_PLACE_ERROR])
{
	return place(ask, false, -1, target, error);
}

int sluice_place_files(const struct sluice_place *ask, uint32_t files,
		       uint32_t *target, uint32_t *count,
		       char error[SLUICE_PLACE_ERROR])
{
	return place_files(ask, files, false, -1, target, count, error);
}

int sluice_place_look(const struct sluice_place *ask, uint32_t *target,
		      char error[SLUICE_PLACE_ERROR])
{
	return place(ask, true, -1, target, error);
}

/* -1: it failed; *code is the exit code of lfs. */
static int set_stripes(const char *path, const uint32_t *target, int n,
		       int *code, struct slu_err *err)
{
	char count[16];
	struct slu_buf list = {0};
	char *argv[] = {"lfs", "setstripe", "-c", count,
			"-o",  NULL,	    NULL, NULL};
	int rc;

	*code = -1;
	snprintf(count, sizeof(count), "%d", n);
	for (int i = 0; i < n; i++)
		slu_buf_printf(&list, "%s%" PRIu32, i ? "," : "", target[i]);
	argv[5] = list.data;
	argv[6] = (char *)(uintptr_t)path;
	if (list.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else
		rc = slu_run_code(argv, SLUICE_PLACE_SECONDS, NULL, code, err);
	slu_buf_free(&list);
	return rc;
}

/* lfs says that one of the targets is unusable, but not which: bisection. Only
 * where the file did not exist, since each try is removed. -1: no single
 * target is to blame. */
static int64_t find_bad(const char *path, const uint32_t *target, int n)
{
	struct slu_err err;
	int code;

	while (n > 1) {
		int half = n / 2;

		if (set_stripes(path, target, half, &code, &err) == 0) {
			unlink(path);
			target += half;
			n -= half;
		} else if (code > 0 && code != EEXIST) {
			n = half;
		} else {
			return -1;
		}
	}
	return *target;
}

/* Is the error about a target: drained (ENOBUFS) or deactivated (EREMOTEIO) on
 * the MDS, deactivated on this client, or full? */
static bool is_of_target(int code)
{
	return code == ENOSPC || code == ENOBUFS || code == EREMOTEIO ||
	       code == ENODEV || code == EINVAL || code == EIO || code == ENXIO;
}

/* Once more without the target that was refused. */
static int again(const char *path, const struct sluice_place *ask,
		 uint32_t *target, int n, const struct slu_err *why,
		 char error[SLUICE_PLACE_ERROR])
{
	int64_t bad = find_bad(path, target, n);
	struct slu_err err = *why;
	int code;

	if (bad < 0)
		return say(error, &err);
	n = place(ask, false, bad, target, error);
	if (n < 0 || set_stripes(path, target, n, &code, &err)) {
		slu_err_prefix(&err, "target %" PRId64 " was refused, and then",
			       bad);
		return say(error, &err);
	}
	snprintf(error, SLUICE_PLACE_ERROR,
		 "target %" PRId64 " was refused (%.150s): made without it",
		 bad, why->text);
	return 0;
}

/* lfs would parse a path that begins with '-' as an option. */
static int check_path(const char *path, char error[SLUICE_PLACE_ERROR])
{
	struct slu_err err;

	if (*path != '-')
		return 0;
	slu_err(&err, SLU_INVALID, "%.100s is no path", path);
	return say(error, &err);
}

int sluice_place_create_on(const char *path, const struct sluice_place *ask,
			   uint32_t *target, uint32_t n,
			   char error[SLUICE_PLACE_ERROR])
{
	const bool was_there = access(path, F_OK) == 0;
	struct slu_err err;
	int code;

	*error = '\0';
	if (check_path(path, error))
		return -1;
	if (!set_stripes(path, target, (int)n, &code, &err))
		return 0;
	if (!is_of_target(code) || was_there)
		return say(error, &err);
	if (!again(path, ask, target, (int)n, &err, error))
		return 0;
	/* lfs leaves a file without objects, which nobody has written to. */
	unlink(path);
	return -1;
}

int sluice_place_create(const char *path, const struct sluice_place *ask,
			char error[SLUICE_PLACE_ERROR])
{
	uint32_t target[STRIPES_MAX];
	int n;

	if (check_path(path, error)) /* before targets are reserved for it */
		return -1;
	n = sluice_place(ask, target, error);
	return n < 0 ? -1
		     : sluice_place_create_on(path, ask, target, (uint32_t)n,
					      error);
}
