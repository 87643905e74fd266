/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After the daemon: no rule of ours may stay, whoever ends it. What Lustre
 * refuses is tried again for some seconds, and one refusal keeps no other rule.
 */
#include "config.h"
#include "select_io/tbf/daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "common/file.h"
#include "common/jsonx.h"

#define TRIES 20
#define WAIT  250 /* ms between them */

struct json_object *slu_tbfd_read_state(const char *path, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct json_object *state = NULL;

	if (slu_file_read(AT_FDCWD, path, SLU_TBFD_STATE_MAX, &text, err) ==
	    0) {
		state = slu_json_parse(text.data, text.len, err);
		if (!state)
			slu_err_prefix(err, "%s", path);
	}
	slu_buf_free(&text);
	return state;
}

/* The policy before us, when ours is still the one in force. */
static int restore_policy(struct slu_lustre *lustre, const char *state,
			  const struct slu_log *log, struct slu_err *err)
{
	struct json_object *obj =
		state ? slu_tbfd_read_state(state, NULL) : NULL;
	char policy[SLU_POLICY_SIZE] = "";
	struct slu_buf text = {0};
	const char *before = "";
	int ret = 0;

	if (obj)
		slu_json_str_opt(obj, "policy_before", &before, NULL);
	if (lustre->policies(lustre, &text, NULL) == 0)
		slu_policy_parse(text.data, policy);
	if (*before && slu_policy_is_ours(policy) &&
	    strncmp(before, "tbf", 3) != 0) {
		slu_log(log, SLU_INFO, "policy becomes \"%s\" again", before);
		ret = lustre->set_policy(lustre, before, err);
	}
	json_object_put(obj);
	slu_buf_free(&text);
	return ret;
}

/* All of ours that can be; -1: some could not, *err says why of one. */
static int stop_rules(struct slu_lustre *lustre, const struct slu_rules *rules,
		      int *stopped, struct slu_err *err)
{
	char command[SLU_RULE_NAME + 8];
	int ret = 0;

	for (size_t i = 0; i < rules->n; i++) {
		if (!slu_rule_is_ours(rules->rule[i].name))
			continue;
		snprintf(command, sizeof(command), "stop %s",
			 rules->rule[i].name);
		if (lustre->set_rule(lustre, command, err))
			ret = -1;
		else
			++*stopped;
	}
	return ret;
}

static int try_clean(struct slu_lustre *lustre, const char *state,
		     const struct slu_log *log, int *stopped,
		     struct slu_err *err)
{
	struct slu_rules rules = {0};
	struct slu_buf text = {0};
	struct slu_err why = {0};
	int ret = 0;

	if (lustre->rules(lustre, &text, &why)) {
		if (why.kind != SLU_NOTFOUND)
			ret = slu_err(err, why.kind, "%s", why.text);
		goto out; /* without the policy there are no rules */
	}
	ret = slu_rules_parse(&rules, text.data, err);
	if (ret == 0)
		ret = stop_rules(lustre, &rules, stopped, err);
	if (ret == 0) {
		slu_log(log, SLU_INFO, "%d rules stopped", *stopped);
		ret = restore_policy(lustre, state, log, err);
	}
out:
	slu_rules_free(&rules);
	slu_buf_free(&text);
	return ret;
}

int slu_tbfd_clean(struct slu_lustre *lustre, const char *state,
		   const struct slu_log *log, struct slu_err *err)
{
	int stopped = 0, ret;

	for (int tries = 1;; tries++) {
		ret = try_clean(lustre, state, log, &stopped, err);
		if (ret == 0 || tries == TRIES)
			return ret;
		poll(NULL, 0, WAIT);
	}
}
