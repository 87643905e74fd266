/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the HTML page with the document from which it is rendered: no text of
 * the document may become markup. Characters of markup occur only in the page's
 * own elements and attributes, and all elements are closed in order.
 */
#include "config.h"
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/page/page.h"
#include "tests/fuzz/fuzz.h"

#define DEPTH 64

/* The length of the element's name after '<' or "</". */
static size_t name_of(const char *p)
{
	return strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789");
}

struct open {
	const char *name;
	size_t len;
};

/* Checks one tag; returns the end of it. */
static const char *tag(const char *p, struct open *open, int *depth)
{
	bool end = p[1] == '/';
	const char *name = p + 1 + end;
	size_t len = name_of(name);

	must(len > 0);
	for (p = name + len; *p && *p != '>'; p++) {
		must(*p != '<');
		if (*p == '"')
			p = strchr(p + 1, '"');
		must(p != NULL);
	}
	must(*p == '>');
	if (end) {
		must(*depth > 0);
		--*depth;
		must(open[*depth].len == len &&
		     !memcmp(open[*depth].name, name, len));
	} else if (p[-1] != '/') {
		must(*depth < DEPTH);
		open[(*depth)++] = (struct open){name, len};
	}
	return p + 1;
}

static void well_formed(const char *p)
{
	static const char type[] = "<!DOCTYPE html>";
	struct open open[DEPTH];
	int depth = 0;

	must(!strncmp(p, type, strlen(type)));
	p += strlen(type);
	while (*p)
		p = *p == '<' ? tag(p, open, &depth) : p + strcspn(p, "<");
	must(depth == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_object *doc =
		slu_json_parse((const char *)data, size, NULL);
	struct slu_buf out = {0};

	if (doc && slu_page_render(doc, 60, &out, NULL) == 0) {
		well_formed(out.data);
		must(!strstr(out.data, "<script"));
		must(!strstr(out.data, "\"nan") && !strstr(out.data, "\"inf"));
		must(!strstr(out.data, "\"-nan") &&
		     !strstr(out.data, "\"-inf"));
	}
	slu_buf_free(&out);
	json_object_put(doc);
	return 0;
}
