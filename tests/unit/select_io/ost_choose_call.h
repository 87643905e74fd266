/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_OST_CHOOSE_CALL_H
#define SLU_TESTS_OST_CHOOSE_CALL_H

/* Calls of the choice of storage targets. */

#include "tests/unit/select_io/ost_answers.h"
#include <math.h>
#include "common/str.h"

static struct json_object *choose(const char *servers, uint32_t stripes,
				  uint32_t files, uint64_t size)
{
	struct slu_ost_choose_request r = {
		.stripes = stripes, .files = files, .size = size};
	struct json_object *all, *out = NULL;
	struct slu_err err;

	all = slu_json_parse(servers, strlen(servers), &err);
	ck_assert_msg(all != NULL, "%s", err.text);
	expect_ok(slu_ost_choose(&slu_ost_choose_defaults, all, &r, &out, &err),
		  err);
	json_object_put(all);
	return out;
}

#endif
