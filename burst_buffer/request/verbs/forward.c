/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the keys of the verbs `forward` (which I/O nodes forward a job's I/O),
 * `limit` (may the job's time limit be tightened?) and `bandwidth` (may the job
 * be held until the parallel file system has bandwidth for it?). None of them
 * needs a job file system.
 */
#include "config.h"
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"

#define PATTERN_MAX 512

static int set_max(struct slu_request *req, const char *value,
		   struct slu_err *err)
{
	if (strcmp(value, "none") == 0) {
		req->forward_max = 0;
		return 0;
	}
	if (!slu_set_number(value, &req->forward_max) || req->forward_max == 0)
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is neither a number from 1 to 999999 "
			       "nor none",
			       value);
	return 0;
}

/* Checks only the characters: which names exist depends on the site's
 * performance table. */
static int set_pattern(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	if (!*value || strlen(value) > PATTERN_MAX ||
	    value[strspn(value, SLU_WORD_CHARS "-.,:")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no NAME[:SIZE][,...] of access "
			       "patterns",
			       value);
	return slu_set_word(&req->forward_pattern, value, err);
}

int slu_begin_forward(struct slu_request *req, int line, struct slu_err *err)
{
	if (req->has_forward)
		return slu_err(err, SLU_INVALID, "only one forward is allowed");
	req->has_forward = true;
	req->forward_line = line;
	req->forward_max = UINT32_MAX;
	return 0;
}

int slu_begin_limit(struct slu_request *req, int line, struct slu_err *err)
{
	(void)line;
	if (req->has_limit)
		return slu_err(err, SLU_INVALID, "only one limit is allowed");
	req->has_limit = true;
	return 0;
}

static int set_tighten(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	static const char *const words[] = {"no", "yes", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	req->keep_limit = i == 0;
	return 0;
}

int slu_begin_bandwidth(struct slu_request *req, int line, struct slu_err *err)
{
	if (req->has_bandwidth)
		return slu_err(err, SLU_INVALID,
			       "only one bandwidth is allowed");
	req->has_bandwidth = true;
	req->bandwidth_line = line;
	return 0;
}

static int set_wait(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	static const char *const words[] = {"no", "yes", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	req->no_io_wait = i == 0;
	return 0;
}

const struct slu_request_key slu_bandwidth_keys[] = {
	{"wait", true, set_wait},
	{NULL, false, NULL},
};
const struct slu_request_key slu_forward_keys[] = {
	{"pattern", false, set_pattern},
	{"max", false, set_max},
	{NULL, false, NULL},
};
const struct slu_request_key slu_limit_keys[] = {
	{"tighten", true, set_tighten},
	{NULL, false, NULL},
};
