/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_BUSY_TIMES_H
#define SLU_SELECT_IO_BUSY_TIMES_H

/*
 * Records when a file system was measured to be busy, to find the share of a
 * run's time during which it was. A ring has the last SLU_BUSY_TIMES
 * measurements with the total busy time up to each, so that the share is a
 * difference, found in O(log n). One thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_BUSY_TIMES 20160 /* a week, twice a minute; 16 bytes each */

struct slu_busy_times { /* from {0}; private */
	struct slu_busy_time {
		int64_t at;
		double busy; /* s, until then */
	} * time;
	size_t n, next;
};

/* From the measurement before until `now` it was busy, or not. After a gap of
 * more than `gap` seconds nothing is known of it. A clock that was set back
 * begins anew. Without memory nothing is noted. */
void slu_busy_times_add(struct slu_busy_times *b, bool busy, int64_t now,
			int64_t gap);
/* The share of this time that was busy, 0 to 1; what was not measured was not.
 */
double slu_busy_times_share(const struct slu_busy_times *b, int64_t start,
			    int64_t end);
void slu_busy_times_free(struct slu_busy_times *b);

#endif
