/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library for applications: the question "osts" in a C function. What of
 * ours is in it is hidden, and it leaves nothing behind in the process that
 * called it.
 */
#include "config.h"
#include "select_io/client/place.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/conf_host.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "common/str.h"

#define STRIPES_MAX 2000

static int say(char error[SLUICE_PLACE_ERROR], const struct slu_err *err)
{
	snprintf(error, SLUICE_PLACE_ERROR, "%.*s", SLUICE_PLACE_ERROR - 1,
		 err->text);
	return -1;
}

static int post(const char *body, struct slu_buf *out, struct slu_err *err)
{
	struct slu_http *http = slu_http_of_host(SLUICE_PLACE_SECONDS, err);
	int ret = -1;

	if (http) {
		slu_http_patience(http, SLUICE_PLACE_SECONDS);
		ret = slu_http_post(http, "/v1/query", body, strlen(body), 0,
				    out, err);
	}
	slu_http_free(http);
	return ret;
}

static struct json_object *question(const struct sluice_place *ask, bool dry)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "question", "osts");
	slu_json_set_u64(obj, "stripes", ask->stripes);
	slu_json_set_u64(obj, "size", ask->size);
	slu_json_set_str(obj, "name", ask->application);
	slu_json_set_str(obj, "fsname", ask->fsname);
	if (dry)
		slu_json_set_bool(obj, "dry", true);
	return obj;
}

/* The first file's targets. */
static int take(const struct slu_buf *text, const struct sluice_place *ask,
		uint32_t *target, struct slu_err *err)
{
	struct json_object *answer = slu_json_parse(text->data, text->len, err);
	struct json_object *files = NULL, *file = NULL;
	size_t n = 0;

	if (!answer)
		return -1;
	json_object_object_get_ex(answer, "files", &files);
	if (json_object_is_type(files, json_type_array))
		file = json_object_array_get_idx(files, 0);
	if (json_object_is_type(file, json_type_array))
		n = json_object_array_length(file);
	n = n > ask->stripes ? ask->stripes : n;
	for (size_t i = 0; i < n; i++)
		target[i] = (uint32_t)json_object_get_int64(
			json_object_array_get_idx(file, i));
	json_object_put(answer);
	return n > 0 ? (int)n
		     : slu_err(err, SLU_NOTFOUND,
			       "no storage target can be used; see sysquery "
			       "osts");
}

static int place(const struct sluice_place *ask, bool dry, uint32_t *target,
		 char error[SLUICE_PLACE_ERROR])
{
	struct json_object *obj;
	struct slu_buf text = {0};
	struct slu_err err;
	int n = -1;

	if (ask->stripes == 0 || ask->stripes > STRIPES_MAX) {
		slu_err(&err, SLU_INVALID, "%u stripes: 1 to %d are possible",
			ask->stripes, STRIPES_MAX);
		return say(error, &err);
	}
	obj = question(ask, dry);
	if (!post(slu_json_text(obj), &text, &err))
		n = take(&text, ask, target, &err);
	json_object_put(obj);
	slu_buf_free(&text);
	return n < 0 ? say(error, &err) : n;
}

int sluice_place(const struct sluice_place *ask, uint32_t *target,
		 char error[SLUICE_PLACE_ERROR])
{
	return place(ask, false, target, error);
}

int sluice_place_look(const struct sluice_place *ask, uint32_t *target,
		      char error[SLUICE_PLACE_ERROR])
{
	return place(ask, true, target, error);
}

int sluice_place_create(const char *path, const struct sluice_place *ask,
			char error[SLUICE_PLACE_ERROR])
{
	uint32_t target[STRIPES_MAX];
	char count[16];
	struct slu_buf list = {0};
	char *argv[] = {"lfs", "setstripe", "-c", count,
			"-o",  NULL,	    NULL, NULL};
	struct slu_err err;
	int n, rc = 0;

	if (*path == '-') { /* before anything is promised */
		slu_err(&err, SLU_INVALID, "%.100s is no path", path);
		return say(error, &err);
	}
	n = sluice_place(ask, target, error);
	if (n < 0)
		return -1;
	snprintf(count, sizeof(count), "%d", n);
	for (int i = 0; i < n; i++)
		slu_buf_printf(&list, "%s%" PRIu32, i ? "," : "", target[i]);
	argv[5] = list.data;
	argv[6] = (char *)(uintptr_t)path;
	if (list.failed)
		rc = slu_err(&err, SLU_NOMEM, "out of memory");
	else
		rc = slu_run(argv, SLUICE_PLACE_SECONDS, NULL, &err);
	slu_buf_free(&list);
	return rc ? say(error, &err) : 0;
}
