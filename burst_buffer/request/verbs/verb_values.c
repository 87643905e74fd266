/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Setters of keys and beginnings of verbs that #BB and #DW lines share, and the
 * words of enumerated values. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/request/verbs/grammar.h"
#include "common/size.h"
#include "common/str.h"

#define NAME_MAX_LEN 32

const char *const slu_dw_names[] = {[SLU_DW_NO] = "no",
				    [SLU_DW_STRIPED] = "striped",
				    [SLU_DW_PRIVATE] = "private",
				    [SLU_DW_BOTH] = "both",
				    NULL};
const char *const slu_split_names[] = {[SLU_SPLIT_UNSAID] = "",
				       [SLU_SPLIT_NO] = "no",
				       [SLU_SPLIT_SWITCH] = "switch",
				       NULL};
const char *const slu_bind_names[] = {[SLU_BIND_UNSAID] = "",
				      [SLU_BIND_NEAR] = "near",
				      [SLU_BIND_FAR] = "far",
				      [SLU_BIND_NONE] = "none",
				      NULL};
const char *const slu_tell_names[] = {[SLU_TELL_UNSAID] = "",
				      [SLU_TELL_NO] = "no",
				      [SLU_TELL_YES] = "yes",
				      NULL};

const char *const slu_coherence_names[] = {[SLU_COHERENCE_UNSAID] = "",
					   [SLU_COHERENCE_PRIVATE] = "private",
					   [SLU_COHERENCE_SHARED] = "shared",
					   [SLU_COHERENCE_STRICT] = "strict",
					   NULL};

int slu_set_fs(struct slu_request *req, const char *value, struct slu_err *err)
{
	if (strlen(value) > 64 || value[strspn(value, SLU_WORD_CHARS ".-")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" cannot name a file system", value);
	return slu_set_word(&req->fs, value, err);
}

int slu_set_capacity(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	return slu_size_parse(value, &req->capacity, err);
}

/* The name becomes the job's variable BB_<name>. */
int slu_set_name(struct slu_request *req, const char *value,
		 struct slu_err *err)
{
	if (strlen(value) > NAME_MAX_LEN ||
	    !value[strspn(value, "0123456789")] ||
	    value[strspn(value, SLU_WORD_CHARS)])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no name: letters, digits and _, "
			       "not digits alone, at most %d",
			       value, NAME_MAX_LEN);
	return slu_set_word(&req->name, value, err);
}

int slu_set_profile(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	if (strlen(value) > 64 || !strchr(SLU_LETTERS, *value) ||
	    value[strspn(value, SLU_WORD_CHARS ".-")])
		return slu_err(
			err, SLU_INVALID,
			"\"%.64s\" cannot name a profile: a letter, then "
			"letters, digits and _.-",
			value);
	return slu_set_word(&req->profile, value, err);
}

int slu_parse_tell(struct slu_request *req, const char *value,
		   struct slu_err *err)
{
	int i = slu_choose(value, slu_tell_names + SLU_TELL_NO, err);

	if (i < 0)
		return -1;
	req->tell = (enum slu_tell)(SLU_TELL_NO + i);
	return 0;
}

enum slu_coherence slu_coherence_word(const char *word)
{
	for (int i = SLU_COHERENCE_PRIVATE; word && slu_coherence_names[i]; i++)
		if (!strcasecmp(word, slu_coherence_names[i]))
			return (enum slu_coherence)i;
	return SLU_COHERENCE_UNSAID;
}

int slu_set_coherence(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	int i = slu_choose(value, slu_coherence_names + SLU_COHERENCE_PRIVATE,
			   err);

	if (i < 0)
		return -1;
	req->coherence = (enum slu_coherence)(SLU_COHERENCE_PRIVATE + i);
	return 0;
}

int slu_begin_jobfs(struct slu_request *req, int line, struct slu_err *err)
{
	if (req->has_fs)
		return slu_err(err, SLU_INVALID,
			       req->persistent
				       ? "a job has either a file system of "
					 "its own or a persistent buffer"
				       : "only one jobfs is allowed");
	req->has_fs = true;
	req->line = line;
	req->tolerate = UINT32_MAX;
	return slu_set_word(&req->name, "JOBFS", err);
}

int slu_end_jobfs(struct slu_request *req, struct slu_err *err)
{
	return req->capacity || req->profile
		       ? 0
		       : slu_err(err, SLU_INVALID, "capacity= is missing");
}
