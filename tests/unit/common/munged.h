/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_MUNGED_H
#define SLU_TESTS_MUNGED_H

/* Starts a munged with its own key for a test; it ends with the test. */

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "common/cred.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

/* MUNGED_OPTION of the environment is one more, if a test sets it. */
static void munged_exec(const char *dir)
{
	char option[5][300];
	const char *const name[] = {"key-file", "socket", "pid-file",
				    "log-file", "seed-file"};

	for (int i = 0; i < 5; i++)
		snprintf(option[i], sizeof(option[i]), "--%s=%s/%s", name[i],
			 dir, name[i]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	freopen("/dev/null", "w", stderr);
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	execlp("munged", "munged", "--foreground", "--force", option[0],
	       option[1], option[2], option[3], option[4],
	       getenv("MUNGED_OPTION"), (char *)NULL);
	_exit(127);
}

/* Start it and make credentials use it; returns its pid. Without munged, 0:
 * says so, and the test has nothing to do. */
static pid_t munged_start(void)
{
	const char *dir = tmpdir();
	char socket[300], key[300];
	FILE *file;
	pid_t pid;

	snprintf(socket, sizeof(socket), "%s/socket", dir);
	snprintf(key, sizeof(key), "%s/key-file", dir);
	chmod(dir, 0755); /* other users may ask, too */
	umask(022);
	file = fopen(key, "w");
	fprintf(file, "%0128d", (int)getpid());
	fclose(file);
	chmod(key, 0600);
	pid = fork();
	if (pid == 0)
		munged_exec(dir);
	while (access(socket, F_OK) < 0) {
		if (waitpid(pid, NULL, WNOHANG) == pid) {
			skip("munged does not start");
			return 0;
		}
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	slu_cred_socket(strdup(socket));
	return pid;
}

#endif
