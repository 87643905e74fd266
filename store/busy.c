/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits how long SQLite waits while another process writes to the database.
 * After a wait that ended in SQLITE_BUSY the next waits are short for a while:
 * otherwise a daemon that writes a lot would spend all its time waiting.
 */
#include "config.h"
#include "store/db_private.h"

#include <unistd.h>
#include "common/clock.h"
#include "store/db.h"

#define BUSY_TIMEOUT  5.0  /* s */
#define SHORT_TIMEOUT 0.05 /* s, for TIMES as long as the wait in vain */
#define TIMES	      10.0
#define PAUSE	      1000u /* us, as long as the wait so far, within this */
#define LONGEST_PAUSE 50000u

/* SQLite's busy handler: may it try again? `n`: how often it has tried. */
static int busy(void *arg, int n)
{
	struct slu_db_busy *b = arg;
	double now = slu_now_mono(), waited;
	useconds_t pause = PAUSE;

	if (n == 0)
		b->since = now;
	waited = now - b->since;
	if (waited >= (now < b->until ? SHORT_TIMEOUT : b->timeout)) {
		if (now >= b->until)
			b->until = now + TIMES * waited;
		return 0;
	}
	if (waited * 1e6 > PAUSE)
		pause = waited * 1e6 < LONGEST_PAUSE
				? (useconds_t)(waited * 1e6)
				: LONGEST_PAUSE;
	usleep(pause);
	return 1;
}

void slu_busy_arm(struct slu_db_busy *b, sqlite3 *sqlite)
{
	*b = (struct slu_db_busy){.timeout = BUSY_TIMEOUT};
	sqlite3_busy_handler(sqlite, busy, b);
}
