/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repeats the reports about an instance's end to a sluiced that does not know
 * of it, as its database is older. */
#include "config.h"
#include "burst_buffer/node/receipts.h"
#include "burst_buffer/node/talk.h"

#include <inttypes.h>
#include <string.h>

#define ASK_TIME 10.0 /* seconds for one request */

static void tell_again(struct slu_node *n, char *lines)
{
	struct slu_buf reply = {0};
	struct slu_err err;
	char *end;

	for (; (end = strchr(lines, '\n')); lines = end + 1) {
		*end = '\0';
		if (slu_talk_once(n, "/v1/report", lines, ASK_TIME, &reply,
				  &err))
			slu_node_log(n, SLU_WARN, "not told again: %s",
				     err.text);
	}
	slu_buf_free(&reply);
}

bool slu_receipts_show(struct slu_node *n, const struct slu_plan *plan)
{
	struct slu_buf text = {0};
	bool has = slu_receipts_read(n, plan, &text);

	if (has) {
		slu_node_log(n, SLU_WARN,
			     "sluiced does not know how %u.%" PRIu64
			     " ended here (an older database?), and is told "
			     "again",
			     (unsigned)plan->job_id, plan->buffer);
		tell_again(n, text.data);
	}
	slu_buf_free(&text);
	return has;
}
