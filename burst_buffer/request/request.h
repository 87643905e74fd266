/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_REQUEST_H
#define SLU_BURST_REQUEST_H

/*
 * Parses, completes, checks and prints requests: what users write after --bb=,
 * or in #BB lines, to get a buffer or another service. A line has verbs with
 * key=value pairs, requests separated by ';'; #DW lines express the same in the
 * language of DataWarp and DWS. All of it is parsed at submission, in
 * slurmctld, so without files, locks or recursion. Verbs: jobfs, persistent,
 * stage_in, stage_out, stripe, forward, limit, bandwidth, persistent_create,
 * persistent_destroy.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/conf.h"
#include "common/err.h"
#include "common/tiers.h"

#define SLU_REQUEST_MAX		65536 /* bytes of all lines together */
#define SLU_REQUEST_STAGE_MAX	64
#define SLU_REQUEST_STRIPE_MAX	16
#define SLU_REQUEST_PERSIST_MAX 8

#define SLU_ALL_NODES		UINT32_MAX

/* LIST: the source is a file with the names to stage, one a line; AUTO: a file
 * or a directory, as found. */
enum slu_stage_type {
	SLU_STAGE_DIRECTORY,
	SLU_STAGE_FILE,
	SLU_STAGE_LIST,
	SLU_STAGE_AUTO,
};
/* The variables by which a job with #DW lines finds its file system. */
enum slu_dw { SLU_DW_NO, SLU_DW_STRIPED, SLU_DW_PRIVATE };
/* One file system for each leaf switch of the job's nodes? */
enum slu_split { SLU_SPLIT_UNSAID, SLU_SPLIT_NO, SLU_SPLIT_SWITCH };
/* Where its servers run; the default is near. */
enum slu_bind { SLU_BIND_UNSAID, SLU_BIND_NEAR, SLU_BIND_FAR, SLU_BIND_NONE };
/* What a process on one node sees of what another node has written, from no
 * guarantee at all to that of a local file system; sluice(7) defines them
 * exactly. */
enum slu_coherence {
	SLU_COHERENCE_UNSAID,
	SLU_COHERENCE_PRIVATE,
	SLU_COHERENCE_SHARED,
	SLU_COHERENCE_STRICT,
};
extern const char *const slu_coherence_names[]; /* NULL-ended */
/* Write about it into the job's output? The default is sluice.conf's Tell=. */
enum slu_tell { SLU_TELL_UNSAID, SLU_TELL_NO, SLU_TELL_YES };
enum slu_stage_on { SLU_ON_ALWAYS, SLU_ON_SUCCESS, SLU_ON_FAILURE };

struct slu_request_stage {
	bool out;
	char *source; /* symbols not yet expanded */
	char *destination;
	enum slu_stage_type type;
	enum slu_stage_on on;
	bool content; /* verify=content */
	bool apart;   /* nodes=staging */
	bool dw;      /* on a #DW line: DataWarp's names and rules */
	int line;     /* its line; 0: unknown */
};

/* A directory of the parallel file system whose layout is set before the job.
 */
struct slu_request_stripe {
	char *target;	  /* symbols not yet expanded */
	uint64_t size;	  /* bytes of its files; 0: not given */
	bool random;	  /* access=random */
	uint32_t readers; /* processes that read at the same time; 0: not given
			   */
	bool shared;	  /* each task of the job has a part of each file */
	uint32_t stripes; /* number of targets, chosen by load; 0: by size */
	bool per_file;	  /* each file is placed when a program creates it */
	char *fsname;	  /* Lustre's name; NULL: not given */
	char *pool;	  /* of targets; NULL: not given */
	int line;
};

/* A buffer that outlives jobs, to be created or destroyed before the job. */
struct slu_request_persist {
	bool destroy;
	char *name;
	char *fs;	   /* FileSystem name; NULL: the site's default */
	char *profile;	   /* NULL: none */
	uint64_t capacity; /* bytes */
	char *group;	   /* the group that may use it; NULL: only its owner */
	int64_t lifetime;  /* s; 0: the site's PersistentLifetime */
	enum slu_coherence coherence;
	enum slu_tier tier; /* UNKNOWN: not given */
	bool force_said;    /* force= or hurry is given */
	bool force; /* destroy it even with data that was not staged out */
	int line;
};

struct slu_request {
	bool has_fs;
	bool persistent;    /* it is the persistent buffer `name` */
	char *fs;	    /* FileSystem name; NULL: the site's default */
	char *name;	    /* "JOBFS" unless name= */
	char *profile;	    /* NULL: none */
	char *pool;	    /* the pool for its storage; NULL: not given */
	enum slu_tier tier; /* tier of its storage; UNKNOWN: not given */
	uint64_t capacity;  /* bytes; 0: from the profile */
	uint32_t nodes;	    /* number that give storage: 0 not given, or
			       SLU_ALL_NODES */
	uint32_t tolerate;  /* nodes that may be lost; UINT32_MAX: not given */
	enum slu_dw dw;
	bool dw_said; /* access_mode= was given; else the file system decides */
	bool dw_both; /* a striped file system, and one for each node */
	bool striped_named; /* a path contains $DW_JOB_STRIPED */
	bool unnamed; /* only in an invalid request: its name is not known */
	int line;     /* line of jobfs or persistent */
	enum slu_split split;
	enum slu_bind bind;
	enum slu_coherence coherence;
	enum slu_tell tell;
	struct slu_request_stage *stage;
	size_t n_stage;
	struct slu_request_stripe *stripe;
	size_t n_stripe;
	struct slu_request_persist *persist;
	size_t n_persist;
	bool has_forward;
	int forward_line;
	uint32_t forward_max;  /* UINT32_MAX: not given; 0: none */
	char *forward_pattern; /* NAME[:SIZE],...: access patterns, or NULL */
	bool has_limit;
	bool keep_limit; /* limit tighten=no: do not change the time limit */
	bool has_bandwidth;
	bool no_io_wait; /* bandwidth wait=no: IOStart is not to hold it */
	int bandwidth_line;
};

/* Bytes that are reserved, in addition to a node's share, for the manifest of
 * each stage-out, which is needed even if the file system is full: enough for
 * some 500,000 files. */
static inline uint64_t slu_manifest_size(uint64_t capacity)
{
	uint64_t size = capacity / 1024;

	return size < (64u << 10)   ? 64u << 10
	       : size > (64u << 20) ? 64u << 20
				    : size;
}

/* Parse the text of --bb and/or a batch script's #BB lines (either may be NULL;
 * `script` is the whole script, only lines before the first command count, as
 * with #SBATCH). Errors name the line and the nearest valid word; mistakes in
 * several lines are reported together, one line of err->text each. Without any
 * request the result is success, with everything zero. */
int slu_request_parse(const char *option, const char *script,
		      struct slu_request *out, struct slu_err *err);
/* The same for a submission: with `strays`, lines without effect are mistakes,
 * too. */
int slu_request_submitted(const char *option, const char *script, bool strays,
			  struct slu_request *out, struct slu_err *err);
/* An error's text, with the line of --bb or the script (either may be NULL)
 * below each mistake, and a caret under the wrong place, where that is known.
 * Printable, 80 columns wide after sbatch's prefix. Caller frees; NULL without
 * memory. */
char *slu_request_quote(const char *mistakes, const char *option,
			const char *script);
/* Call fn for each line of a script, or (option) of the text of --bb, that
 * looks like a request but has no effect, at most 64, with its number and a
 * sentence. Not `sure`: this is not a shell script, and the line may be part of
 * quoted text; slu_request_submitted() does not count it as a mistake. Linear
 * in the script's length. */
typedef void slu_stray_f(void *arg, int line, const char *text, bool sure);
void slu_request_strays(const char *text, bool option, slu_stray_f *tell,
			void *arg);
/* Call fn, never with `sure`, for variables that a shell script uses as the
 * path of a job file system and that a job with this request (resolved) will
 * not have, at most 8, where the script does nothing else with them. Linear. */
void slu_request_absent(const char *script, const struct slu_request *req,
			slu_stray_f *tell, void *arg);
/* Could there be some? A quick check before parsing. */
bool slu_request_names_any(const char *script);
/* Put "line N" before an error's text, if it has lines; returns -1. */
int slu_request_at(int line, struct slu_err *err);
/* The part of a heterogeneous job's script for one component (0: the first):
 * its options; the first one has the commands, too. Requests of other
 * components are left out. Caller frees; NULL without memory. */
char *slu_request_component(const char *script, uint32_t component);
/* Can its data be staged in before the job has nodes? Other nodes have to be
 * able to take it, so it must not be stored on those of the job. */
bool slu_request_early_stage_in(const struct slu_request *req,
				const struct slu_conf *conf);
/* Is its data to be brought into the stage caches of the nodes that it will
 * probably get (PrestageTo)? */
bool slu_request_predicted(const struct slu_request *req,
			   const struct slu_conf *conf);
/* Fill in what the request leaves open, from its profile or (for #DW) the site;
 * round the capacity to whole granules of its pool. After that the profile is
 * needed only for the driver's options. */
int slu_request_resolve(struct slu_request *req, const struct slu_conf *conf,
			struct slu_err *err);
/* Check it against the site's configuration (call resolve first): file system
 * exists, capacity and user are allowed, sources are absolute paths or
 * $BB_<name>/..., symbols are known. `user` may be NULL. */
int slu_request_check(const struct slu_request *req,
		      const struct slu_conf *conf, const char *user,
		      struct slu_err *err);
/* For a job that is not an array: fails if anything in it needs a task's
 * number. */
int slu_request_check_alone(const struct slu_request *req, struct slu_err *err);
/* Canonical one-line text that parses back to the same; "" for nothing.
 * Caller frees. */
char *slu_request_text(const struct slu_request *req);
/* Does canonical text (NULL: none) ask for something on the job's nodes, a file
 * system or directories to lay out? Any length. */
bool slu_request_has_buffer(const char *text);
/* Does canonical text (NULL: none) say bandwidth wait=no? Any length. */
bool slu_request_no_io_wait(const char *text);
/* Reduce it to what slu_request_text() prints: to what parsing that text gives,
 * except for striped_named. */
void slu_request_as_text(struct slu_request *req);
/* The index of a word in slu_coherence_names; UNSAID: unknown, or NULL. */
enum slu_coherence slu_coherence_word(const char *word);
/* May the job use a persistent buffer that gives this coherence? If not, an
 * error says why. */
int slu_check_persist_gives(const struct slu_request *req,
			    enum slu_coherence given, struct slu_err *err);
/* Returns the creation of a persistent buffer as a request for a jobfs, so that
 * it can be resolved and checked like one. It borrows its members: never free
 * it. */
struct slu_request slu_persist_as_fs(const struct slu_request_persist *one);
void slu_request_free(struct slu_request *req); /* frees the content */

/* Expand %j %A %a %u %x %% and $BB_<name> (as mount). Only these; '$' or '%'
 * before anything else is an error. Caller frees. */
struct slu_symbols {
	uint32_t job_id, array_job_id, array_task_id;
	const char *user, *job_name;
	const char *fs_name; /* JOBFS */
	const char *mount;   /* what $BB_<fs_name> becomes */
	bool pattern;	     /* the path may be a pattern: symbols expand to no
				wildcards */
};
char *slu_request_expand(const char *text, const struct slu_symbols *sym,
			 struct slu_err *err);

#endif
