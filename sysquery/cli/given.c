/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which options were given. */
#include "config.h"
#include "sysquery/cli/ask.h"

bool slu_ask_given(const struct slu_ask *ask, int key)
{
	for (size_t i = 0; i < ask->n_given; i++)
		if (ask->given[i] == key)
			return true;
	return false;
}
