/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out which limit Slurm would give a job without us: a job that is being
 * submitted, by the rules of _valid_job_part() and acct_policy_validate(), and
 * an existing one. Slurm fills in DefaultTime, else MaxWall, at the submission,
 * or else, when the job starts, MaxTime.
 */
#include "config.h"
#include "plugins/limits.h"
#include "plugins/partitions.h"

/* What limits a user on this cluster; any may be NULL. Read under the
 * association manager's locks. */
struct policy {
	const slurmdb_assoc_rec_t *assoc;
	const slurmdb_qos_rec_t *qos, *part_qos;
};

/* The MaxWall that applies, the first that is set: of the QOS, the partition's
 * QOS (either may go before), and the association. */
static uint32_t wall_of(const struct policy *p)
{
	bool over = p->qos && p->qos->flags & QOS_FLAG_OVER_PART_QOS;
	const slurmdb_qos_rec_t *first = over ? p->qos : p->part_qos;
	const slurmdb_qos_rec_t *second = over ? p->part_qos : p->qos;

	if (first && first->max_wall_pj != INFINITE)
		return first->max_wall_pj;
	if (second && second->max_wall_pj != INFINITE)
		return second->max_wall_pj;
	return p->assoc->max_wall_pj;
}

static bool any_set(const uint64_t *minutes)
{
	for (uint32_t i = 0; minutes && i < g_tres_count; i++)
		if (minutes[i] != INFINITE64)
			return true;
	return false;
}

static bool qos_has_budget(const slurmdb_qos_rec_t *qos)
{
	return qos && (any_set(qos->max_tres_mins_pj_ctld) ||
		       any_set(qos->grp_tres_mins_ctld) ||
		       any_set(qos->grp_tres_run_mins_ctld) ||
		       qos->grp_wall != INFINITE);
}

/* Is time limited together with resources, or with other users' time? */
static bool has_budget(const struct policy *p)
{
	const slurmdb_assoc_rec_t *a = p->assoc;
	bool has = any_set(a->max_tres_mins_ctld) || qos_has_budget(p->qos) ||
		   qos_has_budget(p->part_qos);

	for (; a && !has; a = a->usage ? a->usage->parent_assoc_ptr : NULL)
		has = any_set(a->grp_tres_mins_ctld) ||
		      any_set(a->grp_tres_run_mins_ctld) ||
		      a->grp_wall != INFINITE;
	return has;
}

struct walls {
	uint32_t wall; /* MaxWall, minutes; INFINITE */
	bool budget;
};

static struct walls walls_of(const struct policy *p)
{
	if (!p->assoc)
		return (struct walls){INFINITE, false};
	return (struct walls){wall_of(p), has_budget(p)};
}

static bool enforces(void)
{
	return slurm_conf.accounting_storage_enforce &
	       ACCOUNTING_ENFORCE_LIMITS;
}

static struct walls walls_of_job(const job_record_t *job)
{
	assoc_mgr_lock_t lock = {.assoc = READ_LOCK, .qos = READ_LOCK};
	struct walls walls = {INFINITE, false};

	if (!enforces())
		return walls;
	assoc_mgr_lock(&lock);
	walls = walls_of(&(struct policy){job->assoc_ptr, job->qos_ptr,
					  job->part_ptr ? job->part_ptr->qos_ptr
							: NULL});
	assoc_mgr_unlock(&lock);
	return walls;
}

/* The limits of the partitions that a job names. */
struct parts {
	unsigned n;
	uint32_t most;	  /* the least MaxTime, minutes; INFINITE */
	uint32_t usual;	  /* DefaultTime, minutes or INFINITE; NO_VAL: none */
	bool differ;	  /* in that */
	uint32_t longest; /* of their DefaultTime, or MaxTime without one */
};

static void add_part(void *arg, const part_record_t *part)
{
	struct parts *all = arg;
	uint32_t limit;

	if (!part)
		return;
	limit = part->default_time == NO_VAL ? part->max_time
					     : part->default_time;
	if (limit > all->longest)
		all->longest = limit;
	all->differ |= all->n && part->default_time != all->usual;
	all->usual = part->default_time;
	if (part->max_time < all->most)
		all->most = part->max_time;
	all->n++;
}

static int add_listed(void *x, void *arg)
{
	add_part(arg, x);
	return 0;
}

static struct parts parts_of_job(const job_record_t *job)
{
	struct parts all = {.most = INFINITE, .usual = NO_VAL};

	if (job->part_ptr_list)
		list_for_each(job->part_ptr_list, add_listed, &all);
	if (!all.n)
		add_part(&all, job->part_ptr);
	return all;
}

static struct parts parts_named(const char *names)
{
	struct parts all = {.most = INFINITE, .usual = NO_VAL};
	slu_each_partition(names, add_part, &all);
	return all;
}

/* The one that Slurm will find; NULL: none, or it will refuse the job. */
static slurmdb_assoc_rec_t *find_assoc(uint32_t uid, char *account, char *part)
{
	slurmdb_assoc_rec_t rec = {
		.uid = uid, .acct = account, .partition = part};
	slurmdb_assoc_rec_t *found = NULL;

	if (assoc_mgr_fill_in_assoc(acct_db_conn, &rec, 0, &found, true) !=
	    SLURM_SUCCESS)
		return NULL;
	return found;
}

static slurmdb_qos_rec_t *find_qos(slurmdb_assoc_rec_t *assoc, char *name)
{
	slurmdb_qos_rec_t rec = {.name = name}, *found = NULL;

	assoc_mgr_get_default_qos_info(assoc, &rec);
	if (assoc_mgr_fill_in_qos(acct_db_conn, &rec, 0, &found, true) !=
	    SLURM_SUCCESS)
		return NULL;
	return found;
}

/* The MaxWall of a submission by this user and account in its first partition.
 */
static struct walls walls_asked(const job_desc_msg_t *desc,
				const struct slu_job *job,
				const part_record_t *part)
{
	assoc_mgr_lock_t lock = {.assoc = READ_LOCK,
				 .qos = READ_LOCK,
				 .tres = READ_LOCK,
				 .user = READ_LOCK};
	struct walls walls = {INFINITE, false};
	struct policy p = {0};

	if (!enforces() || !part || !job->account)
		return walls;
	assoc_mgr_lock(&lock);
	p.assoc = find_assoc(job->uid, job->account, part->name);
	if (p.assoc) {
		p.qos = find_qos((slurmdb_assoc_rec_t *)(uintptr_t)p.assoc,
				 desc->qos);
		p.part_qos = part->qos_ptr;
	}
	walls = walls_of(&p);
	assoc_mgr_unlock(&lock);
	return walls;
}

static uint32_t at_most(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Does something watch the limit: does Slurm signal, mail, shorten or cancel
 * the job by it? Components of heterogeneous jobs end together. (A job that
 * another cluster of a federation has sent has an offset although it is no
 * component.) */
static bool is_watched(const job_desc_msg_t *desc)
{
	uint16_t mail = desc->mail_type == NO_VAL16 ? 0 : desc->mail_type;
	bool component =
		desc->het_job_offset != NO_VAL && !desc->fed_siblings_viable;

	return desc->warn_signal || desc->warn_time || desc->deadline ||
	       desc->time_limit == 0 || component ||
	       (desc->time_min && desc->time_min != NO_VAL) ||
	       mail & SLU_MAIL_AT_LIMIT;
}

/* The limit that Slurm will fill in for a job without one; the longest that it
 * can be where that is unknown. */
static uint32_t filled_in(const struct parts *parts, const struct walls *walls,
			  bool *unknown)
{
	*unknown = parts->differ;
	if (parts->differ || parts->usual != NO_VAL)
		return parts->longest;
	*unknown |= walls->budget;
	if (walls->wall != INFINITE)
		return walls->wall;
	*unknown |= parts->n > 1;
	return parts->longest;
}

struct slu_limit_rules slu_limit_rules_asked(const job_desc_msg_t *desc,
					     const struct slu_job *job,
					     const part_record_t *part)
{
	struct parts parts = parts_named(desc->partition);
	struct walls walls = walls_asked(desc, job, part);
	struct slu_limit_rules rules = {
		.given = desc->time_limit != NO_VAL,
		.left = is_watched(desc) || !parts.n,
		.whole = desc->time_limit,
		.most = at_most(parts.most, walls.wall)};

	if (rules.given)
		return rules;
	rules.whole = filled_in(&parts, &walls, &rules.unknown);
	if (walls.budget)
		rules.most = at_most(rules.most, rules.whole);
	return rules;
}

/* Does the job read its limit, or has Slurm watch it? Checked again, because
 * plugins behind ours may have changed the job. */
static bool watches(const job_record_t *job)
{
	return job->time_min || job->deadline || job->warn_signal ||
	       (job->mail_type & SLU_MAIL_AT_LIMIT);
}

/* Slurm has left it without a limit, although one is filled in somewhere: which
 * one is known only when it starts, or others may have asked for "unlimited".
 */
static bool is_open(const job_record_t *job, bool given)
{
	if (job->time_limit == NO_VAL)
		return given || (job->part_ptr_list &&
				 list_count(job->part_ptr_list) > 1);
	return job->time_limit == INFINITE && !given &&
	       job->part_ptr->default_time != INFINITE;
}

struct slu_limit_rules slu_limit_rules_of(const job_record_t *job,
					  const struct slu_note *note)
{
	struct parts parts = parts_of_job(job);
	struct walls walls = walls_of_job(job);
	struct slu_limit_rules rules = {
		.given = note->whole,
		.left = watches(job) || !job->part_ptr,
		.whole = slu_limit_whole(job, note),
		.most = at_most(parts.most, walls.wall)};

	if (rules.left)
		return rules;
	rules.unknown = is_open(job, rules.given);
	if (job->time_limit != NO_VAL)
		rules.whole = job->time_limit;
	if (walls.budget && !rules.given)
		rules.most = at_most(rules.most, rules.whole);
	return rules;
}

bool slu_limit_allowed(const job_record_t *job, uint32_t limit)
{
	return limit <= parts_of_job(job).most &&
	       limit <= walls_of_job(job).wall;
}
