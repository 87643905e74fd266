/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends slurmctld the commands that follow from changes of buffers, as messages
 * on the control socket (the callbacks of burst_buffer/lifecycle).
 */
#include "sluiced/control/buffer_commands.h"
#include "sluiced/control/pool_commands.h"
#include "sluiced/placement/layouts.h"
#include "sluiced/wakeups.h"

static void mirror(void *arg, const struct slu_buffer_state *state)
{
	struct slu_daemon *d = arg;

	slu_control_send(d->control, &slu_buffer_desc, state);
	if (state->failed && slu_eq(state->state, "DONE"))
		slu_capacity_kept(d);
}

/* Queues a command until slurmctld has answered it. Without memory for that,
 * asks slurmctld to connect again, after which the command is sent anew. */
static void order(struct slu_daemon *d, const struct slu_desc *desc,
		  uint32_t job_id, const char *node, const void *msg)
{
	if (slu_control_order(d->control, desc, job_id, node, msg) < 0)
		slu_daemon_reconnect(d);
}

static void extend(void *arg, const struct slu_extend *extend)
{
	struct slu_daemon *d = arg;

	order(d, &slu_extend_desc, extend->job_id, "", extend);
}

static void verdict(void *arg, enum slu_on_failure what,
		    const struct slu_verdict *verdict)
{
	static const struct slu_desc *const desc[] = {
		[SLU_REQUEUE] = &slu_requeue_desc,
		[SLU_HOLD] = &slu_hold_desc,
		[SLU_FAIL] = &slu_fail_desc,
		[SLU_CANCEL] = &slu_cancel_job_desc,
		[SLU_COMPLETE] = &slu_complete_desc,
	};
	struct slu_daemon *d = arg;

	d->metrics.verdicts++;
	order(d, desc[what], verdict->job_id, "", verdict);
}

/* Not kept for a slurmctld that is away. */
static void staged(void *arg, const struct slu_verdict *verdict)
{
	struct slu_daemon *d = arg;

	slu_control_send(d->control, &slu_staged_desc, verdict);
}

static void drain(void *arg, const struct slu_node_order *node)
{
	struct slu_daemon *d = arg;

	d->metrics.drains++;
	order(d, &slu_drain_desc, 0, node->node, node);
}

static void resume(void *arg, const struct slu_node_order *node)
{
	struct slu_daemon *d = arg;

	order(d, &slu_resume_desc, 0, node->node, node);
}

/* A reason for squeue: not worth a reconnect if it cannot be queued. */
static void annotate(void *arg, const struct slu_annotate *annotate)
{
	struct slu_daemon *d = arg;

	slu_control_order(d->control, &slu_annotate_desc, annotate->job_id, "",
			  annotate);
}

static const char *addr(void *arg, const char *node)
{
	const struct slu_daemon *d = arg;

	return slu_nodes_addr(d->auth.nodes, node);
}

static char *layout(void *arg, const struct slu_layout_ask *ask, bool *known,
		    char **why, struct slu_err *err)
{
	return slu_daemon_layout(arg, ask, known, why, err);
}

static void wake(void *arg, uint32_t job_id)
{
	slu_daemon_touched(arg, job_id);
}

static void log_line(void *arg, enum slu_level level, const char *line)
{
	struct slu_daemon *d = arg;

	slu_log(d->log, level, "%s", line);
}

const struct slu_buffers_ops slu_buffers_glue = {
	.mirror = mirror,
	.extend = extend,
	.verdict = verdict,
	.staged = staged,
	.drain = drain,
	.resume = resume,
	.annotate = annotate,
	.addr = addr,
	.layout = layout,
	.wake = wake,
	.log = log_line,
};
