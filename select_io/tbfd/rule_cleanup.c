/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes our rules after the daemon has ended, in whatever way. What Lustre
 * refuses is retried for some seconds, and one refusal does not keep other
 * rules. If a new daemon has started meanwhile, the rules are left to it.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "common/file.h"
#include "common/jsonx.h"

#define TRIES 20
#define WAIT  250 /* ms between retries */

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

struct clean {
	const struct slu_tbfd_options *opt;
	struct slu_lustre *lustre;
	const struct slu_log *log;
	int stopped;
};

static int put_policy(const struct clean *c, const char *before,
		      struct slu_err *err)
{
	if (c->opt->dry_run) {
		printf("nrs_policies=%s\n", before);
		return 0;
	}
	slu_log(c->log, SLU_INFO, "policy becomes \"%s\" again", before);
	return c->lustre->set_policy(c->lustre, before, err);
}

/* Are there rules of others, which would be lost with the policy? */
static bool has_others(const struct slu_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		if (!slu_rule_is_ours(rules->rule[i].name) &&
		    strcmp(rules->rule[i].name, "default") != 0)
			return true;
	return false;
}

/* Restores the policy before ours, if ours is still in force. */
static int restore_policy(const struct clean *c, const struct slu_rules *rules,
			  struct slu_err *err)
{
	struct json_object *obj = slu_tbfd_read_state(c->opt->state, NULL);
	char policy[SLU_POLICY_SIZE] = "";
	struct slu_buf text = {0};
	const char *before = "";
	int ret = 0;

	if (obj)
		slu_json_str_opt(obj, "policy_before", &before, NULL);
	if (c->lustre->policies(c->lustre, &text, NULL) == 0)
		slu_policy_parse(text.data, policy);
	if (*before && slu_policy_is_ours(policy) &&
	    strncmp(before, "tbf", 3) != 0) {
		if (has_others(rules))
			slu_log(c->log, SLU_INFO,
				"policy stays \"%s\": there are rules of others",
				policy);
		else
			ret = put_policy(c, before, err);
	}
	json_object_put(obj);
	slu_buf_free(&text);
	return ret;
}

static int stop_rule(struct clean *c, const char *name, struct slu_err *err)
{
	char command[SLU_RULE_NAME + 8];

	snprintf(command, sizeof(command), "stop %s", name);
	if (c->opt->dry_run)
		printf("nrs_tbf_rule=%s\n", command);
	else if (c->lustre->set_rule(c->lustre, command, err))
		return -1;
	c->stopped++;
	return 0;
}

/* Stops as many of our rules as possible, unless lctl hangs; -1: some could not
 * be stopped, *err has the reason for one of them. */
static int stop_rules(struct clean *c, const struct slu_rules *rules,
		      struct slu_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < rules->n; i++)
		if (slu_rule_is_ours(rules->rule[i].name) &&
		    stop_rule(c, rules->rule[i].name, err)) {
			ret = -1;
			if (err->kind == SLU_TIMEOUT)
				break;
		}
	return ret;
}

static int clean(struct clean *c, struct slu_err *err)
{
	struct slu_rules rules = {0};
	struct slu_buf text = {0};
	struct slu_err why = {0};
	int ret = 0;

	if (c->lustre->rules(c->lustre, &text, &why)) {
		if (why.kind != SLU_NOTFOUND)
			ret = slu_err(err, why.kind, "%s", why.text);
		goto out; /* without the policy no rules exist */
	}
	ret = slu_rules_parse(&rules, text.data, err);
	if (ret == 0)
		ret = stop_rules(c, &rules, err);
	if (ret == 0) {
		slu_log(c->log, SLU_INFO, "%d rules %s", c->stopped,
			c->opt->dry_run ? "would be stopped" : "stopped");
		ret = restore_policy(c, &rules, err);
	}
out:
	slu_rules_free(&rules);
	slu_buf_free(&text);
	return ret;
}

/* With the lock no daemon starts meanwhile; without one it is tried anyway. */
static int try_clean(struct clean *c, struct slu_err *err)
{
	struct slu_err why = {0};
	int fd = -1, ret;

	if (!c->opt->dry_run)
		fd = slu_tbfd_lock_for_clean_up(c->opt->state, &why);
	if (why.kind == SLU_BUSY)
		return slu_err(err, SLU_BUSY, "%s", why.text);
	ret = clean(c, err);
	if (fd >= 0)
		close(fd);
	return ret;
}

int slu_tbfd_clean(const struct slu_tbfd_options *options,
		   struct slu_lustre *lustre, const struct slu_log *log,
		   struct slu_err *err)
{
	struct clean c = {.opt = options, .lustre = lustre, .log = log};
	struct slu_err why = {0};

	for (int tries = 1; try_clean(&c, &why); tries++) {
		if (tries == TRIES || why.kind == SLU_TIMEOUT ||
		    (why.kind == SLU_BUSY && slu_tbfd_running(options->state)))
			return slu_err(err, why.kind, "%s", why.text);
		poll(NULL, 0, WAIT);
	}
	return 0;
}
