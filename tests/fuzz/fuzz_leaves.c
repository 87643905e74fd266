/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the comparison of two JSON documents, which the input separates by a
 * NUL: a document has no differences from itself, and both directions have the
 * same number of differences.
 */
#include "config.h"
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/map/json_differences.h"
#include "tests/fuzz/fuzz.h"

static size_t differences(struct json_object *a, struct json_object *b)
{
	struct json_object *out = json_object_new_array();
	size_t n;

	must(slu_leaves_diff(a, b, out, NULL) == 0);
	n = json_object_array_length(out);
	json_object_put(out);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = memchr(data, 0, size);
	size_t len = cut ? (size_t)(cut - data) : size;
	struct json_object *a = slu_json_parse((const char *)data, len, NULL);
	struct json_object *b = NULL;

	if (cut)
		b = slu_json_parse((const char *)cut + 1, size - len - 1, NULL);
	if (a)
		must(differences(a, a) == 0);
	must(differences(a, b) == differences(b, a));
	json_object_put(a);
	json_object_put(b);
	return 0;
}
