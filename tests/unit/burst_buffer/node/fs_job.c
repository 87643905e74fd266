/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test fixture: starts and ends a job on two simulated nodes with a fake file
 * system. sluice-node starts itself again as `sluice-node act` to copy files as
 * the job's user; that is this test program, which first checks, before main(),
 * that nothing of root's is left to it.
 */
#include "config.h"
#include "tests/unit/burst_buffer/node/fs_job.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include "common/proc.h"

/* `sluice-node act` is this very program, started anew: its user can neither
 * write the journal nor look into it, and nothing else of root's is open. */
__attribute__((constructor)) static void act(int argc, char **argv)
{
	int journal, rc;

	if (argc < 2 || strcmp(argv[1], "act"))
		return;
	journal = argc > 4 ? atoi(argv[argc - 1]) : 0;
	if (journal > 0 && (fcntl(journal, F_GETFL) & O_ACCMODE) != O_RDONLY)
		_exit(97);
	for (int fd = 3; fd < 64; fd++)
		if (fd != journal && fcntl(fd, F_GETFD) >= 0)
			_exit(96);
	rc = sluice_node_main(argc, argv);
	_exit(prctl(PR_GET_DUMPABLE) ? 98 : rc);
}

int nothing_left(const char *arg)
{
	char path[PATH_MAX];
	struct dirent *e;
	int left = 0;
	DIR *d;

	(void)arg;
	job_path(path, "");
	if (!access(path, F_OK))
		return 20;
	snprintf(path, sizeof(path), "%s/storage", world);
	d = opendir(path);
	while (d && (e = readdir(d)))
		left += e->d_name[0] != '.' && strcmp(e->d_name, "kept");
	if (d)
		closedir(d);
	return left ? 21 : 0;
}

void begin_job(void)
{
	job_starts(request);
	up();
	ctl_until("RUNNING");
}

void end_job(const char *state)
{
	job_ends(request, state);
	down();
	ctl_until("DONE");
}

void end_job_well(void)
{
	end_job("COMPLETED");
	ck_assert_str_eq(ctl_text, "");
	expect_output(true);
	nodes_all(nothing_left, "nothing left", 0);
}

int uses_mount(const char *script)
{
	char path[PATH_MAX];
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	job_path(path, "mnt/data");
	setenv("BB_JOBFS", path, 1);
	if (become_ann())
		return 12;
	return slu_run(argv, 20, NULL, NULL) ? 13 : 0;
}
