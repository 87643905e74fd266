/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether an option was given on the command line. */
#include "config.h"
#include "sysquery/cli/ask.h"

bool slu_ask_given(const struct slu_ask *ask, int key)
{
	for (size_t i = 0; i < ask->n_given; i++)
		if (ask->given[i] == key)
			return true;
	return false;
}
