/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides of which user's jobs an answer may tell: users see their own,
 * administrators those of any user.
 */
#include "sluiced/questions/answerer.h"

#include "common/jsonx.h"
#include "wire/job.h"

int slu_asked_uid(const struct slu_asker *who, struct json_object *args,
		  uint32_t *uid, struct slu_err *err)
{
	uint64_t asked = who->admin ? SLU_NO_ID : who->uid;

	if (slu_json_u64_opt(args, "uid", &asked, err) < 0)
		return -1;
	if (!who->admin && asked != who->uid)
		return slu_err(err, SLU_DENIED, "uid %u may not see this",
			       who->uid);
	*uid = (uint32_t)asked;
	return 0;
}
