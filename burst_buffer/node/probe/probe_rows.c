/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds a row to the results of `sluice-node probe`. */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"

#include <stdarg.h>
#include <stdio.h>
#include "common/jsonx.h"

void slu_probe_add(struct slu_probe *p, enum slu_probe_word word,
		   const char *check, const char *fmt, ...)
{
	static const char *const words[] = {[SLU_PROBE_OK] = "ok",
					    [SLU_PROBE_NOW] = "ok",
					    [SLU_PROBE_NOTE] = "note",
					    [SLU_PROBE_BAD] = "bad"};
	struct json_object *row = json_object_new_object();
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	slu_json_set_str(row, "check", check);
	slu_json_set_str(row, "result", words[word]);
	slu_json_set_str(row, "text", text);
	json_object_array_add(p->rows, row);
	if (word != SLU_PROBE_NOW)
		json_object_array_add(p->stable, json_object_get(row));
	p->bad += word == SLU_PROBE_BAD;
}
