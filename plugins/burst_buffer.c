/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin burst_buffer/sluice: handles requests at submission, starts and
 * ends of jobs, and `scontrol show burst`. A job has a request when its
 * burst_buffer string is not empty; that string is then our canonical text.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/bb_room.h"
#include "plugins/bb_state.h"
#include "plugins/bb_submission.h"
#include "plugins/job_fields.h"
#include "plugins/hetjobs.h"
#include "plugins/host.h"
#include "plugins/io_start.h"
#include "plugins/limits.h"
#include "plugins/reserve.h"
#include "plugins/eligible_nodes.h"

const char plugin_name[] = "Sluice burst buffer plugin";
const char plugin_type[] = "burst_buffer/sluice";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

static struct slu_ctl *ctl;
static int tres_pos = -1; /* of bb/sluice, if it is accounted for */

int init(void)
{
	ctl = slu_host_acquire(plugin_type);
	return SLURM_SUCCESS;
}

/* Slurm also calls it when a controller stops being the active one, and init()
 * when it becomes active again. */
int fini(void)
{
	slu_ctl_inactive(ctl);
	slu_ctl_release(ctl);
	ctl = NULL;
	return SLURM_SUCCESS;
}

static void add_total(void *arg, const struct slu_ctl_pool *pool)
{
	*(uint64_t *)arg += pool->total;
}

uint64_t bb_p_get_system_size(void)
{
	uint64_t total = 0;

	if (ctl)
		slu_ctl_pools(ctl, add_total, &total);
	return total >> 20; /* MiB */
}

static node_record_t **nodes; /* the table of the last configuration */

/* Parses it before a client waits for an answer. */
static int read_request(void *x, void *arg)
{
	const job_record_t *job = x;

	(void)arg;
	if (IS_JOB_PENDING(job))
		slu_ctl_request_seen(ctl, job->job_id, job->burst_buffer);
	return 0;
}

/* Is this a job whose launch was waiting for its prologs? */
static int find_lost_launch(void *x, void *arg)
{
	const job_record_t *job = x;

	(void)arg;
	if (IS_JOB_RUNNING(job) && job->batch_flag &&
	    job->state_reason == WAIT_PROLOG && slu_hetjob_launches(job) &&
	    slu_ctl_has_buffer(job->burst_buffer))
		slu_ctl_launch_lost(ctl, job->job_id);
	return 0;
}

/* init_config: slurmctld starts; its jobs are loaded, and nothing has happened
 * to them yet. */
int bb_p_load_state(bool init_config)
{
	slurmdb_tres_rec_t tres = {.type = "bb", .name = "sluice"};

	if (!ctl)
		return SLURM_SUCCESS;
	/* slurmdbd may have changed their numbers */
	tres_pos = assoc_mgr_find_tres_pos(&tres, false);
	if (!init_config)
		return SLURM_SUCCESS;
	nodes = node_record_table_ptr;
	slu_ctl_active(ctl);
	list_for_each_ro(job_list, read_request, NULL);
	list_for_each_ro(job_list, find_lost_launch, NULL);
	slu_io_load(ctl);
	return SLURM_SUCCESS;
}

/* Called when an association or a QOS is removed, too: only a reconfiguration
 * makes a new table of nodes, while there is still the old one. */
int bb_p_reconfig(void)
{
	if (!ctl || nodes == node_record_table_ptr)
		return SLURM_SUCCESS;
	nodes = node_record_table_ptr;
	slu_ctl_reload(ctl);
	return SLURM_SUCCESS;
}

int bb_p_state_pack(uid_t uid, buf_t *buffer, uint16_t protocol_version)
{
	struct slu_stopwatch watch = slu_ctl_enter();

	if (!ctl)
		return SLURM_SUCCESS;
	slu_bb_pack(ctl, uid, buffer, protocol_version);
	slu_ctl_leave(ctl, SLU_HOOK_STATE_PACK, watch);
	return SLURM_SUCCESS;
}

int bb_p_job_validate(job_desc_msg_t *desc, uid_t uid, char **err_msg)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	struct slu_err err;
	char *text;
	int rc = SLURM_SUCCESS;

	if (!ctl)
		return desc->burst_buffer ? ESLURM_INVALID_BURST_BUFFER_REQUEST
					  : SLURM_SUCCESS;
	if (slu_bb_validate(ctl, desc, uid, tres_pos, &err) < 0) {
		text = slu_ctl_quote(err.text, desc->burst_buffer,
				     desc->script);
		xfree(*err_msg);
		*err_msg = xstrdup(text ? text : err.text);
		free(text);
		rc = ESLURM_INVALID_BURST_BUFFER_REQUEST;
	}
	slu_ctl_leave(ctl, SLU_HOOK_VALIDATE, watch);
	return rc;
}

int bb_p_job_validate2(job_record_t *job, char **err_msg)
{
	(void)err_msg;
	if (ctl)
		slu_ctl_request_seen(ctl, job->job_id, job->burst_buffer);
	slu_limit_reconsider(job);
	return SLURM_SUCCESS;
}

void bb_p_job_set_tres_cnt(job_record_t *job, uint64_t *tres_cnt, bool locked)
{
	(void)locked;
	if (ctl && tres_pos >= 0) /* AccountingStorageTRES has bb/sluice; MiB */
		tres_cnt[tres_pos] =
			slu_ctl_capacity(ctl, job->job_id, job->burst_buffer) >>
			20;
}

time_t bb_p_job_get_est_start(job_record_t *job)
{
	time_t now = time(NULL), room, io;

	if (!ctl)
		return now + 60;
	room = slu_ctl_est_start(ctl, job->job_id, job->burst_buffer,
				 job->user_id, slu_bb_end_of, now);
	io = slu_ctl_io_when(ctl, job->job_id, now);
	return io > room ? io : room;
}

/* Shows what the job waits for; "" (nothing of ours) removes that. A reason
 * that we set here would be removed by Slurm. */
static void show_why(job_record_t *job, const char *why)
{
	char *shown = job->burst_buffer_state;

	if (!xstrcmp(shown, why) || (!*why && slu_ctl_shows_buffer(shown)))
		return;
	xfree(job->burst_buffer_state);
	if (*why)
		job->burst_buffer_state = xstrdup(why);
}

/* A job can wait here for sluiced, space in a pool, persistent buffers, data
 * that is staged in ahead, and bandwidth of the parallel file system. */
int bb_p_job_test_stage_in(job_record_t *job, bool test_only)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	char why[SLU_CTL_WHY] = "";
	int may = -1;

	if (!ctl)
		return slu_ctl_has_buffer(job->burst_buffer) ||
				       slu_ctl_has_persistent(job->burst_buffer)
			       ? -1
			       : 1;
	/* A job that may not start yet gets nothing, and does not delay others;
	 * Slurm may still test whether there are nodes for it. */
	if (test_only && !slu_bb_is_eligible(job))
		may = 1;
	else if (slu_ctl_persistent(ctl, job->job_id, job->user_id,
				    slu_eligible(job), job->burst_buffer,
				    slu_bb_copy_job, job, slu_bb_is_pending,
				    why))
		may = slu_bb_stage_in(ctl, job, test_only, why);
	if (may == 1 && slu_io_waits(ctl, job, test_only, why))
		may = -1;
	if (may == 1) /* nothing that stands there is waited for */
		*why = '\0';
	if (may == 1 && slu_limit_barred(job)) {
		may = -1;
		snprintf(why, sizeof(why),
			 "its tight limit reaches into a reservation, or is "
			 "more than is allowed now: its full limit is "
			 "restored in a moment");
		slu_ctl_guard_look(ctl);
	}
	/* Backfill calls this before it looks for nodes: the bandwidth was not
	 * checked yet. */
	if (may != 1 || !test_only || !slu_ctl_io_is_on(ctl))
		show_why(job, why);
	slu_ctl_leave(ctl, SLU_HOOK_TEST_STAGE_IN, watch);
	return may;
}

static int begin_stage_in(void *x, void *arg)
{
	char why[SLU_CTL_WHY];
	job_record_t *job = x;

	(void)arg;
	if (slu_bb_is_eligible(job))
		slu_bb_stage_in(ctl, job, false, why);
	return 0;
}

/* Jobs that the scheduler plans to start later; for some of them it does not
 * call bb_p_job_test_stage_in(). */
int bb_p_job_try_stage_in(list_t *job_queue)
{
	struct slu_stopwatch watch = slu_ctl_enter();

	if (!ctl)
		return SLURM_SUCCESS;
	list_for_each(job_queue, begin_stage_in, NULL);
	slu_ctl_leave(ctl, SLU_HOOK_TRY_STAGE_IN, watch);
	return SLURM_SUCCESS;
}

/* Replaces an earlier run's entries in the note; stores what this run has
 * waited for, so that it survives a restart. An array task has waited together
 * with the others, under their number. */
static void note_run(job_record_t *job)
{
	uint32_t array = job->restart_cnt ? 0 : job->array_job_id;
	char *text = slu_ctl_begin_note(ctl, job->job_id, array,
					job->admin_comment, time(NULL));

	if (text)
		slu_act_put_text(&job->admin_comment, text);
}

/* Sets a variable by which tasks know that they need a buffer even if our
 * prolog has not run. It has the job's number, as another job may be submitted
 * from within this one. */
static void tell_tasks(job_record_t *job)
{
	uint32_t n = job->details->env_cnt;
	char flag[32];

	snprintf(flag, sizeof(flag), "SLUICE_BUFFER=%u", job->job_id);
	slu_set_env(&job->details->env_sup, &n, flag);
	job->details->env_cnt = (uint16_t)n;
}

/* A restarted slurmctld reports the start of a run whose nodes boot a second
 * time (_sync_nodes_to_jobs() in Slurm's read_config.c): what it has waited for
 * is only in its note. */
static bool is_repeated_start(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) && IS_JOB_CONFIGURING(job);
}

int bb_p_job_begin(job_record_t *job)
{
	struct slu_stopwatch watch = slu_ctl_enter();

	if (!ctl)
		return SLURM_SUCCESS;
	if (fed_mgr_is_origin_job(job)) /* others' numbers are others' */
		slu_ctl_begun(ctl, job->job_id & MAX_JOB_ID);
	slu_limit_begin(job);
	slu_io_begin(ctl, job);
	slu_act_drop_start(job);
	if (IS_JOB_PENDING(job)) /* what it has waited for */
		xfree(job->burst_buffer_state);
	if (!is_repeated_start(job) &&
	    (job->het_job_id || slu_ctl_has_buffer(job->burst_buffer) ||
	     slu_ctl_has_persistent(job->burst_buffer) ||
	     slu_ctl_io_is_on(ctl)))
		note_run(job);
	if (slu_ctl_has_buffer(job->burst_buffer)) {
		tell_tasks(job);
		slu_ctl_claim(ctl, job->job_id, job->burst_buffer, job->user_id,
			      true);
	}
	slu_ctl_look(ctl, job->job_id);
	slu_ctl_leave(ctl, SLU_HOOK_BEGIN, watch);
	return SLURM_SUCCESS;
}

int bb_p_job_revoke_alloc(job_record_t *job)
{
	if (!ctl)
		return SLURM_SUCCESS;
	slu_ctl_unclaim(ctl, job->job_id);
	slu_ctl_io_ended(ctl, job->job_id);
	return SLURM_SUCCESS;
}

int bb_p_job_start_stage_out(job_record_t *job)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	struct slu_job copy;

	if (!ctl)
		return SLURM_SUCCESS;
	slu_copy_job(job, &copy);
	slu_ctl_ended(ctl, &copy);
	slu_ctl_leave(ctl, SLU_HOOK_STAGE_OUT, watch);
	return SLURM_SUCCESS;
}

int bb_p_job_test_post_run(job_record_t *job)
{
	(void)job;
	return 1;
}

/* Keeps the job's record as long as its buffer exists. */
int bb_p_job_test_stage_out(job_record_t *job)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	bool alive;

	if (!ctl)
		return 1;
	alive = slu_ctl_has_buffer(job->burst_buffer) &&
		slu_ctl_alive(ctl, job->job_id);
	if (!alive && job->job_state & JOB_STAGE_OUT)
		job_state_set(job, job->job_state & ~JOB_STAGE_OUT);
	if (!alive && IS_JOB_FINISHED(job)) /* its record may be purged now */
		slu_ctl_request_gone(ctl, job->job_id);
	slu_ctl_leave(ctl, SLU_HOOK_TEST_STAGE_OUT, watch);
	return alive ? 0 : 1;
}

int bb_p_job_cancel(job_record_t *job)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	struct slu_job copy;

	if (!ctl)
		return SLURM_SUCCESS;
	slu_act_drop_start(job);
	/* A run that ends with scancel --hurry gets here instead of to
	 * job_start_stage_out; one whose data is being staged out, for the
	 * second time. */
	if (job->nodes && !(job->job_state & JOB_STAGE_OUT)) {
		slu_copy_job(job, &copy);
		slu_ctl_ended(ctl, &copy);
	} else if (slu_ctl_has_buffer(job->burst_buffer)) {
		slu_ctl_cancelled(
			ctl, job->job_id,
			job->job_state & JOB_STAGE_OUT ? job->start_time : 0);
	} else {
		slu_ctl_unclaim(ctl, job->job_id);
		slu_ctl_io_ended(ctl, job->job_id);
	}
	slu_ctl_leave(ctl, SLU_HOOK_CANCEL, watch);
	return SLURM_SUCCESS;
}

/* Asked since 24.11; 22.05 does that by itself. */
char *bb_p_build_het_job_script(char *script, uint32_t het_job_offset)
{
	char *text = slu_ctl_component(script, het_job_offset);
	char *slurms = xstrdup(text);

	free(text);
	return slurms;
}

int bb_p_run_script(char *func, uint32_t job_id, uint32_t argc,
		    char **argv SLU_SINCE_23_02(job_info_msg_t *),
		    char **resp_msg)
{
	(void)func;
	(void)job_id;
	(void)argc;
	(void)argv;
	(void)resp_msg;
	return SLURM_SUCCESS; /* we run nothing in slurmscriptd */
}

char *bb_p_xlate_bb_2_tres_str(char *burst_buffer)
{
	slu_reserve_check(burst_buffer, ctl);
	return NULL;
}

/* scontrol show bbstat [JOBID|hooks] */
char *bb_p_get_status(uint32_t argc,
		      char **argv SLU_SINCE_23_02(uint32_t, uint32_t))
{
	struct slu_stopwatch watch = slu_ctl_enter();
	char *text, *slurms, reserved[SLU_RESERVE_TEXT];

	if (!ctl)
		return xstrdup("sluice is off, see slurmctld's log\n");
	text = slu_ctl_status(ctl, argc ? argv[0] : NULL,
			      slurm_conf.private_data & PRIVATE_DATA_JOBS);
	slurms = xstrdup(text ? text : "out of memory\n");
	free(text);
	slu_reserve_text(ctl, reserved);
	if (!argc)
		xstrcat(slurms, reserved);
	slu_ctl_leave(ctl, SLU_HOOK_STATUS, watch);
	return slurms;
}
