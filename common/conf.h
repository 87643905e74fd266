/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CONF_H
#define SLU_COMMON_CONF_H

/*
 * Reads sluice.conf into struct slu_conf. A table has one row per key: name,
 * how it is read, default and help; sluice.conf(5) and etc/sluice.conf.example
 * are tested against that table. Parsing fills a new structure, so a bad file
 * changes nothing.
 *
 * Times are seconds. All strings are owned by the structure; a string whose key
 * has no default is NULL when the key is not set.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "common/fs_name.h"
#include "common/hostlist.h"
#include "common/str.h"
#include "common/tiers.h"

enum slu_on_failure {
	SLU_REQUEUE,
	SLU_HOLD,
	SLU_FAIL,
	SLU_CANCEL,   /* before the job ran */
	SLU_COMPLETE, /* after it: its state stays; "leave": it goes on */
};
enum slu_predict_mode {
	SLU_PREDICT_OFF,
	SLU_PREDICT_ADVISE,
	SLU_PREDICT_FILL,
	SLU_PREDICT_TIGHTEN,
	SLU_PREDICT_EARLY,
};
enum slu_io_start {
	SLU_IOSTART_OFF,
	SLU_IOSTART_ADVISE,
	SLU_IOSTART_ON,
};
enum slu_node_devices { /* which of a node's like file systems jobs get */
			SLU_DEVICES_BEST,
			SLU_DEVICES_EACH, /* the one with the most room */
			SLU_DEVICES_ALL,  /* shares are spread over them */
};
/* IOBandwidth=auto, IOMetadata=auto */
#define SLU_IO_AUTO UINT64_MAX
#define SLU_IO_FS   4 /* file systems that IOBandwidth and IOMetadata name */
/* What a file system of Lustre can do; unused if both are 0. */
struct slu_io_limits {
	char fs[SLU_FS_NAME]; /* fsname; "": all there are, as one */
	uint64_t bandwidth;   /* bytes/s; 0: not given, or SLU_IO_AUTO */
	uint64_t metadata;    /* operations/s; likewise */
};

enum slu_io_scope { /* bits */
		    SLU_IO_READ = 1,
		    SLU_IO_WRITTEN = 2,
		    SLU_IO_OPS = 4, /* of metadata: not of IOScope */
};
/* The key whose limit is of what counts. */
static inline const char *slu_io_key(unsigned scope)
{
	return scope == SLU_IO_OPS ? "IOMetadata" : "IOBandwidth";
}
enum slu_placement_cost { /* see select_io/ost/choose.h */
			  SLU_PLACEMENT_CONVEX,
			  SLU_PLACEMENT_LINEAR,
			  SLU_PLACEMENT_RAW,
};
enum slu_ion_policy {
	SLU_ION_ZERO,
	SLU_ION_ONE,
	SLU_ION_STATIC,
	SLU_ION_SIZE,
	SLU_ION_PROCESS,
	SLU_ION_ORACLE,
	SLU_ION_MCKP,
	SLU_ION_POLICIES /* how many there are */
};
/* The words of sluice.conf for the policies, NULL-ended. */
extern const char *const slu_ion_policy_names[];

#define SLU_DAEMON_PORT 6821 /* of a DaemonAddr without one */
/* "HOST[:PORT]" or "[IPv6][:PORT]" with the port, which is checked. Caller
 * frees. */
char *slu_conf_addr(const char *text, struct slu_err *err);

/* Weights of jobs by names (of users or accounts); a name that is not listed
 * has weight 1. */
struct slu_weights {
	struct slu_weight {
		char *name;
		double weight; /* 0.01 to 100 */
	} * weight;
	size_t n;
};
void slu_weights_free(struct slu_weights *w);
/* -1 without memory: *dst is as it was. */
int slu_weights_copy(struct slu_weights *dst, const struct slu_weights *src);
double slu_weight_of(const struct slu_weights *w, const char *name);

/* One FileSystem=NAME line: a file system that users may ask for. Options other
 * than Driver, Pool and Default belong to the driver (key=value, in the order
 * of the line), which checks them. */
struct slu_option {
	char *key;
	char *value;
};

struct slu_fs_conf {
	char *name;
	char *driver;
	char *pool; /* Pool=: the pool of its storage, or a list of pools of
		       which a job uses one; NULL: not given */
	bool is_default;
	int line; /* of the file */
	struct slu_option *option;
	size_t n_option;
};

/* One Profile=NAME line: values for what a request leaves open, and options of
 * the driver that differ from the file system's. Checked by
 * burst_buffer/request. */
struct slu_profile_conf {
	char *name;
	int line; /* of the file */
	struct slu_option *option;
	size_t n_option;
};

/* One Pool=NAME line: storage that is counted together. There is always one;
 * file systems without Pool= use the first. */
struct slu_pool_conf {
	char *name;
	struct slu_hosts nodes; /* Nodes: n = 0: all of the system */
	enum slu_tier tier;	/* Tier: UNKNOWN: what NodeStorage chooses */
	uint64_t size;		/* Size, bytes; 0: what the map says */
	uint64_t granularity;	/* Granularity: bytes, at least 1 */
	uint64_t max_per_job, max_per_user; /* bytes; 0: no limit */
	char **allow_users, **deny_users;   /* NULL: all users; no user */
	char **allow_accounts, **deny_accounts;
};

/* One FailureDomain=NAME line: storage servers of Lustre, by the names of their
 * hosts, that fail together, as those in one rack. */
struct slu_domain_conf {
	char *name;
	struct slu_hosts servers;
};

struct slu_conf {
	int line;	      /* that is being read */
	char *database;	      /* Database */
	char **daemon_addr;   /* DaemonAddr: NULL-ended "host:port" list;
				 IPv6 as "[::1]:port" */
	char *control_socket; /* ControlSocket */
	char *slurm_user;     /* SlurmUser: the user of slurmctld and sluiced */
	struct slu_fs_conf *fs; /* FileSystem */
	size_t n_fs;
	bool default_said;		  /* by one of them */
	struct slu_profile_conf *profile; /* Profile */
	size_t n_profile;
	struct slu_pool_conf *pool; /* Pool */
	size_t n_pool;
	struct slu_domain_conf *domain; /* FailureDomain */
	size_t n_domain;
	char **mover;	     /* Mover: its words, NULL-ended; NULL: none */
	uint64_t mover_from; /* MoverFrom: bytes of a tree */
	char *node_storage;  /* NodeStorage: a choice (tiers.h) */
	enum slu_node_devices node_devices; /* NodeDevices */
	struct slu_cache_budget {
		uint64_t bytes;	  /* or, if this is 0, */
		unsigned percent; /* of the storage's disk; 0: no cache */
	} stage_cache;		  /* StageCache */
	int64_t start_notes;	  /* StartNotes: s; 0: none */
	bool prestage;		  /* PrestageTo=predicted */
	int64_t prestage_after;	  /* s */
	double prestage_sure;	  /* 0 to 1 */
	uint64_t prestage_rate;	  /* bytes/s of a node */
	char *run_dir;		  /* RunDir: node-local notes and mounts */
	char **allow_users;	  /* AllowUsers, NULL: everybody */
	char **deny_users;
	uint64_t max_capacity; /* MaxCapacity, bytes per job, 0: no limit */
	int64_t setup_timeout, stage_in_timeout, stage_out_timeout;
	int64_t teardown_timeout;
	int64_t max_give_back;
	int64_t keep_failed, held_for;
	enum slu_on_failure on_setup, on_stage_in, on_stage_out;
	enum slu_on_failure on_server_loss;
	enum slu_predict_mode predict_mode;
	double predict_quantile; /* above 0.5, below 1 */
	int64_t predict_floor;
	bool predict_tell; /* users read the prediction at submission */
	bool tell;	   /* a job's output gets lines about its data */
	bool stray_warn; /* Stray=warn: a line without effect is only a warning
			  */
	/* PlacementAlpha, PlacementBeta: 0 to 1 */
	double placement_alpha, placement_beta;
	enum slu_placement_cost placement_cost;
	uint64_t data_on_mdt;	/* bytes of a file; 0: none */
	bool wide_striping;	/* files may have more than 160 stripes */
	int64_t history_age;	/* s; INT64_MAX: for ever */
	int64_t history_rows;	/* kept, of ended jobs */
	int64_t history_replay; /* that slurmctld learns at its start */
	char *job_totals; /* program like sacct; NULL: nothing is fetched */
	struct slu_hosts io_nodes;     /* n = 0: jobs get no I/O nodes */
	struct slu_hosts recruit_idle; /* of those, the compute nodes */
	uint32_t min_ions_per_job, max_ions_per_job;
	uint32_t max_ions_per_user, max_ions_per_account; /* 0: no limit */
	struct slu_weights ion_qos_weights, ion_account_weights;
	bool remap_running; /* running applications follow a new mapping */
	bool direct_access; /* a job may do without I/O nodes */
	enum slu_ion_policy ion_policy;
	double explore; /* share of the bandwidth that trials may cost */
	char *performance_table; /* path, NULL: none */
	char *mapping_dir;	 /* NULL: nothing is published */
	char *mapping_program;	 /* run after publishing; NULL: none */
	int64_t mapping_timeout;
	enum slu_io_start io_start;
	/* In the order in which they are named first. */
	struct slu_io_limits io[SLU_IO_FS];
	unsigned io_scope;     /* of enum slu_io_scope: what counts */
	int64_t max_io_wait;   /* s; 0: no job waits */
	bool io_wait_optional; /* jobs may say bandwidth wait=no */
	struct slu_hosts persistent_nodes; /* n = 0: none is offered */
	int64_t persistent_lifetime;	   /* s, at most */
	struct slu_hosts staging_nodes;	   /* n = 0: jobs stage in themselves */
};

/* One row of the table; public for the tests and for `sluiced --help-conf`. */
struct slu_conf_key {
	const char *name;
	const char *fallback; /* default as text; NULL: none */
	const char *help;     /* one sentence */
	/* check the value and put it in the field, which is still empty */
	int (*read)(const char *value, void *field, struct slu_err *err);
	size_t offset; /* of the field in struct slu_conf */
	bool repeats;  /* may stand on several lines */
};
/* Does IOBandwidth or IOMetadata name a file system? */
bool slu_conf_names_fs(const struct slu_conf *conf);
/* Do operations of metadata count, of any file system? */
bool slu_conf_counts_metadata(const struct slu_conf *conf);

#define SLU_CONF_KEYS_MAX 80
extern const struct slu_conf_key slu_conf_keys[]; /* name NULL ends it */

/* Reads and checks the file at `path`. Errors are "FILE:LINE: ...", with the
 * nearest key for an unknown one. An empty file is refused, as it is probably
 * being written. Caller frees with slu_conf_free. */
struct slu_conf *slu_conf_load(const char *path, struct slu_err *err);
/* The same, and the text that was read, also of a bad file (caller frees);
 * untouched if the file cannot be read. */
#define SLU_CONF_MOST (1 << 20) /* bytes */
struct slu_conf *slu_conf_load_text(const char *path, struct slu_buf *text,
				    struct slu_err *err);
/* The same from memory; `name` is used in messages. */
struct slu_conf *slu_conf_parse(const char *text, const char *name,
				struct slu_err *err);
void slu_conf_free(struct slu_conf *conf);

/* May jobs get several of a node's like file systems, each or all of them? */
static inline bool slu_conf_has_devices(const struct slu_conf *conf)
{
	return conf->node_devices != SLU_DEVICES_BEST;
}

/* The line of file system `name` (NULL: the default one), or NULL. Names are
 * compared exactly, keys of options without case. */
const struct slu_fs_conf *slu_conf_fs(const struct slu_conf *conf,
				      const char *name);
/* The profile of this name, or NULL. */
const struct slu_profile_conf *slu_conf_profile(const struct slu_conf *conf,
						const char *name);
/* The pool of this name, or NULL. */
const struct slu_pool_conf *slu_conf_pool(const struct slu_conf *conf,
					  const char *name);
/* The failure domain of a storage server, or NULL. */
const char *slu_conf_domain(const struct slu_conf *conf, const char *server);
/* Is this an I/O node, and never a compute node (RecruitIdle)? */
bool slu_conf_only_io(const struct slu_conf *conf, const char *node);
/* Value of an option of a file system's line, or `fallback`. */
const char *slu_fs_option(const struct slu_fs_conf *fs, const char *key,
			  const char *fallback);

/* Where this host's own sluice.conf is: $SLUICE_CONF, else beside $SLURM_CONF
 * if it is there, else in configure's --with-slurm-confdir, /etc/slurm. Only
 * programs and plugins call it. Caller frees. Programs that can also use
 * sluiced's call slu_conf_of_host() (common/conf_host.h). */
char *slu_conf_path(void);
/* Where slurm.conf is: $SLURM_CONF, else beside sluice.conf, else, if there is
 * none, where slurmd keeps what slurmctld has sent it. */
char *slu_conf_slurm_path(void);
/* No sluice.conf is named in the environment, and none is in the usual places:
 * this host has none of its own. */
bool slu_conf_absent(void);

#endif
