/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_PLACED_H
#define SLU_SELECT_IO_PLACED_H

/*
 * Private to libsluice_placed.so, which places the new files of the program
 * that it is preloaded into: where files are placed, on which targets, and
 * their creation. Any thread of that program may call, signal handlers and
 * forked children too; nothing here allocates memory.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SLU_PLACED_STRIPES 2000 /* of a file in Lustre */

/* placed_open.c: calls the C library's openat(2). */
int slu_placed_real_open(int dir, const char *path, int flags, mode_t mode);

/* placed_where.c: is the file that the path names below one of the directories?
 * errno is as before. */
bool slu_placed_is_below(int dir, const char *path);

/* placed_file.c: as openat(2) with O_CREAT, but a new file on Lustre is created
 * on the next targets of the stock. It fails only where openat(2) would. */
int slu_placed_open(int dir, const char *path, int flags, mode_t mode);

/* placed_targets.c: the storage targets of the next new file, at most
 * `stripes`; returns their number, 0: not known. May wait for
 * SLU_PLACED_SECONDS, but after a failure not again for a minute. */
#define SLU_PLACED_SECONDS 5
int slu_placed_next(uint32_t *target, unsigned stripes);
/* The number of stripes of each file. */
unsigned slu_placed_stripes(void);
/* False: a query has failed less than a minute ago. */
bool slu_placed_are_known(void);

/* Prints the reason why new files are not placed: once in a process, and only
 * in the first task of a step. */
void slu_placed_say(const char *why);

#endif
