/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLUICE_PLACE_H
#define SLUICE_PLACE_H

/*
 * For applications: where a new file on Lustre should go, as sluiced says,
 * which knows the load, the space and the latency of all storage targets. Link
 * with -lsluice_place; see sluice_place(3).
 *
 * Every call asks sluiced once and waits for its answer, SLUICE_PLACE_SECONDS
 * at most, also for its turn when many ask at once; a parallel program should
 * let one process ask. Targets that this client has set inactive are not used.
 * Nothing is kept between calls, so that any thread may call. sluice.conf is
 * found as by sysquery(1): SLUICE_CONF, else beside slurm.conf.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_PLACE_ERROR   256
#define SLUICE_PLACE_SECONDS 10

struct sluice_place {
	uint32_t stripes;	 /* targets that the file is to have, 1..2000 */
	uint64_t size;		 /* bytes it will have; 0: unknown */
	const char *application; /* whose next requests to keep room for: the
				  * name of its jobs; NULL: nobody's */
	const char *fsname;	 /* of Lustre; NULL: there is only one */
};

/* The targets' indexes, the first stripe's first, into target (room for
 * `ask->stripes`). Returns how many there are: fewer than asked for, where not
 * so many can be used. -1: there is nobody to ask, or none can be used; error
 * says why. */
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

#ifdef __cplusplus
}
#endif

#endif
