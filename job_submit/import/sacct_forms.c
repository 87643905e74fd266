/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises the forms by their characters and patterns, in the variants of all
 * releases.
 */
#include "config.h"
#include "job_submit/import/sacct_forms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "job_submit/ended.h"

#define DIGITS	"0123456789"
#define LONGEST 64 /* of values other than names and lists */

bool slu_sacct_unknown(const char *text)
{
	static const char *const words[] = {"",
					    "Unknown",
					    "None",
					    "INVALID",
					    "N/A",
					    "UNLIMITED",
					    "Partition_Limit",
					    "INFINITE",
					    "NO_VAL",
					    "(null)",
					    "None assigned",
					    "NULL",
					    "NaN",
					    "Not set"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

/* Are all characters in the set? */
static bool is_of(const char *text, const char *set)
{
	return text[strspn(text, set)] == '\0';
}

/* Matches a pattern in which "0" stands for a digit. */
static bool is_like(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++)
		if (*pattern == '0' ? !isdigit((unsigned char)*text)
				    : *text != *pattern)
			return false;
	return *text == '\0';
}

static bool is_id(const char *text)
{
	const char *rest = text + strspn(text, DIGITS);

	return rest != text && (!*rest || strchr("_+.[", *rest)) &&
	       !strpbrk(rest, " \t\n");
}

static bool is_number(const char *text)
{
	text += *text == '-';
	if (!isdigit((unsigned char)*text))
		return false;
	text += strspn(text, DIGITS);
	text += *text == '.' ? 1 + strspn(text + 1, DIGITS) : 0;
	text += *text && strchr("KMGTPE", *text) ? 1 : 0;
	return *text == '\0';
}

/* A state, and of one that was cancelled by whom. */
static bool is_status(const char *text)
{
	size_t word = strcspn(text, " ");
	const char *rest = text + word;

	return slu_state_name(text, word) &&
	       (!*rest ||
		(strncmp(rest, " by ", 4) == 0 && !strpbrk(rest + 4, " \n")));
}

/* ".123" */
static const char *skip_fraction(const char *text)
{
	size_t digits = *text == '.' ? strspn(text + 1, DIGITS) : 0;

	return digits ? text + 1 + digits : text;
}

/* 2016-12-22T07:15:12, with a blank in place of the T, and with a fraction, Z
 * or an offset from UTC behind it, as other programs print it. */
static bool is_time(const char *text)
{
	static const char *const zones[] = {"",	      "Z",     "+0000",
					    "+00:00", "-0000", "-00:00"};
	const size_t date = strlen("0000-00-00"),
		     len = date + strlen("T00:00:00");
	const char *zone;
	char copy[LONGEST];

	if (is_of(text, DIGITS))
		return true;
	if (strlen(text) < len)
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
	copy[date] = copy[date] == ' ' ? 'T' : copy[date];
	if (!is_like(copy, "0000-00-00T00:00:00"))
		return false;
	zone = skip_fraction(text + len);
	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		if (is_like(zone, zones[i]))
			return true;
	return false;
}

/* Forms with a maximum length. */
static bool is_short_form(enum slu_sacct_form form, const char *text)
{
	switch (form) {
	case SLU_SACCT_NUMBER:
		return is_number(text);
	case SLU_SACCT_TIME:
		return is_time(text);
	case SLU_SACCT_SPAN:
		return is_of(text, DIGITS "-:.");
	case SLU_SACCT_STATUS:
		return is_status(text);
	case SLU_SACCT_EXIT:
		return is_of(text, DIGITS ":") && strchr(text, ':');
	case SLU_SACCT_SIZE:
		return is_of(text, DIGITS ".?e+-KMGTPcn");
	default:
		return false;
	}
}

bool slu_sacct_is_form(enum slu_sacct_form form, const char *text, size_t len)
{
	char copy[LONGEST];

	if (form == SLU_SACCT_FREE)
		return true;
	if (form == SLU_SACCT_EMPTY)
		return len == 0;
	if (form == SLU_SACCT_WORD)
		return !memchr(text, '\n', len);
	if (form == SLU_SACCT_TRES)
		return len == 0 ||
		       (memchr(text, '=', len) && !memchr(text, ' ', len) &&
			!memchr(text, '\n', len));
	if (form == SLU_SACCT_LIST && len >= sizeof(copy))
		return !memchr(text, ' ', len) && !memchr(text, '\n', len);
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (form == SLU_SACCT_ID)
		return is_id(copy);
	if (form == SLU_SACCT_LIST && !strpbrk(copy, " \n"))
		return true;
	return !len || is_short_form(form, copy) ||
	       (form != SLU_SACCT_STATUS && slu_sacct_unknown(copy));
}
