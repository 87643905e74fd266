/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides by its #! line whether a batch script is a shell's: only then do the
 * checks for misplaced requests and absent variables (stray.c, absent.c) know
 * how it quotes text. Understands env, and names with a version (bash-5.2).
 */
#include "config.h"
#include "burst_buffer/request/script/interpreter.h"
#include <ctype.h>
#include <string.h>
#include "common/str.h"

#define BLANKS " \t\r"

/* The next word of the line; it ends at *p. NULL: there is none. */
static const char *next_word(const char **p)
{
	const char *word = *p + strspn(*p, BLANKS);

	*p = word + strcspn(word, BLANKS "\n");
	return *p > word ? word : NULL;
}

/* The name behind the last '/', without a version: bash of bash-5.2. */
static size_t name_of(const char **word, const char *end)
{
	size_t n = 0;

	for (const char *p = *word; p < end; p++)
		if (*p == '/')
			*word = p + 1;
	while (*word + n < end && isalpha((unsigned char)(*word)[n]))
		n++;
	return n;
}

static bool is_name(const char *word, const char *end, const char *const *names)
{
	size_t n = name_of(&word, end);

	for (; *names; names++)
		if (strlen(*names) == n && !strncmp(word, *names, n))
			return true;
	return false;
}

bool slu_script_is_shell(const char *script)
{
	static const char *const shells[] = {"sh",	"bash", "rbash", "dash",
					     "ash",	"ksh",	"rksh",	 "mksh",
					     "pdksh",	"zsh",	"yash",	 "posh",
					     "busybox", "csh",	"tcsh",	 NULL};
	static const char *const env[] = {"env", NULL};
	const char *p = script + slu_byte_order_mark(script), *word;

	if (strncmp(p, "#!", 2))
		return true;
	p += 2;
	word = next_word(&p);
	if (word && is_name(word, p, env)) /* env -S NAME=VALUE bash -l */
		do
			word = next_word(&p);
		while (word &&
		       (*word == '-' || memchr(word, '=', (size_t)(p - word))));
	return !word || is_name(word, p, shells);
}
