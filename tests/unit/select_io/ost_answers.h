/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_OST_ANSWERS_H
#define SLU_TESTS_OST_ANSWERS_H

/*
 * Provides reports of OST servers and the choice of targets by them, for tests.
 */

#include "common/jsonx.h"
#include "select_io/ost/choose.h"
#include "tests/unit/harness.h"

/* Three targets with room for two stripes of 1 GiB each. */
static const char three[] =
	"{\"a\":{\"age\":1,\"osts\":["
	"{\"name\":\"f-OST0000\",\"index\":0,\"total\":3000000,"
	"\"available\":2200000},"
	"{\"name\":\"f-OST0001\",\"index\":1,\"total\":3000000,"
	"\"available\":2200000},"
	"{\"name\":\"f-OST0002\",\"index\":2,\"total\":3000000,"
	"\"available\":2200000}]}}";

/* One of them is read from, one a little. */
static const char busy[] =
	"{\"a\":{\"age\":1,\"network\":5,\"osts\":["
	"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,\"available\":900,"
	"\"read\":4e8,\"write\":1e8},"
	"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,\"available\":900,"
	"\"read\":0,\"write\":0},"
	"{\"name\":\"f-OST0002\",\"index\":2,\"total\":1000,\"available\":900,"
	"\"read\":1e8}]}}";

static inline struct json_object *parse(const char *text)
{
	struct slu_err err;
	struct json_object *obj = slu_json_parse(text, strlen(text), &err);

	expect(obj, "%s", err.text);
	return obj;
}

static inline struct json_object *answer(struct json_object *servers,
					 const struct slu_ost_choose_request *r)
{
	struct json_object *out = NULL;
	struct slu_err err;

	expect_ok(slu_ost_choose(&slu_ost_choose_defaults, servers, r, &out,
				 &err),
		  err);
	return out;
}

/* A member of an answer, as text. */
static inline const char *text_of(struct json_object *out, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(out, key, &value);
	return slu_json_text(value);
}

#endif
