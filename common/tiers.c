/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses names of storage tiers, and checks and searches choices of devices. */
#include "config.h"
#include "common/tiers.h"

#include <string.h>
#include <strings.h>
#include "common/str.h"

const char *const slu_tier_names[] = {
	[SLU_TIER_UNKNOWN] = "unknown", [SLU_TIER_PMEM] = "pmem",
	[SLU_TIER_FLASH] = "flash",	[SLU_TIER_DISK] = "disk",
	[SLU_TIER_RAM] = "ram",		NULL};

enum slu_tier slu_tier_of(const char *word)
{
	for (int i = SLU_TIER_PMEM; slu_tier_names[i]; i++)
		if (strcasecmp(slu_tier_names[i], word) == 0)
			return (enum slu_tier)i;
	return SLU_TIER_UNKNOWN;
}

bool slu_choice_is_path(const char *choice)
{
	return choice[0] == '/' && !strpbrk(choice, ",*?[");
}

bool slu_choice_has_tier(const char *choice, enum slu_tier tier)
{
	char word[SLU_CHOICE_WORD];

	for (size_t i = 0; slu_list_word(choice, i, word, sizeof(word)); i++)
		if (slu_tier_of(word) == tier)
			return true;
	return false;
}

static const char *const words[] = {"auto", "largest", "fastest", "flash",
				    "disk", "pmem",    "ram",	  NULL};

static bool is_word(const char *word)
{
	for (const char *const *w = words; *w; w++)
		if (!strcasecmp(word, *w))
			return true;
	return word[0] == '/';
}

static size_t count_commas(const char *list)
{
	size_t n = 0;

	for (; (list = strchr(list, ',')); list++)
		n++;
	return n;
}

int slu_choice_check(const char *choice, struct slu_err *err)
{
	char word[SLU_CHOICE_WORD];
	const char *near;
	size_t n = 0;

	for (; slu_list_word(choice, n, word, sizeof(word)); n++) {
		if (is_word(word) && strlen(word) + 1 < sizeof(word))
			continue;
		near = slu_nearest(word, words);
		return slu_err(
			err, SLU_INVALID,
			"\"%.64s\" is neither an absolute path, nor one "
			"of flash, disk, pmem, ram, fastest, largest and "
			"auto%s%s",
			word, near ? "; did you mean " : "", near ? near : "");
	}
	return n == count_commas(choice) + 1
		       ? 0
		       : slu_err(err, SLU_INVALID,
				 "%s: a word is missing beside a comma",
				 choice);
}
