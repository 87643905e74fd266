/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_DRIVERS_DRIVER_H
#define SLU_DRIVERS_DRIVER_H

/*
 * Defines the interface between `sluice-node` and the file systems that it can
 * make: one driver, a table of functions, for each kind. A function works on
 * one instance on this node. Every call may be repeated, also after an
 * interruption at any place; none reports to sluiced or waits for other nodes.
 * Calls that touch the mounted file system do so in a child, since it may hang.
 */

#include <limits.h>
#include <stdbool.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/storage/kept_age.h"
#include "common/conf.h"
#include "common/err.h"
#include "common/str.h"
#include "wire/node.h"

#define SLU_ATTR_MAX 240 /* what a node's server publishes at the barrier */

struct slu_instance {
	const struct slu_plan *plan;
	size_t self;	/* index in plan->node */
	const char *fs; /* the instance's storage, where data is stored */
	/* where the parts on further devices are stored, in the order of
	 * slu_plan_device() */
	const char *const *more_fs;
	const char *work; /* root's directory, 0700, for notes */
	const char *top; /* wd/top: mount point; root's, 0000 while unmounted */
	const char *dir; /* of the job, root's, 0711: tasks may enter */
	const char *log; /* wd/log: where daemons log (host/logs.h) */
	/* dir/mnt: the place of a file system that is not mounted but reached
	 * by interposition */
	const char *mnt;
	bool partial; /* goes on without a server that has ended: what lies
			 there is missing in listings, without an error */
};

struct slu_joined {
	uint64_t pieces, bytes;
};

struct slu_driver {
	const char *name;
	bool shared; /* one name space over all nodes, not one per node */
	bool own_fs; /* needs a file system of its own as storage, which only
			root's servers touch */
	bool logs;   /* its daemons log in in->log */
	/* Not mounted: programs reach it through a library that is preloaded
	 * (env), as the job's user; it keeps no modes, times or links. */
	bool interposed;

	/* Checks what is missing on this machine: adds a line for each problem
	 * to `why`. Returns how many. */
	int (*probe)(const struct slu_fs_conf *conf, struct slu_buf *why);
	/* Its release, for people. NULL: not asked for. */
	void (*release)(const struct slu_fs_conf *conf, char text[64]);

	/* Start this node's server and wait until it is ready. attr: what the
	 * other nodes need to know. NULL: it has no server. */
	int (*start)(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		     struct slu_err *err);
	/* On the first node, when all have started: assemble one file system.
	 * NULL: the servers find each other. */
	int (*assemble)(const struct slu_instance *in, struct slu_err *err);
	/* Make the file system reachable; attrs in plan order. *root is its
	 * directory: top or fs. NULL: there is no file system. */
	int (*attach)(const struct slu_instance *in,
		      const struct slu_pair *attrs, size_t n_attr,
		      const char **root, struct slu_err *err);
	/* Is all of it there, the parts of all other nodes included? SLU_IO
	 * names what is missing. */
	int (*check)(const struct slu_instance *in, struct slu_err *err);
	/* Do this node's servers run? SLU_IO says which has died. Cheap, as it
	 * is called repeatedly while the job runs. NULL: it has none, or that
	 * cannot be known. */
	int (*lives)(const struct slu_instance *in, struct slu_err *err);
	/* While a part is missing, names are missing and no call fails. *since:
	 * a number that changes when a part was missing meanwhile, however
	 * shortly. SLU_IO: a part is missing now. NULL: calls fail instead. */
	int (*whole)(const struct slu_instance *in, uint64_t *since,
		     struct slu_err *err);
	/* Interposed: what programs that are to reach it need, in lines to be
	 * applied in this order: "-PREFIX": unset such variables; "nofile N":
	 * so many open files; "NAME=VALUE". */
	int (*env)(const struct slu_instance *in, struct slu_buf *out,
		   struct slu_err *err);
	/* The directory with this node's files of the file system, each whole
	 * on one node, under their paths, so that they can be read without a
	 * client. NULL: there is none. */
	void (*holds)(const struct slu_instance *in, char path[PATH_MAX]);
	/* Bytes that this node has read and written since it was attached. */
	int (*counters)(const struct slu_instance *in, double *read_bytes,
			double *written_bytes, struct slu_err *err);
	int (*detach)(const struct slu_instance *in, struct slu_err *err);
	/* This node's client hangs: kill it, so that processes waiting in the
	 * kernel can end. NULL: it cannot hang. */
	int (*abort)(const struct slu_instance *in, struct slu_err *err);
	int (*stop)(const struct slu_instance *in, struct slu_err *err);
	/* For data that is not in the nodes' storage. wipe: remove it, once no
	 * node is attached. keep: keep it until `until` (Unix seconds), and
	 * give its path in `kept` ("": another node has wiped it). Called on
	 * every node. wipe's 1: users cannot reach it any more, and expire
	 * removes the rest (err). NULL: there is no such data. */
	int (*wipe)(const struct slu_instance *in, struct slu_err *err);
	int (*keep)(const struct slu_instance *in, int64_t until,
		    char kept[4096], struct slu_err *err);
	/* Notes beside that data that tasks may have run (returns 0), or (note
	 * false) asks whether that was noted (1). NULL: it is noted in the
	 * nodes' storage. */
	int (*ran)(const struct slu_instance *in, bool note,
		   struct slu_err *err);
	/* Kept data of which each node has pieces of files. mark: words stored
	 * with it. join: with these words, as the owner and in a child, write
	 * the pieces in the storage `fs` of this node to their places below the
	 * directory `to`, where other nodes may do the same, and read them
	 * back. NULL: only the servers can do that. */
	void (*mark)(const struct slu_plan *plan, char text[64]);
	int (*join)(const char *fs, const char *mark, int to,
		    struct slu_joined *sum, struct slu_err *err);
	/* Removes kept data below this root= whose date is before `now` and
	 * which is known to have been kept for `least` seconds. Any node may
	 * call it at any time: once an hour it does the work on one node,
	 * always the same one, as the age is measured by its kernel's clock
	 * (`up`); on another if that one has ceased to call. May take long.
	 * NULL where keep is. */
	int (*expire)(const char *root, int64_t now,
		      const struct slu_uptime *up, int64_t least,
		      struct slu_err *err);
};

/* Finds a driver by its name; NULL: there is none. */
const struct slu_driver *slu_driver_find(const char *name);
extern const struct slu_driver *const slu_drivers[]; /* NULL-ended */

/* The name of the cgroups of an instance's servers. Nodes of several clusters
 * with the same job ids may share one kernel. */
void slu_instance_group(const struct slu_instance *in, char *name, size_t size);

/* For drivers: a function for slu_aside (arg: the instance) that checks whether
 * the root of the mounted file system answers; and `counters` for drivers that
 * count nothing. */
int slu_instance_look(struct slu_aside *aside, void *arg, void *out,
		      struct slu_err *err);
int slu_instance_no_counters(const struct slu_instance *in, double *read_bytes,
			     double *written_bytes, struct slu_err *err);

/* In a child that is still root and will start a program that reaches an
 * interposed file system: sets the environment to PATH and the lines of env
 * (which are changed), and the limit of open files. */
void slu_instance_enter(char *lines);

#endif
