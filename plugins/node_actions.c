/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements libsluice's actions on nodes: drain and resume. See job_actions.c
 * for the locks.
 */
#include "config.h"
#include "plugins/actions.h"

/* act_lock */
static int set_node(node_record_t *node, uint32_t state, char *reason)
{
	update_node_msg_t msg;

	slurm_init_update_node_msg(&msg);
	msg.node_names = node->name;
	msg.node_state = state;
	msg.reason = reason;
	return reason ? update_node(&msg, slurm_conf.slurm_user_id)
		      : SLURM_ERROR;
}

/* Does Slurm return this DOWN node to service by itself? With ReturnToService=1
 * it does if the node has not been rebooted and the reason is that it did not
 * respond. Our drain has replaced that reason. */
static bool only_did_not_answer(const node_record_t *node)
{
	return slurm_conf.ret2service == 1 &&
	       node->boot_time < node->reason_time;
}

/* Ends our drain. A node that is DOWN returns to service as ReturnToService
 * says. */
static int put_back(node_record_t *node, char *reason)
{
	char not_responding[] = "Not responding";

	if (!IS_NODE_DOWN(node))
		return set_node(node, NODE_RESUME, reason);
	return set_node(node, NODE_STATE_UNDRAIN,
			only_did_not_answer(node) ? not_responding : reason);
}

static int set_node_by_name(const char *name, uint32_t state,
			    const char *reason, struct slu_err *err)
{
	node_record_t *node;
	int rc = SLURM_SUCCESS;
	char *text = slu_act_text(reason);

	lock_slurmctld(slu_act_lock);
	node = find_node_record((char *)name);
	/* A drain that an administrator has set before ours stays. */
	if (slu_act_refused(err)) {
		unlock_slurmctld(slu_act_lock);
		free(text);
		return -1;
	}
	if (!node)
		rc = ESLURM_INVALID_NODE_NAME;
	else if (state == NODE_STATE_DRAIN && !IS_NODE_DRAIN(node))
		rc = set_node(node, state, text);
	else if (state == NODE_RESUME && IS_NODE_DRAIN(node) &&
		 slu_act_is_ours(node->reason))
		rc = put_back(node, text);
	unlock_slurmctld(slu_act_lock);
	free(text);
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
	(void)arg;
	return set_node_by_name(node, NODE_RESUME, "clean again", err);
}
