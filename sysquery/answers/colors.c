/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses colors for words of tables. A color only repeats what the word says:
 * output without colors is complete. */
#include "config.h"
#include "sysquery/answers/colors.h"

#include <string.h>

enum slu_color slu_color_state(const char *text)
{
	static const struct {
		const char *word;
		enum slu_color color;
	} states[] = {
		{"FAIL", SLU_COLOR_BAD},	  {"CANCEL", SLU_COLOR_CAUTION},
		{"TIMEOUT", SLU_COLOR_BAD},	  {"NODE_FAIL", SLU_COLOR_BAD},
		{"OUT_OF_MEMORY", SLU_COLOR_BAD}, {"wrong", SLU_COLOR_BAD},
		{"hint", SLU_COLOR_CAUTION},	  {"HELD", SLU_COLOR_CAUTION},
		{"COMPLETE", SLU_COLOR_GOOD},	  {"RUNNING", SLU_COLOR_GOOD},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strncmp(text, states[i].word, strlen(states[i].word)))
			return states[i].color;
	return SLU_COLOR_NONE;
}

enum slu_color slu_color_bad(const char *text)
{
	return strcmp(text, "-") ? SLU_COLOR_BAD : SLU_COLOR_NONE;
}

enum slu_color slu_color_caution(const char *text)
{
	return strcmp(text, "-") ? SLU_COLOR_CAUTION : SLU_COLOR_NONE;
}
