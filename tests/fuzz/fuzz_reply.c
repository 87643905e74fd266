/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The head of an answer: what parses is within its range; what does not leaves
 * the output alone. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include "common/exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_reply reply = {.status = -7};
	struct slu_err err = {0};

	if (slu_reply_parse((const char *)data, size, &reply, &err) == 0) {
		must(reply.status >= 100 && reply.status <= 999);
		must(reply.length >= -1 && reply.date >= 0);
		slu_reply_clear(&reply);
	} else {
		must(err.kind == SLU_INVALID);
		must(reply.status == -7 && !reply.proof);
	}
	return 0;
}
