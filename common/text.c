/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates, shares and frees long texts by counting references. */
#include "config.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

struct slu_text *slu_text_new(const char *data, size_t len)
{
	struct slu_text *text = malloc(sizeof(*text) + len + 1);

	if (!text)
		return NULL;
	*text = (struct slu_text){.refs = 1, .len = len};
	memcpy(text->data, data, len);
	text->data[len] = '\0';
	return text;
}

struct slu_text *slu_text_ref(struct slu_text *text)
{
	text->refs++;
	return text;
}

void slu_text_unref(struct slu_text *text)
{
	if (!text || --text->refs)
		return;
	slu_text_unref(text->packed);
	free(text);
}
