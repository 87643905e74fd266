/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages files in a file system without a mount. Only a program that was
 * started with its preloaded library can touch it; so `sluice-node act` is
 * started as the job's user with that library. The program is ours, but the
 * user could run another in its place: its output is parsed with care and
 * trusted no more than a user's.
 */

/*
 * The program's arguments; "" stands for none, JOURNAL is a descriptor that it
 * may read:
 *
 *	act ACT SOURCE DESTINATION WHAT BELOW ROOT SELF N FLAGS MANIFEST
 *	    JOURNAL
 *	act layout DIR
 *
 * It prints lines: "+ BYTES FILES" while it works, "j NUMBER BEGIN END" for the
 * journal, and at the end "= BYTES FILES TOTAL_BYTES TOTAL_FILES SKIPPED NAME"
 * or "! KIND TEXT".
 */
#include "config.h"
#include "burst_buffer/node/stage/interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/staging/journal.h"
#include "burst_buffer/staging/stage.h"
#include "common/file.h"

#define LAYOUT_SECONDS 30.0
#define WORDS	       12

enum flag { DURABLE = 1, PLAIN_SOURCE = 2, PLAIN_DESTINATION = 4, CONTENT = 8 };

/* The program's side */

static int print_progress(void *arg, uint64_t bytes, uint64_t files)
{
	(void)arg;
	printf("+ %" PRIu64 " %" PRIu64 "\n", bytes, files);
	return fflush(stdout) ? -1 : 0;
}

static void print_record(uint64_t number, const struct slu_stretch *is)
{
	printf("j %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", number, is->begin,
	       is->end);
	fflush(stdout);
}

static const char *or_null(const char *word)
{
	return *word ? word : NULL;
}

static int open_manifest(const char *path, int act, struct slu_err *err)
{
	int flags =
		act == SLU_PREPARE ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY;
	int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 ? slu_errno(err, SLU_IO, "no manifest") : fd;
}

static int play(char **word, struct slu_stage_result *r, struct slu_err *err)
{
	int act = atoi(word[0]), flags = atoi(word[8]), rc;
	struct slu_stage_part part = {
		.source = word[1],
		.destination = word[2],
		.what = (enum slu_stage_what)atoi(word[3]),
		.below = or_null(word[4]),
		.fs_root = or_null(word[5]),
		.self = (unsigned)atol(word[6]),
		.n = (unsigned)atol(word[7]),
		.durable = flags & DURABLE,
		.content = flags & CONTENT,
		.plain_source = flags & PLAIN_SOURCE,
		.plain_destination = flags & PLAIN_DESTINATION,
		.beside = or_null(word[10]),
		.journal = atoi(word[11]),
		.tell = print_record,
		.threads = 1, /* the library is not faster with more */
		.progress = print_progress,
	};

	part.manifest = open_manifest(word[9], act, err);
	if (part.manifest < 0)
		return -1;
	rc = slu_stage((enum slu_act_name)act, &part, r, err);
	if (close(part.manifest) && !rc)
		rc = slu_errno(err, SLU_IO, "cannot write the manifest");
	return rc;
}

static int make_layout(const char *root, struct slu_err *err)
{
	static const char *const names[] = {"data", ".sluice"};
	char path[PATH_MAX];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		if (mkdir(path, 0700) && errno != EEXIST)
			return slu_errno(err, SLU_IO,
					 "cannot make %s in the job's file "
					 "system",
					 names[i]);
	}
	return 0;
}

int slu_act_main(int argc, char **argv)
{
	struct slu_stage_result r = {0};
	struct slu_err err;
	int rc;

	prctl(PR_SET_DUMPABLE, 0); /* its user must not attach to it */
	umask(022);
	if (argc == 2 && !strcmp(argv[0], "layout"))
		rc = make_layout(argv[1], &err);
	else if (argc == WORDS)
		rc = play(argv, &r, &err);
	else
		return 2;
	if (!rc && r.in_place)
		printf("i %" PRIu64 " %s\n", r.in_place, r.first_in_place);
	if (rc)
		printf("! %d %s\n", (int)err.kind, err.text);
	else
		printf("= %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       " %" PRIu64 " %s\n",
		       r.bytes, r.files, r.total_bytes, r.total_files,
		       r.skipped, r.first_skipped);
	return fflush(stdout) ? 1 : 0;
}

/* The caller's side; all of it runs in a child that may be killed. */

/* The program inherits 0 to 2 and this descriptor only. */
static void close_all_but(int fd)
{
	for (int i = 3; i < fd; i++)
		close(i);
	slu_close_from(fd < 3 ? 3 : fd + 1);
}

static void become_program(char *const *argv, int journal, int out)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	if (journal > 0)
		fcntl(journal, F_SETFD, 0);
	if (dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	close_all_but(journal);
	execv("/proc/self/exe", argv);
	_exit(127);
}

struct told {
	struct slu_aside *aside;
	uint64_t bytes, files;
	bool ended;
	int journal; /* 0: none */
	int rc;
	struct slu_stage_result r;
};

static void hear(struct told *t, const char *line, struct slu_err *err)
{
	struct slu_stretch is;
	uint64_t bytes, files, number;
	int kind, text = 0;

	if (sscanf(line, "+ %" SCNu64 " %" SCNu64, &bytes, &files) == 2) {
		t->bytes += bytes;
		t->files += files;
		slu_aside_progress(t->aside, t->bytes, t->files);
	} else if (sscanf(line, "j %" SCNu64 " %" SCNu64 " %" SCNu64, &number,
			  &is.begin, &is.end) == 3) {
		if (t->journal > 0) /* what is not noted is done again */
			(void)slu_journal_keep(t->journal, number, &is);
	} else if (sscanf(line,
			  "= %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			  " %" SCNu64 " %200[^\n]",
			  &t->r.bytes, &t->r.files, &t->r.total_bytes,
			  &t->r.total_files, &t->r.skipped,
			  t->r.first_skipped) >= 5) {
		t->ended = true;
		t->rc = 0;
	} else if (sscanf(line, "i %" SCNu64 " %200[^\n]", &t->r.in_place,
			  t->r.first_in_place) >= 1) {
		return;
	} else if (sscanf(line, "! %d %n", &kind, &text) == 1 && text) {
		t->ended = true;
		t->rc = slu_err(err, SLU_IO, "%.*s",
				(int)strcspn(line + text, "\n"), line + text);
	}
}

static int listen_to(FILE *in, pid_t pid, struct told *t, struct slu_err *err)
{
	char line[2 * SLU_ERR_TEXT];
	int status = 0;

	while (fgets(line, sizeof(line), in))
		hear(t, line, err);
	if (waitpid(pid, &status, 0) != pid || status || !t->ended)
		return t->ended && t->rc
			       ? -1
			       : slu_err(err, SLU_IO,
					 "the job's file system cannot be "
					 "reached: its client ended with %d",
					 WIFEXITED(status) ? WEXITSTATUS(status)
							   : -WTERMSIG(status));
	return t->rc;
}

/* Opens the journal again for reading; 0: not possible. */
static int open_to_read(int journal)
{
	char path[32];
	int fd;

	if (journal <= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", journal);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? 0 : fd;
}

/* argv contains the number of `readable`, which the program inherits. */
static int run_program(struct slu_node *n, struct slu_aside *aside,
		       char *const *argv, int journal, int readable,
		       struct slu_stage_result *result, struct slu_err *err)
{
	struct told t = {.aside = aside, .journal = journal};
	struct slu_buf env = {0};
	int fd[2], rc;
	pid_t pid;
	FILE *in;

	if (n->driver->env(&n->in, &env, err))
		return -1;
	slu_instance_enter(env.data);
	slu_buf_free(&env);
	if (slu_aside_become(aside, n->plan.uid, n->plan.gid, err))
		return -1;
	if (pipe2(fd, O_CLOEXEC) || !(in = fdopen(fd[0], "r")))
		return slu_errno(err, SLU_IO, "pipe");
	pid = fork();
	if (pid == 0)
		become_program(argv, readable, fd[1]);
	close(fd[1]);
	rc = pid < 0 ? slu_errno(err, SLU_IO, "fork")
		     : listen_to(in, pid, &t, err);
	fclose(in);
	if (!rc)
		*result = t.r;
	return rc;
}

int slu_interposed_act(struct slu_node *n, struct slu_aside *aside, int act,
		       const struct slu_stage_part *p, const char *manifest,
		       struct slu_stage_result *result, struct slu_err *err)
{
	int flags = (p->durable ? DURABLE : 0) | (p->content ? CONTENT : 0) |
		    (p->plain_source ? PLAIN_SOURCE : 0) |
		    (p->plain_destination ? PLAIN_DESTINATION : 0);
	int readable = open_to_read(p->journal);
	char number[6][16];
	char *argv[] = {"sluice-node",
			"act",
			number[0],
			(char *)p->source,
			(char *)p->destination,
			number[1],
			(char *)(p->below ? p->below : ""),
			(char *)(p->fs_root ? p->fs_root : ""),
			number[2],
			number[3],
			number[4],
			(char *)manifest,
			(char *)(p->beside ? p->beside : ""),
			number[5],
			NULL};

	snprintf(number[0], sizeof(number[0]), "%d", act);
	snprintf(number[1], sizeof(number[1]), "%d", (int)p->what);
	snprintf(number[2], sizeof(number[2]), "%u", p->self);
	snprintf(number[3], sizeof(number[3]), "%u", p->n);
	snprintf(number[4], sizeof(number[4]), "%d", flags);
	snprintf(number[5], sizeof(number[5]), "%d", readable);
	return run_program(n, aside, argv, p->journal, readable, result, err);
}

static int layout(struct slu_aside *aside, void *arg, void *out,
		  struct slu_err *err)
{
	struct slu_node *n = arg;
	char *argv[] = {"sluice-node", "act", "layout", n->mnt, NULL};
	struct slu_stage_result r;

	(void)out;
	return run_program(n, aside, argv, 0, 0, &r, err);
}

int slu_interposed_layout(struct slu_node *n, struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = layout, .arg = n, .seconds = LAYOUT_SECONDS};

	return slu_aside(&aside, "the job's file system", NULL, err);
}
