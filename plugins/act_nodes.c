/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What we do to nodes: drained, put back, marked. See act.c. */
#include "config.h"
#include "plugins/act.h"

#include <time.h>

/* act_lock */
static int set_node(node_record_t *node, uint32_t state, const char *reason)
{
	update_node_msg_t msg;
	int rc;

	slurm_init_update_node_msg(&msg);
	msg.node_names = node->name;
	msg.node_state = state;
	msg.reason = slu_act_text(reason);
	rc = msg.reason ? update_node(&msg, slurm_conf.slurm_user_id)
			: SLURM_ERROR;
	free(msg.reason);
	return rc;
}

static int set_node_by_name(const char *name, uint32_t state,
			    const char *reason, struct slu_err *err)
{
	node_record_t *node;
	int rc = SLURM_SUCCESS;

	lock_slurmctld(slu_act_lock);
	node = find_node_record((char *)name);
	/* Who drained it before us has the say; nobody else's drain is lifted.
	 */
	if (!node)
		rc = ESLURM_INVALID_NODE_NAME;
	else if (state == NODE_STATE_DRAIN && !IS_NODE_DRAIN(node))
		rc = set_node(node, state, reason);
	else if (state == NODE_RESUME && IS_NODE_DRAIN(node) &&
		 slu_act_is_ours(node->reason))
		rc = set_node(node, state, reason);
	unlock_slurmctld(slu_act_lock);
	schedule_node_save();
	return slu_act_failed(rc, err);
}

int slu_act_drain(void *arg, const char *node, const char *reason,
		  struct slu_err *err)
{
	(void)arg;
	return set_node_by_name(node, NODE_STATE_DRAIN, reason, err);
}

int slu_act_resume(void *arg, const char *node, struct slu_err *err)
{
	int rc = set_node_by_name(node, NODE_RESUME, "clean again", err);

	(void)arg;
	queue_job_scheduler();
	return rc;
}

/* A comma separated list without our features. Caller frees with xfree. */
static char *without_ours(const char *features)
{
	char *copy = xstrdup(features), *kept = NULL, *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word && strncmp(word, "ion_", 4))
			xstrfmtcat(kept, "%s%s", kept ? "," : "", word);
	xfree(copy);
	return kept;
}

/* Put ours after the others; the vocabulary is fixed, see node_features.c.
 * Returns whether that changed anything. */
static bool put_features(char **features, const char *ours)
{
	char *all = without_ours(*features);
	bool changed;

	xstrfmtcat(all, "%s%s", all ? "," : "", ours);
	changed = xstrcmp(all, *features);
	xfree(*features);
	*features = all;
	return changed;
}

static void mark_node(node_record_t *node, const struct slu_ctl_mark *mark)
{
	if (put_features(&node->features, "ion_assigned,ion_free,ion_shared"))
		update_node_avail_features(node->name, node->features,
					   FEATURE_MODE_IND);
	if (put_features(&node->features_act, mark->feature))
		update_node_active_features(node->name, node->features_act,
					    FEATURE_MODE_IND);
	if (!node->comment || slu_act_is_ours(node->comment))
		slu_act_put_text(&node->comment,
				 mark->comment ? strdup(mark->comment) : NULL);
}

void slu_act_mark(void *arg, const struct slu_ctl_mark *mark, size_t n)
{
	slurmctld_lock_t lock = {
		.conf = READ_LOCK,
		.job = READ_LOCK,
		.node = WRITE_LOCK,
	};
	node_record_t *node;

	(void)arg;
	lock_slurmctld(lock);
	for (size_t i = 0; i < n; i++)
		if ((node = find_node_record(mark[i].node)))
			mark_node(node, &mark[i]);
	last_node_update = time(NULL);
	unlock_slurmctld(lock);
	schedule_node_save();
}
