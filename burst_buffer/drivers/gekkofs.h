/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_DRIVERS_GEKKOFS_H
#define SLU_DRIVERS_GEKKOFS_H

/*
 * Private to the driver gekkofs: what its files (gekkofs.c, gekkofs_*.c) share:
 * daemons, the hosts file for clients, checks of the installation, and the
 * joining of kept data.
 */

#include "burst_buffer/drivers/driver.h"

#define SLU_GKFS_FILES "20000" /* the client's default at build time */

/* gekkofs_probe.c: see driver.h */
int slu_gkfs_probe(const struct slu_fs_conf *conf, struct slu_buf *why);
void slu_gkfs_release(const struct slu_fs_conf *conf, char text[64]);

/* gekkofs_join.c: see driver.h. The mark is the size of a chunk. */
void slu_gkfs_mark(const struct slu_plan *plan, char text[64]);
int slu_gkfs_join(const char *fs, const char *mark, int to,
		  struct slu_joined *sum, struct slu_err *err);

/* The line of a daemon: "HOST[#SUFFIX] PROTOCOL://ADDRESS:PORT[ ...]". */
struct slu_gkfs_line {
	char text[SLU_ATTR_MAX];
	char address[64];
	unsigned port;
};

/* gekkofs_hosts.c: reads a regular file of the user's at this path below fs; no
 * link is followed there. 0, or -1. */
int slu_gkfs_own_read(const char *fs, const char *path, size_t max,
		      struct slu_buf *out);
/* The first line of a text, or of such a file; -1: there is no complete one, or
 * it is not a daemon's. */
int slu_gkfs_line_first(const char *text, struct slu_gkfs_line *out);
int slu_gkfs_line_read(const char *fs, const char *path,
		       struct slu_gkfs_line *out);
/* Writes the hosts file for clients: the lines in `attrs` of all nodes with
 * daemons. It is root's and readable by the user; it is the user's only where
 * no such right can be given, as its owner could fill space that other jobs
 * need. */
int slu_gkfs_hosts_write(const struct slu_instance *in, const char *path,
			 const struct slu_pair *attrs, size_t n_attr,
			 struct slu_err *err);
/* Do this node's share of the daemons in the hosts file answer, and the sixteen
 * after them? All nodes together try all of them. SLU_IO names the node of one
 * that does not. */
int slu_gkfs_check_daemons(const struct slu_instance *in, const char *path,
			   struct slu_err *err);

/* gekkofs_words.c: comma-separated words of a FileSystem line. put_env: the
 * lines "NAME=VALUE" of an env option. put_args: the words of an args option
 * (`list` is changed and borrowed) to argv[n] and on; returns the new n, at
 * most `max`. */
void slu_gkfs_put_env(const char *list, struct slu_buf *out);
int slu_gkfs_put_args(char *list, char **argv, int n, int max);

/* gekkofs_daemons.c. attr: the lines of this node's daemons, separated by
 * '|'. */
int slu_gkfs_start(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		   struct slu_err *err);
int slu_gkfs_stop(const struct slu_instance *in, struct slu_err *err);
/* Do all of them run? */
int slu_gkfs_lives(const struct slu_instance *in, struct slu_err *err);
/* What they have read from and written to their disk. */
int slu_gkfs_counters(const struct slu_instance *in, double *read_bytes,
		      double *written_bytes, struct slu_err *err);

#endif
