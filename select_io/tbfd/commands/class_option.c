/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses --class, and checks that what is exempt (--exempt) is of the form that
 * this class allows.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <string.h>

#define LONGEST_EXEMPT 60 /* of a rule's match with its braces */

int slu_tbfd_class(const char *word, const char **key, struct slu_err *err)
{
	static const struct {
		const char *word, *key;
	} classes[] = {{"job", NULL},
		       {"uid", "uid"},
		       {"gid", "gid"},
		       {"project", "projid"}};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (strcmp(classes[i].word, word) == 0) {
			*key = classes[i].key;
			return 0;
		}
	return slu_err(err, SLU_INVALID,
		       "--class %s: write job, uid, gid or project", word);
}

/* "uid=N": Lustre parses 010 as octal. */
static bool is_number_of(const char *key, const char *text)
{
	size_t n = strlen(key);
	const char *digits = text + n + 1;

	return strncmp(text, key, n) == 0 && text[n] == '=' && *digits &&
	       (digits[0] != '0' || !digits[1]) &&
	       !digits[strspn(digits, "0123456789")];
}

static bool is_job(const char *text)
{
	return strncmp(text, "jobid=", 6) == 0 && text[6] &&
	       !strpbrk(text + 6, " {}&,?[\"\\") &&
	       strlen(text) <= LONGEST_EXEMPT;
}

int slu_tbfd_exemptions(const struct slu_tbfd_options *o, struct slu_err *err)
{
	const char *key = o->set.class_key;

	for (size_t i = 0; i < o->n_exempt; i++) {
		const char *text = o->exempt[i];

		if (key && !is_number_of(key, text))
			return slu_err(err, SLU_INVALID,
				       "--exempt %s: write %s=N with this "
				       "--class",
				       text, key);
		if (!key && !is_number_of("uid", text) && !is_job(text))
			return slu_err(err, SLU_INVALID,
				       "--exempt %s: write uid=N or "
				       "jobid=PATTERN, %d characters at most",
				       text, LONGEST_EXEMPT);
	}
	return 0;
}
