/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks values of #DW keys that mean something else in #BB lines, or nothing:
 * the type (scratch, cache or swap in DataWarp, a file system in DWS), DWS's
 * requires=, DataWarp's access mode. Keys that the site decides here are
 * accepted and ignored.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"
#include "common/str.h"

/* In DataWarp type= says what the buffer is used for, in DWS it names a file
 * system, as in #BB lines. */
int slu_dw_fs(char **fs, const char *value, struct slu_err *err)
{
	struct slu_request one = {.fs = *fs};
	int rc;

	if (strcmp(value, "scratch") == 0)
		return 0;
	if (strcmp(value, "cache") == 0 || strcmp(value, "swap") == 0)
		return slu_err(err, SLU_INVALID,
			       "a file system of the type \"%s\" is not "
			       "supported",
			       value);
	rc = slu_set_fs(&one, value, err);
	*fs = one.fs;
	return rc;
}

int slu_dw_skip(struct slu_request *req, const char *value, struct slu_err *err)
{
	(void)req, (void)value, (void)err;
	return 0;
}

/* Services of DWS besides the file system, none of which Sluice has. */
int slu_dw_requires(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	(void)req;
	return slu_err(err, SLU_INVALID,
		       "\"%.64s\" is not supported; sluice-stage-out(1) "
		       "copies while the job runs",
		       value);
}

/* A word of access_mode=, up to a ',' and without its options in parentheses;
 * *value is left behind it. */
static void next_mode(const char **value, char *word, size_t size)
{
	const char *p = *value;
	size_t n = strcspn(p, "(,");

	snprintf(word, size, "%.*s", (int)n, p);
	p += n;
	if (*p == '(')
		p += strcspn(p, ")") + 1 - !strchr(p, ')');
	*value = p + (*p == ',');
}

/* "striped", "private" or both, with options of DataWarp's in parentheses. */
int slu_dw_access(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	bool striped = false, private = false;
	const char *p = value;
	char word[16];

	do {
		next_mode(&p, word, sizeof(word));
		striped |= strcmp(word, "striped") == 0;
		private |= strcmp(word, "private") == 0;
		if (strcmp(word, "striped") != 0 &&
		    strcmp(word, "private") != 0)
			return slu_err(err, SLU_INVALID,
				       "\"%.64s\" is not striped, private or "
				       "striped,private",
				       value);
	} while (*p);
	req->dw = striped ? SLU_DW_STRIPED : SLU_DW_PRIVATE;
	req->dw_both = striped && private;
	req->dw_said = true;
	return 0;
}
