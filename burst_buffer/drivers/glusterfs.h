/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_DRIVERS_GLUSTERFS_H
#define SLU_DRIVERS_GLUSTERFS_H

/*
 * Private to the driver glusterfs: what its files (glusterfs.c, glusterfs_*.c)
 * share: paths of an instance's files, time limits, the preloaded library and
 * this node's brick.
 */

#include <limits.h>
#include "burst_buffer/drivers/driver.h"

/* The names of its server and client programs begin so. */
#define SLU_GLUSTER "gluster"
/* Default of client_library. */
#define SLU_GLUSTER_LIBRARY SLU_PKGLIBDIR "/libsluice_glusterfs.so"

/* glusterfs_files.c: the path of one of root's files. */
void slu_gluster_path(const struct slu_instance *in, const char *name,
		      char path[PATH_MAX]);
/* Write a volume file, which holds the password; frees the text. */
int slu_gluster_volfile(const char *path, struct slu_buf *text,
			struct slu_err *err);

/* Preloads our library into client and server. To prove that it is loaded, it
 * writes a file of root's when it starts: slu_gluster_preload() removes that
 * file and gives the variables for the program; slu_gluster_check_preload()
 * looks for it once the program runs. SLU_IO: the library does not work there.
 */
struct slu_gluster_preload {
	char library[PATH_MAX + 16], file[PATH_MAX + 16];
};
int slu_gluster_preload(const struct slu_instance *in, const char *file,
			struct slu_gluster_preload *env, struct slu_err *err);
int slu_gluster_check_preload(const struct slu_instance *in, const char *file,
			      const char *program, struct slu_err *err);

/* Add to an error what a log says about it. Returns -1. */
int slu_gluster_add_log(const struct slu_instance *in, const char *log,
			struct slu_err *err);

/* How many bricks the plan has, and on how many nodes. */
unsigned slu_gluster_bricks(const struct slu_plan *plan);
unsigned slu_gluster_servers(const struct slu_plan *plan);
/* Seconds for something that involves all parts, where `least` are enough for
 * one: a second more for each part, at most two minutes. */
double slu_gluster_timeout(const struct slu_plan *plan, double least);

/* glusterfs_brick.c. attr: its port, and the number of its bricks: "PORT", or
 * where there are several "bricks N port PORT", which a client of a release
 * that knows only one refuses. */
int slu_gluster_start(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		      struct slu_err *err);
/* The port of a node with so many bricks by its attribute (may be NULL). */
int slu_gluster_port(const char *node, size_t bricks, const char *attr,
		     unsigned *port, struct slu_err *err);
int slu_gluster_lives(const struct slu_instance *in, struct slu_err *err);
void slu_gluster_holds(const struct slu_instance *in, char path[PATH_MAX]);
int slu_gluster_stop(const struct slu_instance *in, struct slu_err *err);

#endif
