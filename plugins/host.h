/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_HOST_H
#define SLU_PLUGINS_HOST_H

/*
 * Shared by our plugins in slurmctld: libsluice's object, and the table of
 * functions through which libsluice's thread acts on slurmctld (ctl/ops.h).
 * ctl_ops.c has queries, job_actions.c and job_end_times.c actions on jobs,
 * node_labels.c features and comments of I/O nodes.
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* For init(): the shared object, or NULL outside of slurmctld, or without
 * memory (logged). */
struct slu_ctl *slu_host_acquire(const char *plugin);

/* Does a reason or comment begin with "sluice: "? */
bool slu_act_is_ours(const char *text);

/* Functions of the table that live in job_actions.c and node_actions.c. */
int slu_act_hold(void *arg, const struct slu_verdict *verdict,
		 struct slu_err *err);
int slu_act_requeue(void *arg, const struct slu_verdict *verdict,
		    struct slu_err *err);
int slu_act_fail(void *arg, const struct slu_verdict *verdict,
		 struct slu_err *err);
int slu_act_cancel(void *arg, const struct slu_verdict *verdict,
		   struct slu_err *err);
int slu_act_complete(void *arg, const struct slu_verdict *verdict,
		     struct slu_err *err);
int slu_act_mail(void *arg, const struct slu_verdict *verdict, bool staged,
		 struct slu_ctl_mail *out);
int slu_act_send_mail(void *arg, const struct slu_ctl_mail *mail,
		      struct slu_err *err);
int slu_act_relaunch(void *arg, uint32_t job_id, struct slu_err *err);
int slu_act_annotate(void *arg, uint32_t job_id, const char *text,
		     struct slu_err *err);
void slu_act_show(void *arg, uint32_t job_id, const char *text);
int slu_act_drain(void *arg, const char *node, const char *reason,
		  struct slu_err *err);
int slu_act_resume(void *arg, const char *node, struct slu_err *err);

/* In job_end_times.c. */
int slu_act_set_end(void *arg, const struct slu_ctl_end *end, int64_t max,
		    struct slu_err *err);
bool slu_act_set_ends(void *arg, const struct slu_ctl_end *end, size_t n,
		      int64_t max);

/* In start_comments.c. */
void slu_act_tell_starts(void *arg, const struct slu_start_told *told,
			 size_t n);

/* In node_labels.c. */
void slu_node_labels_set(void *arg, const struct slu_ctl_node_label *mark,
			 size_t n);
bool slu_node_labels_are_set(void *arg, const struct slu_ctl_node_label *mark,
			     size_t n);
/* The features of a node after an administrator has set new ones: ours stay as
 * in `before`. NULL: none. Caller frees with xfree. */
char *slu_node_labels_features(const char *features, const char *before);

#endif
