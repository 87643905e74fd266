/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_DRIVERS_DRIVER_H
#define SLU_DRIVERS_DRIVER_H

/*
 * The file systems that Sluice can make, one file each behind one table. A
 * driver works on one instance on this node. Every call may be repeated, also
 * after the one before was cut short anywhere; none reports or waits for other
 * nodes. Calls that touch the mounted file system do so in a child.
 */

#include <limits.h>
#include <stdbool.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/storage/kept_age.h"
#include "common/conf.h"
#include "common/err.h"
#include "common/str.h"
#include "wire/node.h"

#define SLU_ATTR_MAX 240 /* what a node's server tells the others */

struct slu_instance {
	const struct slu_plan *plan;
	size_t self;	/* index in plan->node */
	const char *fs; /* where data may be stored: the instance's storage */
	const char
		*work;	 /* directory of root's, 0700, for what must be noted */
	const char *top; /* wd/top: where to mount; bare it is root's 0000 */
	const char *dir; /* of the job, root's 0711: what tasks may reach */
	const char *log; /* wd/log: where daemons log (host/logs.h) */
	const char *mnt; /* dir/mnt: where a file system is that needs no mount
			  * but interposition */
};

struct slu_joined {
	uint64_t pieces, bytes;
};

struct slu_driver {
	const char *name;
	bool shared; /* one name space over all nodes, not one per node */
	bool own_fs; /* its storage must be a file system of its own, which
		      * only servers of root's touch */
	bool logs;   /* its daemons log into in->log */
	/* No mount: programs reach it by a library that they are started with
	 * (env), as the job's user, and it keeps no modes, times and links. */
	bool interposed;

	/* What stands in the way on this machine: a line each is added to
	 * `why`. Returns how many. */
	int (*probe)(const struct slu_fs_conf *conf, struct slu_buf *why);
	/* Which release it is, for people. NULL: nobody asks. */
	void (*release)(const struct slu_fs_conf *conf, char text[64]);

	/* Start this node's server and wait until it is ready. attr: what the
	 * other nodes need to know. NULL: there is none. */
	int (*start)(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		     struct slu_err *err);
	/* On the first node, when all have started: make one file system of
	 * them. NULL: they find each other by themselves. */
	int (*assemble)(const struct slu_instance *in, struct slu_err *err);
	/* Make the file system reachable; attrs in plan order. *root is the
	 * directory where it then lies: top or fs. NULL: there is no file
	 * system at all. */
	int (*attach)(const struct slu_instance *in,
		      const struct slu_pair *attrs, size_t n_attr,
		      const char **root, struct slu_err *err);
	/* Is all of it there, every other node's part too? SLU_IO names what
	 * is missing. */
	int (*check)(const struct slu_instance *in, struct slu_err *err);
	/* Do this node's servers live? SLU_IO says which has ended. Cheap:
	 * asked again and again while the job runs. NULL: it has none, or
	 * nobody can know. */
	int (*lives)(const struct slu_instance *in, struct slu_err *err);
	/* When a part is away, names are missing and no call fails: a number
	 * that is another one when a part of it was away in between, however
	 * shortly. SLU_IO: one is now. NULL: calls fail. */
	int (*whole)(const struct slu_instance *in, uint64_t *since,
		     struct slu_err *err);
	/* Interposed: what programs that shall reach it need, in lines, to be
	 * done in this order: "-PREFIX", variables that are to go; "nofile N",
	 * so many open files; "NAME=VALUE". */
	int (*env)(const struct slu_instance *in, struct slu_buf *out,
		   struct slu_err *err);
	/* The directory where this node has its files of the file system as
	 * they are, each whole on one node, under their paths there, so that
	 * they can be read past all clients. NULL: there is none. */
	void (*holds)(const struct slu_instance *in, char path[PATH_MAX]);
	/* Bytes that this node has read and written since it was attached. */
	int (*counters)(const struct slu_instance *in, double *read_bytes,
			double *written_bytes, struct slu_err *err);
	int (*detach)(const struct slu_instance *in, struct slu_err *err);
	/* The client of this node hangs: end it, so that processes that wait
	 * in the kernel can die. NULL: nothing can hang. */
	int (*abort)(const struct slu_instance *in, struct slu_err *err);
	int (*stop)(const struct slu_instance *in, struct slu_err *err);
	/* Data that does not lie in the nodes' storage: remove it, when no node
	 * is attached any more; or keep it until then (Unix seconds), and say
	 * where (kept "": another node has wiped it). Every node is asked.
	 * wipe's 1: nobody can reach it any more, and what could not be removed
	 * (err) is by expire. NULL: it lies there. */
	int (*wipe)(const struct slu_instance *in, struct slu_err *err);
	int (*keep)(const struct slu_instance *in, int64_t until,
		    char kept[4096], struct slu_err *err);
	/* Beside that data: note that tasks may have run (0), or (note false)
	 * has that been noted (1)? NULL: it is noted in the nodes' storage. */
	int (*ran)(const struct slu_instance *in, bool note,
		   struct slu_err *err);
	/* Kept data of which each node has pieces of files: words that are kept
	 * with it, and (with those, as its owner, in a child) put what lies in
	 * the storage `fs` of this node in its place below the directory `to`,
	 * where other nodes may be at the same, and read it again. NULL: only
	 * its servers can. */
	void (*mark)(const struct slu_plan *plan, char text[64]);
	int (*join)(const char *fs, const char *mark, int to,
		    struct slu_joined *sum, struct slu_err *err);
	/* Remove below this root= what was kept until before `now` and is known
	 * to have been kept for `least` seconds. Any node may do it at any
	 * time: one does, each hour, and the same one goes on, as by its kernel
	 * (`up`) that ages; another if it has ceased to. It may take long. NULL
	 * where keep is. */
	int (*expire)(const char *root, int64_t now,
		      const struct slu_uptime *up, int64_t least,
		      struct slu_err *err);
};

/* NULL: there is no such driver. */
const struct slu_driver *slu_driver_find(const char *name);
extern const struct slu_driver *const slu_drivers[]; /* NULL-ended */

/* The name of the cgroups that an instance's servers live in. Nodes of several
 * clusters may live under one kernel, with the same numbers. */
void slu_instance_group(const struct slu_instance *in, char *name, size_t size);

/* For drivers: a function for slu_aside (arg: the instance) that looks whether
 * the root of the mounted file system answers; and `counters` of those that
 * count nothing. */
int slu_instance_look(struct slu_aside *aside, void *arg, void *out,
		      struct slu_err *err);
int slu_instance_no_counters(const struct slu_instance *in, double *read_bytes,
			     double *written_bytes, struct slu_err *err);

/* For a child that is still root's, and will start a program that reaches an
 * interposed file system: its environment becomes PATH and the lines of env,
 * which are changed, whatever stood there before; it may open as many files. */
void slu_instance_enter(char *lines);

#endif
