/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the mistakes in a request, so that its user sees all of them at
 * once: one line of the error text for each, as far as they fit, then how many
 * more there are.
 */
#include "config.h"
#include "burst_buffer/request/mistakes.h"
#include <stdio.h>
#include <string.h>

#define LAST_WORDS 32 /* bytes for "and 64 more mistakes" */

int slu_request_at(int line, struct slu_err *err)
{
	return line > 0 ? slu_err_prefix(err, "line %d", line) : -1;
}

void slu_request_column(size_t column, struct slu_err *err)
{
	size_t len = strlen(err->text);

	if (column)
		snprintf(err->text + len, sizeof(err->text) - len,
			 " (column %zu)", column);
}

void slu_mistake(struct slu_mistakes *m, const struct slu_err *one)
{
	char *text = m->err ? m->err->text : NULL;
	size_t len = text && m->n ? strlen(text) : 0;

	if (text && !m->n)
		*m->err = *one;
	else if (text && len + 1 + strlen(one->text) + LAST_WORDS <
				 sizeof(m->err->text))
		snprintf(text + len, sizeof(m->err->text) - len, "\n%s",
			 one->text);
	else
		m->omitted++;
	m->n++;
}

int slu_mistakes_end(struct slu_mistakes *m)
{
	size_t len;

	if (m->err && m->omitted) {
		len = strlen(m->err->text);
		snprintf(m->err->text + len, sizeof(m->err->text) - len,
			 "\nand %zu more mistake%s", m->omitted,
			 m->omitted == 1 ? "" : "s");
	}
	return m->n ? -1 : 0;
}
