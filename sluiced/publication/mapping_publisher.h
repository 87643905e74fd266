/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PUBLICATION_MAPPING_PUBLISHER_H
#define SLU_SLUICED_PUBLICATION_MAPPING_PUBLISHER_H

/*
 * Publishes the assignment of I/O nodes as mapping files: MappingDir/JOBID.map,
 * in GekkoFWD's format, for each job that holds I/O nodes, those of shared
 * nodes (nodemaps.h), and MappingDir/mapping.json with the whole assignment for
 * other forwarders; then runs the site's own program. The directory lies on a
 * shared file system, which may hang, so a child process writes them, one at a
 * time. An assignment that arrives meanwhile waits; of several only the newest
 * is written.
 */

#include "sluiced/publication/assignment.h"
#include "sluiced/event_loop.h"

struct slu_publisher;

/* An assignment is in place (err NULL), or is not, or never will be because a
 * newer one has replaced it (SLU_BUSY). After a failure it is tried again, so
 * this may be called more than once for an epoch. */
typedef void slu_published_f(void *arg, const struct slu_epoch *epoch,
			     const struct slu_err *err);

struct slu_publisher *slu_publisher_new(struct slu_loop *loop,
					slu_published_f *fn, void *arg);
/* The callback is not called any more. */
void slu_publisher_free(struct slu_publisher *publisher);

/* Publish; takes a reference to the epoch. dir NULL: nothing is written, and
 * the callback is called at once. program: run with the epoch and the path of
 * mapping.json once the files are in place, never as root; NULL: none. seconds:
 * time limit for all of it. */
void slu_publish(struct slu_publisher *publisher, struct slu_epoch *epoch,
		 const char *dir, const char *program, double seconds);

#endif
