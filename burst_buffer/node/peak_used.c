/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how full this node's part of the file system is, now and at most.
 * The note "used" has the bytes of the empty file system and the highest use
 * since; every process that works on the job updates it, so that a peak between
 * two reports is in the next one. A check only asks the kernel and takes
 * microseconds.
 */
#include "config.h"
#include "burst_buffer/node/devices.h"

#include <inttypes.h>
#include <stdlib.h>

#define NOTE "used"

static bool read_note(const struct slu_node *n, uint64_t *empty, uint64_t *most)
{
	char *text = slu_note_get(n, NOTE);
	bool is =
		text && sscanf(text, "%" SCNu64 " %" SCNu64, empty, most) == 2;

	free(text);
	return is;
}

static void write_note(struct slu_node *n, uint64_t empty, uint64_t most)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "\n", empty, most);
	slu_note_put(n, NOTE, 0644, text, NULL);
}

void slu_peak_used_begin(struct slu_node *n)
{
	uint64_t empty;

	/* one that survives a restart may contain data already */
	if (!n->plan.persistent && !slu_note_has(n, NOTE) &&
	    !slu_devices_used(n, &empty, NULL))
		write_note(n, empty, 0);
}

struct slu_used slu_peak_used_sample(struct slu_node *n)
{
	uint64_t empty = 0, most = 0, now;
	struct slu_used used = {0};
	bool noted;

	if (slu_devices_used(n, &now, NULL))
		return used;
	noted = read_note(n, &empty, &most);
	used.known = true;
	used.now = now > empty ? now - empty : 0;
	used.most = used.now > most ? used.now : most;
	if (!noted || used.most > most)
		write_note(n, empty, used.most);
	return used;
}
