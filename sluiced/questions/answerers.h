/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_ANSWERERS_H
#define SLU_SLUICED_QUESTIONS_ANSWERERS_H

/*
 * Declares answerers that have files of their own; see answerer_table.h. "ions"
 * takes: last, since (Unix seconds: how good predictions have been since then),
 * job_id (only this one, explained), and for what-if questions: policy, pool
 * (I/O nodes), without (a job).
 */

#include "sluiced/questions/answerer.h"

struct json_object *slu_prepare_ions(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args);
int slu_answer_ions(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err);

/* "hosts": those of the resource map, each with `heard`, when it last sent
 * something to this sluiced (Unix seconds; absent: never). */
struct json_object *slu_prepare_hosts(const struct slu_daemon *d,
				      const struct slu_asker *who,
				      struct json_object *args);
int slu_answer_hosts(struct slu_db *db, const struct slu_asker *who,
		     struct json_object *args, struct slu_buf *out,
		     struct slu_err *err);

/* "summary" and "storage" of the resource map, by this site's choices; they
 * replace "choice" and "choices" of the question. */
struct json_object *slu_prepare_storage(const struct slu_daemon *d,
					const struct slu_asker *who,
					struct json_object *args);
int slu_answer_summary(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, struct slu_buf *out,
		       struct slu_err *err);
int slu_answer_storage(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, struct slu_buf *out,
		       struct slu_err *err);

/* "job": all that is known of one job, which is named by job_id, or by that of
 * its array and task. SLU_NOTFOUND: nothing is known, or it is another
 * user's. */
struct json_object *slu_prepare_job(const struct slu_daemon *d,
				    const struct slu_asker *who,
				    struct json_object *args);
int slu_answer_job(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err);

/* "report": sums over ended jobs; takes uid, account, since (Unix seconds;
 * default: the last 30 days). */
int slu_answer_report(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);

/* "page" takes: since, now (Unix seconds), uid. */
struct json_object *slu_page_prepare(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args);
int slu_page_answer(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err);

/* "start": when, and on which nodes, a waiting job will start; takes job_id.
 * One object: job_id, partition, reason, nodes, running and ahead (jobs),
 * planned (Unix s, by Slurm), planned_nodes, start_10, start_50 and start_90
 * (Unix s), within_10min and within_1h (probabilities); and where nodes are not
 * shared likely_nodes, sure (the probability of exactly these) and node
 * ([{node, share}], the most probable ones). */
int slu_start_answer(struct slu_db *db, const struct slu_asker *who,
		     struct json_object *args, struct slu_buf *out,
		     struct slu_err *err);

/* "predicted": on which nodes waiting jobs, named by their numbers (jobs), will
 * run, for root and SlurmUser: see slu_buffers_predicted(). Without nodes: not
 * known, or other jobs come first. */
int slu_predicted_answer(struct slu_db *db, const struct slu_asker *who,
			 struct json_object *args, struct slu_buf *out,
			 struct slu_err *err);

/* "starts": when the first waiting jobs start, for root and SlurmUser:
 * [{job_id, text}], the text as struct slu_start_told has it. */
int slu_starts_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);

/* "prestage": the inputs that nodes prefetch for waiting jobs, see
 * slu_buffers_prefetches(). */
struct json_object *slu_prepare_prestage(const struct slu_daemon *d,
					 const struct slu_asker *who,
					 struct json_object *args);
int slu_answer_prestage(struct slu_db *db, const struct slu_asker *who,
			struct json_object *args, struct slu_buf *out,
			struct slu_err *err);

/* "iostart": how busy ended jobs kept the parallel file system, for root and
 * SlurmUser; takes since (Unix seconds; the last 30 days unless said). One
 * object, see select_io/bandwidth/utilization.h. */
struct json_object *slu_prepare_iostart(const struct slu_daemon *d,
					const struct slu_asker *who,
					struct json_object *args);
int slu_answer_iostart(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, struct slu_buf *out,
		       struct slu_err *err);

/* "why": which part of Sluice a job waits for; takes job_id. One object:
 * job_id, state, reason (Slurm's), kind (wait_reason.h), because, since (Unix
 * s). */
int slu_why_answer(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err);

/* "osts": the storage targets of Lustre; prepared:
 * {"servers":...,"alpha":A,"beta":B,"ranking":[...]}, the last only where no
 * placement has to be computed; and the recent placements that the daemon
 * remembers (its learn() is recent_placements.h). */
struct json_object *slu_osts_prepare(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args);
void slu_osts_learn(struct slu_daemon *d, uint32_t uid,
		    struct json_object *lesson);
int slu_osts_answer(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err);

/* "stripe": layouts of files, from the same. */
int slu_stripe_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);

#endif
