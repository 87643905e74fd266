/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds variables that a shell script uses as the path of its job file system
 * although its job will not have them: such a script would work in / or in the
 * directory of its submission. Whether a script sets a variable, or tests it
 * before use, cannot be known without running it; so a variable that occurs in
 * any other form than $NAME or ${NAME} counts as the script's own. One pass
 * that allocates nothing, as it runs in slurmctld.
 */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "burst_buffer/request/names.h"
#include "burst_buffer/request/script/interpreter.h"
#include "burst_buffer/request/values.h"

#define NAMES_MAX 8
#define TEXT_MAX  256

struct used {
	char name[SLU_VARIABLE_MAX];
	int line; /* of its first use */
	bool own;
};

struct names {
	struct used used[NAMES_MAX];
	size_t n;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The length of the variable's name at p, if it is one that Sluice sets; else
 * 0. */
static size_t length_of(const char *p)
{
	static const char *const heads[] = {"DW_JOB_", "DW_PERSISTENT_"};
	size_t n = strspn(p, SLU_WORD_CHARS);

	if (n >= SLU_VARIABLE_MAX)
		return 0;
	if (n == 8 && !strncmp(p, "BB_JOBFS", n))
		return n;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		size_t head = strlen(heads[i]);

		if (n > head && !strncmp(p, heads[i], head))
			return n;
	}
	return 0;
}

#define LOOK_BACK 8 /* bytes: the words that matter are shorter */

/* The word before p, which is left where it begins; "" for a longer one. */
static void word_before(const char *line, const char **p, char word[LOOK_BACK])
{
	const char *end = *p, *at;
	size_t n;

	while (end > line && *p - end < LOOK_BACK && blank(end[-1]))
		end--;
	for (at = end;
	     at > line && end - at < LOOK_BACK && !strchr(" \t;&|(", at[-1]);)
		at--;
	n = end < *p && end - at < LOOK_BACK ? (size_t)(end - at) : 0;
	memcpy(word, at, n);
	word[n] = '\0';
	*p = at;
}

/* Is the text at p the operand of a test, as of [ -n ..., [[ ..., test ! ...,
 * [ "x..., or of case? */
static bool is_asked(const char *line, const char *p)
{
	static const char *const words[] = {"[",    "[[", "!", "test",
					    "case", "-n", "-z"};
	char word[LOOK_BACK];

	for (int i = 0; i < 2 && p > line && strchr("\"xX", p[-1]); i++)
		p--;
	word_before(line, &p, word);
	if (*word == '-' && word[1] && strchr("defrswx", word[1]) && !word[2])
		word_before(line, &p, word);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* Is the name at p in the form $NAME or ${NAME}, and not the operand of a test?
 */
static bool is_use(const char *line, const char *p, const char *behind)
{
	if (p > line && p[-1] == '{') {
		if (*behind != '}' && *behind != '/')
			return false;
		p--;
	}
	return p > line && p[-1] == '$' && !is_asked(line, p - 1);
}

static void note(struct names *names, const char *p, size_t n, int line,
		 bool own)
{
	struct used *u = names->used;

	while (u < names->used + names->n &&
	       (strncmp(u->name, p, n) || u->name[n]))
		u++;
	if (u == names->used + names->n) {
		if (names->n == NAMES_MAX)
			return;
		*u = (struct used){.line = line};
		memcpy(u->name, p, n);
		names->n++;
	}
	u->own |= own;
}

static void read_line(struct names *names, const char *line, const char *end,
		      int number)
{
	const char *p = line + strspn(line, " \t");

	if (*p == '#')
		return;
	while ((p = strpbrk(p, SLU_WORD_CHARS "\n")) && p < end) {
		size_t n = length_of(p);

		if (n)
			note(names, p, n, number, !is_use(line, p, p + n));
		p += strspn(p, SLU_WORD_CHARS);
	}
}

static void say(const struct used *u, const struct slu_request *req,
		slu_stray_f *tell, void *arg)
{
	char right[SLU_VARIABLE_MAX], text[TEXT_MAX];

	if (req->has_fs)
		snprintf(text, sizeof(text),
			 "this job has no $%s; its file system is $%s", u->name,
			 slu_request_variable(req, *u->name == 'D', right));
	else
		snprintf(text, sizeof(text),
			 "this job has no $%s: it asks for no file system",
			 u->name);
	tell(arg, u->line, text, false);
}

void slu_request_absent(const char *script, const struct slu_request *req,
			slu_stray_f *tell, void *arg)
{
	struct names names = {0};
	int number = 0;

	if (!slu_script_is_shell(script))
		return;
	for (const char *p = script, *end; *p; p = end + (*end == '\n')) {
		end = p + strcspn(p, "\n");
		read_line(&names, p, end, ++number);
	}
	for (size_t i = 0; i < names.n; i++)
		if (!names.used[i].own &&
		    !slu_request_has_variable(req, names.used[i].name))
			say(&names.used[i], req, tell, arg);
}

bool slu_request_names_any(const char *script)
{
	return strstr(script, "BB_JOBFS") || strstr(script, "DW_JOB_") ||
	       strstr(script, "DW_PERSISTENT_");
}
