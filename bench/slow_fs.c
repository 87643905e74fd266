/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a GlusterFS client without a server, on a local directory. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "bench/slow_fs.h"
#include "common/proc.h"

/* Below io-threads, so that up to 64 delays overlap. */
static const char graph[] = "volume posix\n"
			    "type storage/posix\n"
			    "option directory %s/back\n"
			    "end-volume\n"
			    "volume slow\n"
			    "type debug/delay-gen\n"
			    "option delay-percentage 100\n"
			    "option delay-duration %u\n"
			    "subvolumes posix\n"
			    "end-volume\n"
			    "volume threads\n"
			    "type performance/io-threads\n"
			    "option thread-count 64\n"
			    "option high-prio-threads 64\n"
			    "option normal-prio-threads 64\n"
			    "option low-prio-threads 64\n"
			    "option least-prio-threads 64\n"
			    "subvolumes slow\n"
			    "end-volume\n";

static char *join(const char *work, const char *name)
{
	static char out[3][4200];
	static int turn;

	turn = (turn + 1) % 3;
	snprintf(out[turn], sizeof(out[turn]), "%s/%s", work, name);
	return out[turn];
}

const char *slow_fs_mount(const char *work, unsigned milliseconds,
			  const char **beneath)
{
	static char at[4200], back[4200];
	char *argv[] = {"glusterfs", "--reader-thread-count=8",
			"-f",	     join(work, "graph"),
			"-l",	     join(work, "log"),
			at,	     NULL};
	FILE *file = fopen(argv[3], "w");
	struct slu_err err;

	snprintf(at, sizeof(at), "%s/slow", work);
	snprintf(back, sizeof(back), "%s/back", work);
	*beneath = back;
	mkdir(at, 0755);
	mkdir(back, 0755);
	if (!file || fprintf(file, graph, work, milliseconds * 1000) < 0 ||
	    fclose(file) || slu_run(argv, 30, NULL, &err)) {
		fprintf(stderr, "slow storage cannot be had: %s/log\n", work);
		exit(1);
	}
	return at;
}

void slow_fs_unmount(const char *work)
{
	if (umount2(join(work, "slow"), MNT_DETACH))
		perror("umount");
}
