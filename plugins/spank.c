/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPANK plugin: sets up and takes down the file system of a job with a
 * buffer on its nodes. It runs `sluice-node up` before and `sluice-node down`
 * after the job, `sluice-node recover` when slurmd starts, and sets for the
 * job's tasks the environment that `up` has written to RunDir/JOB/env, or
 * refuses to start them with one sentence. For a job without a buffer it only
 * records its steps' I/O, with map=. Links none of our libraries, because every
 * srun and slurmstepd loads it.
 */

/*
 * plugstack.conf: required spank_sluice.so [node=PROGRAM] [run=RunDir]
 * [map=MappingDir] [sluiced=HOST[:PORT],...]. It must be `required`: only then
 * does a refusal end the step.
 *
 * Exit status: not zero, which drains the node, only if a job has left
 * something and sluice-node reports that the node cannot be cleaned, or
 * sluice-node could not be run or could not read its configuration.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include "plugins/spank_env.h"
#include "plugins/spank_map.h"

SPANK_PLUGIN(sluice, 1)

#define TRIES	   3 /* of a sluice-node that a signal killed */
#define IO_SECONDS 5 /* for sending a job's I/O totals */
#define BAD_CONF   2 /* exit status of sluice-node */
#define CANNOT_RUN 127
#define SOON	   50 /* tenths of a second for an `up` that runs */

struct conf {
	const char *node, *run, *map, *sluiced;
	uint32_t job;
};

static bool conf_get(spank_t sp, int ac, char **av, struct conf *conf)
{
	*conf = (struct conf){.node = SLU_BINDIR "/sluice-node",
			      .run = "/run/sluice"};
	for (int i = 0; i < ac; i++) {
		if (!strncmp(av[i], "node=", 5))
			conf->node = av[i] + 5;
		else if (!strncmp(av[i], "run=", 4))
			conf->run = av[i] + 4;
		else if (!strncmp(av[i], "map=", 4))
			conf->map = av[i] + 4;
		else if (!strncmp(av[i], "sluiced=", 8))
			conf->sluiced = av[i] + 8;
		else
			slurm_error("sluice: plugstack.conf: unknown argument "
				    "%s (node=, run=, map= and sluiced= are "
				    "known)",
				    av[i]);
	}
	return spank_get_item(sp, S_JOB_ID, &conf->job) == ESPANK_SUCCESS;
}

static void job_path(const struct conf *conf, const char *file,
		     char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/%u%s%s", conf->run, conf->job,
		 *file ? "/" : "", file);
}

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static bool job_has_notes(const struct conf *conf)
{
	char path[PATH_MAX];

	job_path(conf, "", path);
	return exists(path);
}

/* In the child: nothing of slurmd's but the three standard descriptors. */
static void become_node(const struct conf *conf, const char *verb)
{
	char job[16];
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	close_range(3, ~0U, 0);
	snprintf(job, sizeof(job), "%u", conf->job);
	if (conf->sluiced) /* where there is no sluice.conf */
		setenv("SLUICE_SERVER", conf->sluiced, 1);
	execl(conf->node, "sluice-node", verb, conf->job ? "--job" : NULL, job,
	      (char *)NULL);
	_exit(CANNOT_RUN);
}

static int run_once(const struct conf *conf, const char *verb)
{
	int status = CANNOT_RUN << 8;
	pid_t pid = fork();

	if (pid == 0)
		become_node(conf, verb);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* The exit status; CANNOT_RUN also when signals killed it again and again. */
static int run_node(const struct conf *conf, const char *verb)
{
	int status = 0;

	for (int try = 0; try < TRIES; try++) {
		status = run_once(conf, verb);
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		slurm_error("sluice: JobId=%u: sluice-node %s died of signal "
			    "%d",
			    conf->job, verb, WTERMSIG(status));
	}
	return CANNOT_RUN;
}

/* Note Lustre's counters before the job begins. A file system that hangs, even
 * beyond SIGALRM, must not delay the job: counting is optional. */
static void begin(const struct conf *conf)
{
	pid_t pid = fork();

	if (pid == 0) {
		alarm(IO_SECONDS);
		become_node(conf, "begin");
	}
	for (int i = 0; pid > 0 && i < IO_SECONDS * 100; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		usleep(10000);
	}
}

/* Are there mounts of Lustre, whose counters show a job's I/O? */
static bool has_lustre(void)
{
	return exists("/sys/kernel/debug/lustre/llite") ||
	       exists("/proc/fs/lustre/llite");
}

int slurm_spank_job_prolog(spank_t sp, int ac, char **av)
{
	bool buffer = getenv("SPANK_SLUICE_BUFFER"), lustre = has_lustre();
	struct conf conf;
	int rc;

	if ((!buffer && !lustre) || !conf_get(sp, ac, av, &conf))
		return 0;
	if (lustre && !conf.map) /* else its tasks are counted */
		begin(&conf);
	if (!buffer)
		return 0;
	rc = run_node(&conf, "up");
	if (rc == 0)
		return 0;
	slurm_error("sluice: JobId=%u: %s up: %s", conf.job, conf.node,
		    rc == CANNOT_RUN ? "cannot be run"
				     : "this node cannot be cleaned");
	/* Without a program there is no buffer, and the task hook says so. */
	return rc == CANNOT_RUN ? 0 : -1;
}

/* Starts sluice-node without waiting for its end. It is in a session of its own
 * when this returns, as slurmd kills our process group when we have ended. */
static void start_node(const struct conf *conf, const char *verb,
		       unsigned seconds)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		if (fork() == 0) {
			alarm(seconds);
			become_node(conf, verb);
		}
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int slurm_spank_init(spank_t sp, int ac, char **av)
{
	struct conf conf;

	if (spank_context() != S_CTX_SLURMD)
		return 0;
	conf_get(sp, ac, av, &conf);
	conf.job = 0;
	start_node(&conf, "recover", 0); /* slurmd registers meanwhile */
	return 0;
}

static void io_path(const struct conf *conf, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/io/%u", conf->run, conf->job);
}

static void lustre_path(const struct conf *conf, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/io/%u.llite", conf->run, conf->job);
}

/* Sends the job's I/O counts without waiting, so that the node's next job does
 * not start later. */
static void send_io(const struct conf *conf)
{
	char tasks[PATH_MAX], lustre[PATH_MAX];

	io_path(conf, tasks);
	lustre_path(conf, lustre);
	if (exists(tasks) || exists(lustre))
		start_node(conf, "io", IO_SECONDS);
}

int slurm_spank_job_epilog(spank_t sp, int ac, char **av)
{
	char lustre[PATH_MAX];
	struct conf conf;
	bool notes;
	int rc;

	if (!conf_get(sp, ac, av, &conf))
		return 0;
	notes = job_has_notes(&conf);
	if (!notes && !getenv("SPANK_SLUICE_BUFFER")) {
		send_io(&conf);
		return 0;
	}
	rc = run_node(&conf, "down");
	lustre_path(&conf, lustre); /* it was for the neighbours to see */
	unlink(lustre);
	if (rc == 0)
		return 0;
	slurm_error("sluice: JobId=%u: %s down: %s, see %s/%u", conf.job,
		    conf.node,
		    rc == CANNOT_RUN ? "cannot be run"
		    : rc == BAD_CONF ? "cannot read sluice.conf"
				     : "this node cannot be cleaned",
		    conf.run, conf.job);
	/* A job that was never set up here has left nothing. */
	return notes || (rc != CANNOT_RUN && rc != BAD_CONF) ? -1 : 0;
}

/* Sets the variables of a note, if there is one. */
static bool set_variables(spank_t sp, const struct conf *conf, const char *note)
{
	char path[PATH_MAX];

	job_path(conf, note, path);
	return slu_spank_env(sp, path);
}

static bool has_note(const struct conf *conf, const char *note)
{
	char path[PATH_MAX];

	job_path(conf, note, path);
	return exists(path);
}

/* slurmctld has put the job's number into the environment of its script and
 * of salloc and srun; another number comes from an outer job. */
static bool wants_buffer(spank_t sp, const struct conf *conf)
{
	char job[16];

	return spank_getenv(sp, "SLUICE_BUFFER", job, sizeof(job)) ==
		       ESPANK_SUCCESS &&
	       strtoul(job, NULL, 10) == conf->job;
}

/* For this run: with a result there, the buffer of an earlier run is being
 * removed. */
static bool is_set_up(const struct conf *conf)
{
	return (has_note(conf, "env") || has_note(conf, "refused")) &&
	       !has_note(conf, "result");
}

/* If slurmd has run no prolog for this run, the previous run's watcher may be
 * setting it up just now; all other nodes are ready then. */
static bool is_set_up_soon(const struct conf *conf)
{
	for (int i = 0; i < SOON && !is_set_up(conf); i++) {
		if (!has_note(conf, "plan.json") || !has_note(conf, "up.pid"))
			return false;
		usleep(100000);
	}
	return is_set_up(conf);
}

static bool is_batch(spank_t sp)
{
	uint32_t step;

	return spank_get_item(sp, S_JOB_STEPID, &step) == ESPANK_SUCCESS &&
	       step == SLURM_BATCH_SCRIPT;
}

/* Returns -1 when this node has no buffer for the job. */
static int set_environment(spank_t sp, const struct conf *conf)
{
	char path[PATH_MAX], *text;

	if (!is_set_up(conf)) {
		slurm_error("sluice: this node has no file system for job %u: "
			    "it was not set up here (tell the administrator)",
			    conf->job);
		return -1;
	}
	job_path(conf, "refused", path);
	text = slu_spank_read(path);
	if (text) {
		slurm_error("sluice: %.*s", (int)strcspn(text, "\n"), text);
		free(text);
		return -1;
	}
	return set_variables(sp, conf, "env") &&
			       (is_batch(sp) ||
				set_variables(sp, conf, "env.steps"))
		       ? 0
		       : -1;
}

/* Where the batch script's output goes is known to the task, whose user may not
 * write a note; root may not look at it before that. So it is opened as root,
 * in the task's process, and closed before the script runs. */
static int output_note = -1;

int slurm_spank_task_init_privileged(spank_t sp, int ac, char **av)
{
	char path[PATH_MAX];
	struct conf conf;

	if (!conf_get(sp, ac, av, &conf))
		return 0;
	/* slurmd does not run a prolog before each run */
	if (wants_buffer(sp, &conf) && !is_set_up_soon(&conf))
		run_once(&conf, "missed");
	if (!is_batch(sp) || !has_note(&conf, "tell"))
		return 0;
	job_path(&conf, "output", path);
	output_note = open(
		path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		0600);
	return 0;
}

/* Begin the output of a batch script with what its file system is. Only in a
 * regular file: a program that reads a pipe expects only the script's output.
 */
static void tell(const struct conf *conf)
{
	char path[PATH_MAX], out[PATH_MAX], *text;
	struct stat st;
	ssize_t n;

	if (output_note < 0)
		return;
	n = readlink("/proc/self/fd/1", out, sizeof(out));
	job_path(conf, "tell", path);
	text = slu_spank_read(path);
	if (text && n > 0 && n < PATH_MAX && fstat(1, &st) == 0 &&
	    S_ISREG(st.st_mode) && write(1, text, strlen(text)) >= 0)
		dprintf(output_note, "%llu %.*s", (unsigned long long)st.st_ino,
			(int)n, out);
	free(text);
	close(output_note);
	output_note = -1;
}

int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
	struct conf conf;

	if (!conf_get(sp, ac, av, &conf) ||
	    (!job_has_notes(&conf) && !wants_buffer(sp, &conf)))
		return 0;
	if (set_environment(sp, &conf))
		return -1;
	tell(&conf);
	return 0;
}

/* The step's tasks use a client whose I/O the kernel's counters do not see. */
static bool past_kernel;

/* Once per step and node, as the user: the mapping lies on a shared file
 * system, which every task of a large job should not ask. */
int slurm_spank_user_init(spank_t sp, int ac, char **av)
{
	struct conf conf;

	if (conf_get(sp, ac, av, &conf) && conf.map)
		past_kernel = slu_spank_map(
			sp, &(struct slu_spank_map){
				    .dir = conf.map,
				    .run = conf.run,
				    .job = conf.job,
				    .none = has_note(&conf, "env.steps"),
			    });
	return 0;
}

/* What the step's processes have read and written, in files and pipes: the
 * kernel adds it up in their parent, slurmstepd. For I/O that the kernel does
 * not see the result is unknown, not zero. */
static void note_io(const struct conf *conf)
{
	unsigned long long in, out;
	char path[PATH_MAX], *text = slu_spank_read("/proc/self/io");
	int fd;

	if (!text || sscanf(text, "rchar: %llu wchar: %llu", &in, &out) != 2)
		goto out;
	snprintf(path, sizeof(path), "%s/io", conf->run);
	mkdir(conf->run, 0755);
	mkdir(path, 0700);
	io_path(conf, path);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		goto out;
	if (past_kernel)
		dprintf(fd, "unknown\n");
	else
		dprintf(fd, "%llu %llu\n", in, out);
	close(fd);
out:
	free(text);
}

int slurm_spank_exit(spank_t sp, int ac, char **av)
{
	struct conf conf;

	if (spank_context() == S_CTX_REMOTE && conf_get(sp, ac, av, &conf) &&
	    conf.map && !job_has_notes(&conf))
		note_io(&conf);
	return 0;
}
