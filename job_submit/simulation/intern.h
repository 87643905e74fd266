/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_INTERN_H
#define SLU_JOB_SUBMIT_SIMULATION_INTERN_H

/*
 * Interns strings: each distinct text is stored once and has a number, without
 * gaps. A million jobs have only a few thousand users, names and partitions,
 * and a job of the simulator refers to them by number, with 4 bytes for each.
 * One thread.
 */

#include <stdint.h>

#define SLU_INTERN_NONE UINT32_MAX

struct slu_intern;

struct slu_intern *slu_intern_new(void); /* NULL without memory */
void slu_intern_free(struct slu_intern *names);
/* The number of a text; of NULL it is 0. SLU_INTERN_NONE without memory. */
uint32_t slu_intern_put(struct slu_intern *names, const char *text);
/* The text of a number below the count; it lives as long as the names. */
const char *slu_intern_text(const struct slu_intern *names, uint32_t number);
/* How many numbers there are, that of NULL among them. */
uint32_t slu_intern_count(const struct slu_intern *names);

#endif
