/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_CONF_TEXT_H
#define SLU_TESTS_CONF_TEXT_H

/* Parses a configuration that must be valid, for tests. */

#include "common/conf.h"
#include "tests/unit/harness.h"

/* The parsed configuration; an error fails the test. */
static inline struct slu_conf *parse(const char *text)
{
	struct slu_err err;
	struct slu_conf *conf = slu_conf_parse(text, "f", &err);

	ck_assert_msg(conf != NULL, "%s: %s", text, conf ? "" : err.text);
	return conf;
}

#endif
