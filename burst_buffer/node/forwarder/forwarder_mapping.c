/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the jobs of MappingDir/mapping.json. */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder_mapping.h"

#include <fcntl.h>

#include "common/file.h"
#include "common/jsonx.h"
#include "common/str.h"

#define MAPPING_MAX ((size_t)64 << 20)

static int call(struct json_object *job, slu_fwd_mapping_f *fn, void *arg,
		struct slu_err *err)
{
	uint64_t id;

	return slu_json_u64(job, "job_id", &id, err)
		       ? -1
		       : fn(arg, job, (uint32_t)id, err);
}

int slu_fwd_mapping_each(const char *path, slu_fwd_mapping_f *fn, void *arg,
			 struct slu_err *err)
{
	struct json_object *whole = NULL, *jobs = NULL;
	struct slu_buf text = {0};
	size_t n = 0;
	int rc = slu_file_read(AT_FDCWD, path, MAPPING_MAX, &text, err);

	if (rc == 0) {
		whole = slu_json_parse(text.data ? text.data : "", text.len,
				       err);
		rc = whole ? 0 : slu_err_prefix(err, "%s", path);
	}
	if (rc == 0 && json_object_object_get_ex(whole, "jobs", &jobs) &&
	    json_object_is_type(jobs, json_type_array))
		n = json_object_array_length(jobs);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = call(json_object_array_get_idx(jobs, i), fn, arg, err);
	json_object_put(whole);
	slu_buf_free(&text);
	return rc;
}
