/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of keys of sluice.conf, and the readers of its kinds of values.
 * Defaults go through the same readers as what an administrator writes.
 */
#include "config.h"
#include "common/conf.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/conf_fs.h"
#include "common/size.h"
#include "common/str.h"

#define ROWS_MAX 1000000000

static int no_memory(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "no memory");
}

static int read_text(const char *value, void *field, struct slu_err *err)
{
	char *copy = strdup(value);

	if (!copy)
		return no_memory(err);
	*(char **)field = copy;
	return 0;
}

static int read_path(const char *value, void *field, struct slu_err *err)
{
	if (value[0] != '/')
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not an absolute path", value);
	return read_text(value, field, err);
}

static int read_sacct(const char *value, void *field, struct slu_err *err)
{
	if (strcasecmp(value, "off") == 0)
		return 0;
	if (strcasecmp(value, "sacct") == 0)
		return read_text("sacct", field, err);
	if (value[0] != '/')
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not off, sacct or the path of one",
			       value);
	return read_text(value, field, err);
}

static int read_storage(const char *value, void *field, struct slu_err *err)
{
	if (strcasecmp(value, "auto") == 0)
		return read_text("auto", field, err);
	if (value[0] != '/')
		return slu_err(
			err, SLU_INVALID,
			"\"%s\" is neither \"auto\" nor an absolute path",
			value);
	return read_text(value, field, err);
}

int slu_conf_read_word(const char *value, const char *const *words,
		       struct slu_err *err)
{
	struct slu_buf known = {0};

	for (int i = 0; words[i]; i++) {
		if (strcasecmp(value, words[i]) == 0) {
			slu_buf_free(&known);
			return i;
		}
		slu_buf_printf(&known, "%s%s", i ? ", " : "", words[i]);
	}
	slu_err(err, SLU_INVALID, "\"%s\" is none of %s", value,
		known.data ? known.data : "the known words");
	slu_buf_free(&known);
	return -1;
}

static int read_bool(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {"no", "yes", "false", "true", NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(bool *)field = i & 1;
	return 0;
}

/* A job that has not run can be cancelled, */
static int read_on_failure(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {[SLU_REQUEUE] = "requeue",
					    [SLU_HOLD] = "hold",
					    [SLU_FAIL] = "fail",
					    [SLU_CANCEL] = "cancel",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_on_failure *)field = (enum slu_on_failure)i;
	return 0;
}

/* one that has run be left as it is. */
static int read_on_stage_out(const char *value, void *field,
			     struct slu_err *err)
{
	static const char *const words[] = {"requeue", "hold", "fail",
					    "complete", NULL};
	static const enum slu_on_failure means[] = {SLU_REQUEUE, SLU_HOLD,
						    SLU_FAIL, SLU_COMPLETE};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_on_failure *)field = means[i];
	return 0;
}

/* one that runs go on without it. */
static int read_on_server_loss(const char *value, void *field,
			       struct slu_err *err)
{
	static const char *const words[] = {"requeue", "hold", "fail", "leave",
					    NULL};
	static const enum slu_on_failure means[] = {SLU_REQUEUE, SLU_HOLD,
						    SLU_FAIL, SLU_COMPLETE};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_on_failure *)field = means[i];
	return 0;
}

static int read_predict_mode(const char *value, void *field,
			     struct slu_err *err)
{
	static const char *const words[] = {[SLU_PREDICT_OFF] = "off",
					    [SLU_PREDICT_ADVISE] = "advise",
					    [SLU_PREDICT_FILL] = "fill",
					    [SLU_PREDICT_TIGHTEN] = "tighten",
					    [SLU_PREDICT_EARLY] = "early",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_predict_mode *)field = (enum slu_predict_mode)i;
	return 0;
}

static int read_stray(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {"refuse", "warn", NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(bool *)field = i == 1;
	return 0;
}

static int read_placement_cost(const char *value, void *field,
			       struct slu_err *err)
{
	static const char *const words[] = {[SLU_PLACEMENT_CONVEX] = "convex",
					    [SLU_PLACEMENT_LINEAR] = "linear",
					    [SLU_PLACEMENT_RAW] = "linear-raw",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_placement_cost *)field = (enum slu_placement_cost)i;
	return 0;
}

const char *const slu_ion_policy_names[] = {
	[SLU_ION_ZERO] = "ZERO",       [SLU_ION_ONE] = "ONE",
	[SLU_ION_STATIC] = "STATIC",   [SLU_ION_SIZE] = "SIZE",
	[SLU_ION_PROCESS] = "PROCESS", [SLU_ION_ORACLE] = "ORACLE",
	[SLU_ION_MCKP] = "MCKP",       NULL};

static int read_ion_policy(const char *value, void *field, struct slu_err *err)
{
	int i = slu_conf_read_word(value, slu_ion_policy_names, err);

	if (i < 0)
		return -1;
	*(enum slu_ion_policy *)field = (enum slu_ion_policy)i;
	return 0;
}

static int read_seconds(const char *value, void *field, struct slu_err *err)
{
	return slu_seconds_parse(value, field, err);
}

/* Time for something to happen in: not zero. */
static int read_timeout(const char *value, void *field, struct slu_err *err)
{
	int64_t seconds;

	if (slu_seconds_parse(value, &seconds, err) < 0)
		return -1;
	if (seconds == 0)
		return slu_err(err, SLU_INVALID, "must not be zero");
	*(int64_t *)field = seconds;
	return 0;
}

/* A bare number is hours. */
static int read_hours(const char *value, void *field, struct slu_err *err)
{
	int64_t n;

	if (slu_seconds_parse(value, &n, err) < 0)
		return -1;
	*(int64_t *)field = value[strspn(value, "0123456789")] ? n : n * 3600;
	return 0;
}

int slu_conf_read_size(const char *value, void *field, struct slu_err *err)
{
	return slu_size_parse(value, field, err);
}

static int read_count(const char *value, void *field, struct slu_err *err)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!isdigit((unsigned char)value[0]) || *end || n < 1 ||
	    n > SLU_HOSTS_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 1 to %d", value,
			       SLU_HOSTS_MAX);
	*(uint32_t *)field = (uint32_t)n;
	return 0;
}

/* Also what limits a group; division.h has the same. */
#define IONS_MOST 1000

static int read_ions(const char *value, void *field, struct slu_err *err)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!isdigit((unsigned char)value[0]) || *end || n > IONS_MOST)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 0 to %d", value,
			       IONS_MOST);
	*(uint32_t *)field = (uint32_t)n;
	return 0;
}

static int read_rows(const char *value, void *field, struct slu_err *err)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end || errno || n < 1 ||
	    n > ROWS_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 1 to %d", value,
			       ROWS_MAX);
	*(int64_t *)field = (int64_t)n;
	return 0;
}

static int read_days(const char *value, void *field, struct slu_err *err)
{
	if (!strcasecmp(value, "forever")) {
		*(int64_t *)field = INT64_MAX;
		return 0;
	}
	if (read_rows(value, field, NULL) < 0)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is neither a number of days nor forever",
			       value);
	*(int64_t *)field *= 86400;
	return 0;
}

static int read_quantile(const char *value, void *field, struct slu_err *err)
{
	char *end;
	double q = strtod(value, &end);

	if (end == value || *end || !(q > 0.5 && q < 1))
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number above 0.5 and below 1",
			       value);
	*(double *)field = q;
	return 0;
}

static int read_weight(const char *value, void *field, struct slu_err *err)
{
	char *end;
	double w = strtod(value, &end);

	if (end == value || *end || !(w >= 0 && w <= 1))
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 0 to 1", value);
	*(double *)field = w;
	return 0;
}

int slu_conf_read_hosts(const char *value, void *field, struct slu_err *err)
{
	return slu_hosts_parse(value, field, err);
}

/* A list "a,b" as an owned NULL-ended array, each piece made by `make`, which
 * returns a fresh string or fills in *err. */
static int read_list(const char *value, char ***field,
		     char *(*make)(const char *piece, struct slu_err *err),
		     struct slu_err *err)
{
	size_t n = 0;
	char *copy = strdup(value), *save = NULL;
	char **list = calloc(strlen(value) + 1, sizeof(*list));

	if (!copy || !list) {
		no_memory(err);
		goto fail;
	}
	for (char *p = strtok_r(copy, ",", &save); p;
	     p = strtok_r(NULL, ",", &save))
		if (!(list[n++] = make(slu_trim(p), err)))
			goto fail;
	if (n == 0) {
		slu_err(err, SLU_INVALID, "\"%s\" names nothing", value);
		goto fail;
	}
	free(copy);
	*field = list;
	return 0;
fail:
	free(copy);
	slu_strv_free(list);
	return -1;
}

static char *make_user(const char *piece, struct slu_err *err)
{
	char *name = NULL;

	if (!*piece || strpbrk(piece, " \t:/"))
		slu_err(err, SLU_INVALID, "\"%s\" is no user name", piece);
	else if (!(name = strdup(piece)))
		no_memory(err);
	return name;
}

int slu_conf_read_users(const char *value, void *field, struct slu_err *err)
{
	return read_list(value, field, make_user, err);
}

char *slu_conf_addr(const char *piece, struct slu_err *err)
{
	static const char shape[] = "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)"
				    "(:([0-9]{1,5}))?$";
	char *addr = NULL;
	regmatch_t m[4];
	regex_t re;
	int port = SLU_DAEMON_PORT;
	bool good;

	if (regcomp(&re, shape, REG_EXTENDED) != 0) {
		no_memory(err);
		return NULL;
	}
	good = regexec(&re, piece, 4, m, 0) == 0;
	regfree(&re);
	if (good && m[3].rm_so >= 0)
		port = atoi(piece + m[3].rm_so);
	if (!good || port < 1 || port > 65535)
		slu_err(err, SLU_INVALID, "\"%s\" is not host:port", piece);
	else if (!(addr = slu_asprintf("%.*s:%d", (int)m[1].rm_eo, piece,
				       port)))
		no_memory(err);
	return addr;
}

static int read_addrs(const char *value, void *field, struct slu_err *err)
{
	return read_list(value, field, slu_conf_addr, err);
}

#define FIELD(name) offsetof(struct slu_conf, name)

const struct slu_conf_key slu_conf_keys[] = {
	{"AllowUsers", NULL, "Users who may ask for buffers; unset: everybody.",
	 slu_conf_read_users, FIELD(allow_users), false},
	{"ArbiterPolicy", "MCKP",
	 "How I/O nodes are shared out: MCKP (best total bandwidth), STATIC, SIZE, "
	 "PROCESS, ORACLE, ONE or ZERO.",
	 read_ion_policy, FIELD(ion_policy), false},
	{"ControlSocket", "/run/sluiced/control.sock",
	 "Unix socket between slurmctld and sluiced.", read_path,
	 FIELD(control_socket), false},
	{"DaemonAddr", "localhost",
	 "Comma-separated host:port list where nodes reach sluiced.",
	 read_addrs, FIELD(daemon_addr), false},
	{"Database", "/var/lib/sluice/sluice.db",
	 "Path of the SQLite database, on a local disk.", read_path,
	 FIELD(database), false},
	{"DenyUsers", NULL, "Users who may not ask for buffers.",
	 slu_conf_read_users, FIELD(deny_users), false},
	{"DirectAccess", "yes",
	 "Whether a job may reach the parallel file system without I/O nodes.",
	 read_bool, FIELD(direct_access), false},
	{"Explore", "0",
	 "Share of the predicted bandwidth that trying numbers of I/O nodes may "
	 "cost.",
	 read_weight, FIELD(explore), false},
	{"FileSystem", NULL, "One line per file system that jobs may ask for.",
	 slu_conf_read_fs, 0, true},
	{"HeldFor", "24",
	 "Hours until storage that somebody holds drains its node; 0: never.",
	 read_hours, FIELD(held_for), false},
	{"HistoryDays", "730",
	 "Days that ended jobs and their buffers are kept, or forever.",
	 read_days, FIELD(history_age), false},
	{"HistoryReplay", "100000",
	 "Most of the latest ended jobs that slurmctld learns when it reads this.",
	 read_rows, FIELD(history_replay), false},
	{"HistoryRows", "2000000", "Most ended jobs that are kept.", read_rows,
	 FIELD(history_rows), false},
	{"IOBandwidth", NULL,
	 "What the parallel file system can move under load, such as 200GB/s.",
	 slu_conf_read_rate, FIELD(io_bandwidth), false},
	{"IONodes", NULL, "Hosts that the arbiter shares out as I/O nodes.",
	 slu_conf_read_hosts, FIELD(io_nodes), false},
	{"IONodeWeightAccount", NULL,
	 "What a MB/s of an account's jobs counts: NAME:WEIGHT, ...",
	 slu_conf_read_weights, FIELD(ion_account_weights), false},
	{"IONodeWeightQOS", NULL,
	 "What a MB/s of the jobs of a QOS counts: NAME:WEIGHT, ...",
	 slu_conf_read_weights, FIELD(ion_qos_weights), false},
	{"IOScope", "read,write",
	 "What of jobs' I/O counts against IOBandwidth: read, write or both.",
	 slu_conf_read_io_scope, FIELD(io_scope), false},
	{"IOStart", "off",
	 "Whether jobs wait that would ask more of the file system than it can "
	 "move: off, advise or on.",
	 slu_conf_read_io_start, FIELD(io_start), false},
	{"JobTotals", "off",
	 "Program that fetches what JobAcctGather has counted of ended jobs.",
	 read_sacct, FIELD(job_totals), false},
	{"KeepFailed", "48", "Hours to keep data that could not be staged out.",
	 read_hours, FIELD(keep_failed), false},
	{"MappingDir", NULL,
	 "Shared directory where mappings of jobs to I/O nodes are published.",
	 read_path, FIELD(mapping_dir), false},
	{"MappingProgram", NULL,
	 "Program that sluiced runs when a new mapping is in place.", read_path,
	 FIELD(mapping_program), false},
	{"MappingTimeout", "5",
	 "Seconds for a mapping to be published before the job starts without.",
	 read_timeout, FIELD(mapping_timeout), false},
	{"MaxCapacity", NULL, "Most bytes that one job may ask for.",
	 slu_conf_read_size, FIELD(max_capacity), false},
	{"MaxGiveBack", "3600",
	 "Most seconds that setting up may add to a job's end.", read_seconds,
	 FIELD(max_give_back), false},
	{"MaxIONodesPerAccount", "0",
	 "Most I/O nodes for all jobs of an account; 0: no limit.", read_ions,
	 FIELD(max_ions_per_account), false},
	{"MaxIONodesPerJob", "8", "Most I/O nodes for one job.", read_count,
	 FIELD(max_ions_per_job), false},
	{"MaxIONodesPerUser", "0",
	 "Most I/O nodes for all jobs of a user in an account; 0: no limit.",
	 read_ions, FIELD(max_ions_per_user), false},
	{"MaxIOWait", "2d",
	 "Longest time that IOStart keeps a job waiting; 0: none waits.",
	 read_seconds, FIELD(max_io_wait), false},
	{"MinIONodesPerJob", "0", "Least I/O nodes for one job.", read_ions,
	 FIELD(min_ions_per_job), false},
	{"Mover", NULL,
	 "Program, with arguments, that copies large directories; %s and %d "
	 "become source and destination.",
	 slu_conf_read_mover, FIELD(mover), false},
	{"MoverFrom", "64GiB", "Least bytes of a directory that it copies.",
	 slu_conf_read_size, FIELD(mover_from), false},
	{"NodeStorage", "auto",
	 "Where job file systems live on a node: a path, or auto.",
	 read_storage, FIELD(node_storage), false},
	{"OnServerLoss", "fail",
	 "What becomes of a running job whose file system loses a server.",
	 read_on_server_loss, FIELD(on_server_loss), false},
	{"OnSetupFailure", "requeue",
	 "What becomes of a job whose buffer cannot be set up.",
	 read_on_failure, FIELD(on_setup), false},
	{"OnStageInFailure", "hold",
	 "What becomes of a job whose data cannot be staged in.",
	 read_on_failure, FIELD(on_stage_in), false},
	{"OnStageOutFailure", "fail",
	 "What becomes of a job whose data cannot be staged out.",
	 read_on_stage_out, FIELD(on_stage_out), false},
	{"PerformanceTable", NULL,
	 "CSV file: bandwidth by access pattern and number of I/O nodes.",
	 read_path, FIELD(performance_table), false},
	{"PersistentLifetime", "30d",
	 "Longest time that a persistent buffer lives.", read_timeout,
	 FIELD(persistent_lifetime), false},
	{"PersistentNodes", NULL, "Hosts that persistent buffers live on.",
	 slu_conf_read_hosts, FIELD(persistent_nodes), false},
	{"PlacementAlpha", "0.5",
	 "Weight of a Lustre server's processors in the placement of files.",
	 read_weight, FIELD(placement_alpha), false},
	{"PlacementBeta", "0.5",
	 "Weight of a Lustre server's memory in the placement of files.",
	 read_weight, FIELD(placement_beta), false},
	{"PlacementCost", "convex",
	 "What placement goes by: convex, linear or linear-raw costs.",
	 read_placement_cost, FIELD(placement_cost), false},
	{"Pool", NULL, "One line per pool of storage, with its limits.",
	 slu_conf_read_pool, 0, true},
	{"PredictFloor", "300",
	 "Fewest seconds that a predicted limit may have.", read_seconds,
	 FIELD(predict_floor), false},
	{"PredictMode", "advise",
	 "What a prediction does: off, advise, fill a missing limit, tighten "
	 "every limit until more is needed, early: more so.",
	 read_predict_mode, FIELD(predict_mode), false},
	{"PredictQuantile", "0.75",
	 "Share of jobs that a predicted limit should be enough for.",
	 read_quantile, FIELD(predict_quantile), false},
	{"PredictTell", "no",
	 "Whether users are told at submission what is predicted.", read_bool,
	 FIELD(predict_tell), false},
	{"Profile", NULL, "One line per preset that requests may name.",
	 slu_conf_read_profile, 0, true},
	{"RecruitIdle", NULL,
	 "Those of IONodes that are only while a recruiting job holds them.",
	 slu_conf_read_hosts, FIELD(recruit_idle), false},
	{"RemapRunning", "yes",
	 "Whether running jobs are given other I/O nodes than at their start.",
	 read_bool, FIELD(remap_running), false},
	{"RunDir", "/run/sluice", "Directory of a node's notes and mounts.",
	 read_path, FIELD(run_dir), false},
	{"SetupTimeout", "120",
	 "Seconds for the nodes of a job to set a buffer up.", read_timeout,
	 FIELD(setup_timeout), false},
	{"SlurmUser", "slurm", "The user of slurmctld and sluiced.", read_text,
	 FIELD(slurm_user), false},
	{"StageInTimeout", "1800", "Seconds for staging in.", read_timeout,
	 FIELD(stage_in_timeout), false},
	{"StageOutTimeout", "1800", "Seconds for staging out.", read_timeout,
	 FIELD(stage_out_timeout), false},
	{"StagingNodes", NULL,
	 "Hosts that stage in for jobs which wait, where data is not node-local.",
	 slu_conf_read_hosts, FIELD(staging_nodes), false},
	{"Stray", "refuse",
	 "What becomes of a job whose script has request lines without effect: "
	 "refuse, or warn.",
	 read_stray, FIELD(stray_warn), false},
	{"TeardownTimeout", "300", "Seconds for taking a buffer down.",
	 read_timeout, FIELD(teardown_timeout), false},
	{"Tell", "yes",
	 "Whether jobs' output tells what was staged, and what became of it.",
	 read_bool, FIELD(tell), false},
	{"WideStriping", "yes",
	 "Whether files of Lustre may have more than 160 stripes.", read_bool,
	 FIELD(wide_striping), false},
	{0},
};
_Static_assert(sizeof(slu_conf_keys) / sizeof(*slu_conf_keys) <=
		       SLU_CONF_KEYS_MAX + 1,
	       "slu_conf_load has room for each of them");
