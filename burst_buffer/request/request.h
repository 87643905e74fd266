/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_REQUEST_H
#define SLU_BURST_REQUEST_H

/*
 * What users write after --bb= or in #BB lines: verbs with key=value pairs,
 * requests on one line separated by ';'. #DW lines say the same in the words
 * of DataWarp and DWS. Parsed wholly at submission; in slurmctld, so without
 * files, locks or recursion.
 * Verbs: jobfs, persistent, stage_in, stage_out, stripe, forward, limit,
 * persistent_create, persistent_destroy.
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

/* LIST: the source is a file with names, one a line, of what is to be staged;
 * AUTO: a file or a directory, whatever it turns out to be. */
enum slu_stage_type {
	SLU_STAGE_DIRECTORY,
	SLU_STAGE_FILE,
	SLU_STAGE_LIST,
	SLU_STAGE_AUTO,
};
/* How a job of the #DW language knows its file system. */
enum slu_dw { SLU_DW_NO, SLU_DW_STRIPED, SLU_DW_PRIVATE };
/* Into a file system for each leaf switch of the job's nodes? */
enum slu_split { SLU_SPLIT_UNSAID, SLU_SPLIT_NO, SLU_SPLIT_SWITCH };
/* Where its servers run; unsaid is near. */
enum slu_bind { SLU_BIND_UNSAID, SLU_BIND_NEAR, SLU_BIND_FAR, SLU_BIND_NONE };
/* What a process on one node sees of what another node has written, from
 * nothing that is to be relied on to what one local file system gives; the
 * manual, sluice(7), says exactly what. */
enum slu_coherence {
	SLU_COHERENCE_UNSAID,
	SLU_COHERENCE_PRIVATE,
	SLU_COHERENCE_SHARED,
	SLU_COHERENCE_STRICT,
};
extern const char *const slu_coherence_names[]; /* NULL-ended */
/* Into the job's output; unsaid is as sluice.conf's Tell= has it. */
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
	int line;     /* where it was said; 0: where there are no lines */
};

/* A directory of the parallel file system, to be laid out before the job. */
struct slu_request_stripe {
	char *target;	  /* symbols not yet expanded */
	uint64_t size;	  /* bytes of its files; 0: not said */
	bool random;	  /* access=random */
	uint32_t readers; /* processes that read at once; 0: not said */
	uint32_t stripes; /* on so many targets, chosen by load; 0: by size */
	bool per_file;	  /* each file placed when a program makes it */
	char *fsname;	  /* of Lustre; NULL: not said */
	int line;
};

/* A buffer that outlives jobs, to be made or to be ended before the job. */
struct slu_request_persist {
	bool destroy;
	char *name;
	char *fs;	   /* FileSystem name; NULL: the site's default */
	char *profile;	   /* NULL: none */
	uint64_t capacity; /* bytes */
	char *group;	   /* whose members may use it; NULL: its owner alone */
	int64_t lifetime;  /* s; 0: the site's PersistentLifetime */
	enum slu_coherence coherence;
	bool force_said; /* by force= or hurry */
	bool force; /* destroy, though there is data that was not staged out */
	int line;
};

struct slu_request {
	bool has_fs;
	bool persistent;    /* it is the persistent buffer `name` */
	char *fs;	    /* FileSystem name; NULL: the site's default */
	char *name;	    /* "JOBFS" unless name= */
	char *profile;	    /* NULL: none */
	char *pool;	    /* that its storage is of; NULL: not said */
	enum slu_tier tier; /* of its storage; UNKNOWN: not said */
	uint64_t capacity;  /* bytes; 0: the profile says it */
	uint32_t nodes;	   /* that give storage: 0 not said, or SLU_ALL_NODES */
	uint32_t tolerate; /* nodes that may be lost; UINT32_MAX: not said */
	enum slu_dw dw;
	bool dw_said;	    /* access_mode= was; else the file system decides */
	bool dw_both;	    /* striped, and each node has a part of its own */
	bool striped_named; /* $DW_JOB_STRIPED is in a path */
	bool unnamed;	    /* never of one that is right: its name is not */
	int line;	    /* of jobfs or persistent */
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
	uint32_t forward_max;  /* UINT32_MAX: not said; 0: none */
	char *forward_pattern; /* NAME[:SIZE],...: access patterns, or NULL */
	bool has_limit;
	bool keep_limit; /* limit tighten=no: the time limit is left alone */
};

/* Bytes that are reserved beside a node's share for the manifest of each
 * stage-out, which a full file system needs all the same: at most of some
 * 500,000 files. */
static inline uint64_t slu_manifest_size(uint64_t capacity)
{
	uint64_t size = capacity / 1024;

	return size < (64u << 10)   ? 64u << 10
	       : size > (64u << 20) ? 64u << 20
				    : size;
}

/* Parse the text of --bb and/or a batch script's #BB lines (either may be
 * NULL; `script` is the whole script, only lines before the first command
 * count, as with #SBATCH). Errors name the line and the nearest valid word;
 * mistakes in several lines are told together, a line of err->text each.
 * An empty result (nothing asked for) is success with everything zero. */
int slu_request_parse(const char *option, const char *script,
		      struct slu_request *out, struct slu_err *err);
/* The same at a submission: with `strays`, lines without effect are mistakes,
 * too. */
int slu_request_submitted(const char *option, const char *script, bool strays,
			  struct slu_request *out, struct slu_err *err);
/* An error's text with the lines of --bb or the script (either may be NULL)
 * that it is about below each mistake, and a caret under what is wrong there,
 * as far as that can be told. Printable, 80 columns wide behind the name of
 * sbatch. Caller frees; NULL without memory. */
char *slu_request_quote(const char *mistakes, const char *option,
			const char *script);
/* Tell of each line that reads as a request and has no effect, 64 at most, with
 * its number and a sentence; of a script, or (option) the text of --bb. Not
 * `sure`: the script is no shell's, and the line may be part of a text of its
 * own; it is no mistake for slu_request_submitted(). Linear in its length. */
typedef void slu_stray_f(void *arg, int line, const char *text, bool sure);
void slu_request_strays(const char *text, bool option, slu_stray_f *tell,
			void *arg);
/* Tell, never `sure`, of variables that a shell's script uses as the path of a
 * job file system and that a job with this request (resolved) will not have, 8
 * at most, where the script does nothing else with them. Linear. */
void slu_request_absent(const char *script, const struct slu_request *req,
			slu_stray_f *tell, void *arg);
/* Could there be some? Before it is parsed for them. */
bool slu_request_names_any(const char *script);
/* Put "line N" before an error's text, where there are lines; returns -1. */
int slu_request_at(int line, struct slu_err *err);
/* What of a heterogeneous job's script is one component's (0: the first): its
 * options; the first has the commands, too, and there are no requests of
 * others. Caller frees; NULL without memory. */
char *slu_request_component(const char *script, uint32_t component);
/* Can its data be staged in before the job has nodes? There have to be nodes
 * for it, and the data must not lie in those of the job. */
bool slu_request_prestage(const struct slu_request *req,
			  const struct slu_conf *conf);
/* What the request leaves open, its profile or (for #DW) the site decides; the
 * capacity becomes a whole number of its pool's granules. The request then
 * stands for itself, but for the profile's options of the driver.
 */
int slu_request_resolve(struct slu_request *req, const struct slu_conf *conf,
			struct slu_err *err);
/* Against the site (call resolve first): file system exists, capacity and user
 * are allowed, sources are absolute paths or $BB_<name>/..., symbols are known.
 * `user` may be NULL. */
int slu_request_check(const struct slu_request *req,
		      const struct slu_conf *conf, const char *user,
		      struct slu_err *err);
/* Of a job that is no array: nothing in it needs a task's number. */
int slu_request_check_alone(const struct slu_request *req, struct slu_err *err);
/* Canonical one-line text that parses back to the same; "" for nothing.
 * Caller frees. */
char *slu_request_text(const struct slu_request *req);
/* Does canonical text (NULL: none) ask for something of the job's nodes, a file
 * system or directories that are laid out? Whatever its length. */
bool slu_request_has_buffer(const char *text);
/* Leaves of it what slu_request_text() says: then it is what that text would be
 * parsed to, but for striped_named. */
void slu_request_as_text(struct slu_request *req);
/* Which of slu_coherence_names it is; UNSAID: none, or NULL. */
enum slu_coherence slu_coherence_word(const char *word);
/* May the job that wants it use a persistent buffer that gives so much? An
 * error says that it may not. */
int slu_check_persist_gives(const struct slu_request *req,
			    enum slu_coherence given, struct slu_err *err);
/* The creation (or destruction) as a request of its own, so that it can be
 * resolved and checked like a jobfs. Borrowed from it; never free it. */
struct slu_request slu_persist_as_fs(const struct slu_request_persist *one);
void slu_request_free(struct slu_request *req); /* frees the content */

/* Expand %j %A %a %u %x %% and $BB_<name> (as mount). Only these; '$' or '%'
 * before anything else is an error. Caller frees. */
struct slu_symbols {
	uint32_t job_id, array_job_id, array_task_id;
	const char *user, *job_name;
	const char *fs_name; /* JOBFS */
	const char *mount;   /* what $BB_<fs_name> becomes */
	bool pattern;	     /* the path may be one: no symbol brings one */
};
char *slu_request_expand(const char *text, const struct slu_symbols *sym,
			 struct slu_err *err);

#endif
