/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLUICE_PLACE_H
#define SLUICE_PLACE_H

/*
 * Chooses Lustre targets for new files, for applications: asks sluiced, which
 * knows the load, the space and the latency of all storage targets. Link with
 * -lsluice_place; see sluice_place(3). Nothing is kept between calls, so that
 * any thread may call.
 */

/*
 * Every call asks sluiced once and waits at most SLUICE_PLACE_SECONDS for its
 * answer. If there are too many requests, and sluiced answers that they should
 * be repeated, the call repeats its request with growing pauses, for at most
 * SLUICE_PLACE_TURN seconds; in a parallel program one process should ask for
 * all files (sluice_place_files). sluiced places at least SLUICE_PLACE_RATE
 * files of a user in a second, of up to eight stripes each. Targets that this
 * client has set inactive are not used. sluice.conf is found as by sysquery(1):
 * SLUICE_CONF, else beside slurm.conf.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_PLACE_ERROR   256
#define SLUICE_PLACE_SECONDS 10
#define SLUICE_PLACE_TURN    60
#define SLUICE_PLACE_RATE    10000

struct sluice_place {
	uint32_t stripes;	 /* targets that the file is to have, 1..2000 */
	uint64_t size;		 /* bytes it will have; 0: unknown */
	const char *application; /* keep space for the next requests of jobs
				    with this name; NULL: of none */
	const char *fsname;	 /* of Lustre; NULL: there is only one */
};

/* The targets' indexes, the first stripe's first, into target (room for
 * `ask->stripes`). Returns how many there are: fewer than asked for, where not
 * so many can be used. -1: sluiced does not answer, or no target can be used;
 * error says why. */
int sluice_place(const struct sluice_place *ask, uint32_t *target,
		 char error[SLUICE_PLACE_ERROR]);

/* The same for so many files at once, 1 to SLUICE_PLACE_FILES stripes in all:
 * the targets of file i begin at target[i * ask->stripes], and count[i] says
 * how many they are, 0: there is no room for it. 0, or -1 and why. */
#define SLUICE_PLACE_FILES 4096
int sluice_place_files(const struct sluice_place *ask, uint32_t files,
		       uint32_t *target, uint32_t *count,
		       char error[SLUICE_PLACE_ERROR]);

/* The same, only to look: for the next questions it did not happen. */
int sluice_place_look(const struct sluice_place *ask, uint32_t *target,
		      char error[SLUICE_PLACE_ERROR]);

/* Make the file at `path`, which must not be there yet, on such targets: runs
 * `lfs setstripe`. 0, or -1 and why. Where it is refused because of one target,
 * it is tried once more without that: error says so then, beside 0, and is ""
 * otherwise. */
int sluice_place_create(const char *path, const struct sluice_place *ask,
			char error[SLUICE_PLACE_ERROR]);

/* The same of a file whose n targets are known, of sluice_place_files().
 * target has room for ask->stripes, and is changed where one is refused. */
int sluice_place_create_on(const char *path, const struct sluice_place *ask,
			   uint32_t *target, uint32_t n,
			   char error[SLUICE_PLACE_ERROR]);

/* Called before each pause, with the seconds waited so far; NULL by default: no
 * call. For programs that inform their users; set it before the first question.
 */
extern void (*sluice_place_waits)(double seconds);

#ifdef __cplusplus
}
#endif

#endif
