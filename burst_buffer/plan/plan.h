/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLAN_PLAN_H
#define SLU_PLAN_PLAN_H

/*
 * Makes plans: which nodes give how much of which storage to a job's file
 * system, and what is staged from where to where. A plan is made once per run
 * of a job, from the job, the site and the resource map; nothing in it is
 * random.
 */

#include "common/conf.h"
#include "store/db.h"
#include "wire/job.h"
#include "wire/node.h"

/* What is known of a directory whose layout is to be chosen. */
struct slu_layout_ask {
	const char *fsname; /* of Lustre; NULL: not given */
	const char *pool;   /* of targets; NULL: not given */
	uint64_t size;	    /* bytes of its files; 0: unknown */
	bool predicted;	    /* the size is a prediction */
	bool random;
	uint32_t readers;    /* 0: unknown */
	uint32_t tasks;	     /* that have a part each; 0: they do not */
	uint32_t stripes;    /* so many targets, chosen by load; 0: by size */
	const double *later; /* what the job's later runs will write:
				SLU_JOB_LATER, or NULL */
};

struct slu_plan_site {
	const struct slu_conf *conf;
	/* the resource map (sysmap/database/planner_storage.h) */
	struct slu_db *map;
	/* NodeAddr of a node; NULL: its name */
	const char *(*addr)(void *arg, const char *node);
	/* The arguments of `lfs setstripe` for it, and in *why the reason;
	 * caller frees both. *known: servers have reported their targets. NULL:
	 * not available. */
	char *(*layout)(void *arg, const struct slu_layout_ask *ask,
			bool *known, char **why, struct slu_err *err);
	/* Bytes that other buffers take (slu_plan_takes) of the file system
	 * with each node's storage; may be NULL. `own`: of these, kept data of
	 * the plan's user. Both: n_node elements, zero at first. The plan may
	 * list a node several times, with storage on different devices. */
	int (*promised)(void *promised_arg, const struct slu_plan *plan,
			uint64_t *promised, uint64_t *own, struct slu_err *err);
	/* Adds to the plan what clients of the persistent buffer of this name
	 * need to know. NULL: there are none. */
	int (*persistent)(void *promised_arg, const struct slu_job *job,
			  const char *name, struct slu_plan *plan,
			  struct slu_err *err);
	void *arg, *promised_arg;
	uint32_t number; /* job_id of the plan; 0: the job's */
	/* The nodes of the plan are to report their free space (plan.givers).
	 */
	bool ask_room;
	/* Gets a host list of nodes with too little space; may be NULL. */
	struct slu_buf *too_small;
};

/*
 * The plan for a job's request; buffer, secret and state are left empty. Each
 * of the first N nodes (nodes=N, else all) gives capacity / N, rounded up,
 * below storage= of its profile or file system, else
 * NodeStorage, or for "auto" in sluice/ on the node's largest local file system
 * in the resource map. A request that only stripes has the file system "none".
 * SLU_INVALID or SLU_DENIED: the request (checked again)
 * cannot be served, or a node is not of its pool; SLU_NOTFOUND: a node is not
 * in the resource map; SLU_BUSY: a node's storage is too small for what its
 * share takes beside what other buffers take of it. Space that other programs'
 * files take is known only as of the node's last report, so no node is refused
 * for it, but such a node gives less where others can give more. The size of a
 * path given by the site is known only from the map: a node that is not in it
 * counts as large enough. The caller clears it with slu_msg_clear().
 */
int slu_plan_make(const struct slu_job *job, const struct slu_plan_site *site,
		  struct slu_plan *out, struct slu_err *err);

/* storage_choice.c: the storage of each node that gives capacity, with a check
 * of its space. */
int slu_plan_storages(struct slu_plan *plan, const struct slu_plan_site *site,
		      struct slu_err *err);
/* Is this directory of node i on one of the devices among which its share's
 * was chosen, or would have been with NodeDevices=each? */
bool slu_plan_may_lie_in(const struct slu_plan *plan, size_t i,
			 const char *storage, const struct slu_plan_site *site);
/* Bytes of local storage that a share of `capacity` takes: of its image, with
 * a manifest for each stage-out. With a quota it takes a little less. */
uint64_t slu_plan_takes(const struct slu_plan *plan, uint64_t capacity);
/* Bytes that a node's share takes on the k-th of its devices
 * (slu_plan_devices()), and on all. */
uint64_t slu_plan_device_takes(const struct slu_plan *plan,
			       const struct slu_plan_node *node, size_t k);
uint64_t slu_plan_node_takes(const struct slu_plan *plan,
			     const struct slu_plan_node *node);
/* Bytes of the manifests of all stage-outs from a share of `capacity`. */
uint64_t slu_plan_manifests(const struct slu_plan *plan, uint64_t capacity);

/* layout.c: adds directories with layouts; the plan has its file system
 * already. */
struct slu_request;
struct slu_symbols;
int slu_plan_stripes(struct slu_plan *plan, const struct slu_request *req,
		     const struct slu_symbols *sym, const struct slu_job *job,
		     const struct slu_plan_site *site, struct slu_err *err);

/*
 * parts.c: split it into a file system for each leaf switch (ADA-FS,
 * section 5.2), named after the switch as far as a file can be. Nodes of which
 * no switch is known, or all without a topology, are the part SLU_PART_UNKNOWN.
 */
#define SLU_PART_UNKNOWN "unknown"
int slu_plan_split(struct slu_plan *plan, struct slu_db *map,
		   struct slu_err *err);
/* The indices of the nodes in the plan, ordered by part (in the order of their
 * first nodes), and where the part ends that begins at node[from]. Caller
 * frees; NULL without memory. */
size_t *slu_plan_by_part(const struct slu_plan *plan);
size_t slu_plan_part_end(const struct slu_plan *plan, const size_t *node,
			 size_t from);
/* "leaf1: n[1-2]; leaf2: n3", or "" for one that is not split. Caller frees;
 * NULL without memory. */
char *slu_plan_parts_text(const struct slu_plan *plan);

/*
 * shares.c: divides the capacity among `givers` nodes, the first of the plan
 * (with parts, each part has those of the first that are in it), equally where
 * each has space for its share. In the place of a node that does not, another
 * one gives whose storage is known. If there is none, it gives what it can, or
 * nothing where that is less than an eighth of an equal share, and the others
 * give more. room: bytes of the largest share that fits on each node
 * (slu_plan_fits()). *changed: some share differs from before; none
 * does where the nodes have too little together. -1: SLU_NOMEM.
 */
int slu_plan_share(struct slu_plan *plan, size_t givers, const uint64_t *room,
		   bool *changed, struct slu_err *err);
/* The largest share that fits into so many free bytes, with its image. */
uint64_t slu_plan_fits(const struct slu_plan *plan, uint64_t room);
/* The same for a plan with `givers` whose nodes have reported their free space,
 * excluding what other buffers take: bytes of each of the 1 + n_more devices of
 * each node, in the order of the plan. Where shares must be equal only a node's
 * devices change. */
int slu_plan_reshare(struct slu_plan *plan, const struct slu_plan_site *site,
		     const uint64_t *told, bool *changed, struct slu_err *err);
/* device_shares.c: the largest part of a share that is spread over devices on
 * one with so many free bytes, with its image; without manifests. */
uint64_t slu_plan_part_fits(uint64_t room);

/* chunk.c: chunk sizes left open (shard=auto, stripe_size=auto, chunk=auto)
 * become the smallest power of two that holds a request of request_size bytes,
 * so that it goes to one server (0: unknown). */
int slu_plan_chunk(struct slu_plan *plan, double request_size,
		   struct slu_err *err);

/* binding.c: binds the servers of nodes that give capacity to processors near
 * their storage and network, or far from both. Nodes that the map does not know
 * are left alone. */
int slu_plan_bind(struct slu_plan *plan, struct slu_db *map, bool far,
		  struct slu_err *err);

/* A plan with only the nodes' names and addresses, for a buffer whose plan
 * cannot be made. */
int slu_plan_bare(const struct slu_job *job, struct slu_plan *out,
		  struct slu_err *err);

/* The secret of an instance: 32 hex digits that cannot be computed without the
 * key (32 bytes). Caller frees. */
char *slu_plan_secret(const unsigned char *key, const struct slu_plan *plan);

#endif
