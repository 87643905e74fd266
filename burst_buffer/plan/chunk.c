/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the size of the blocks in which a file is spread over servers, where
 * the option is `auto`. With blocks smaller than the application's requests
 * each request becomes several; with much larger ones a file is on few servers.
 */
#include "config.h"
#include <stdlib.h>
#include <strings.h>
#include "burst_buffer/plan/plan.h"
#include "common/str.h"

#define KIB UINT64_C(1024)
#define MIB (KIB << 10)

/* Limits of each file system: glusterfs's shard-block-size (its manual);
 * lfs-setstripe(1): a multiple of 64 KiB; BeeGFS's tuneDefaultChunkSize: a
 * power of two from 64 KiB. */
static const struct chunk {
	const char *driver, *key;
	/* bytes, powers of two; usual: without a prediction */
	uint64_t least, most, usual;
} chunks[] = {
	{"glusterfs", "shard", 4 * MIB, 512 * MIB, 64 * MIB},
	{"lustre", "stripe_size", 64 * KIB, 512 * MIB, MIB},
	{"beeond", "chunk", 64 * KIB, 512 * MIB, 512 * KIB},
};

static uint64_t size_for(const struct chunk *c, double request_size)
{
	uint64_t size = c->least;

	if (!(request_size > 0))
		return c->usual;
	while (size < c->most && (double)size < request_size)
		size *= 2;
	return size;
}

static int choose(const struct slu_plan *plan, struct slu_pair *option,
		  double request_size, struct slu_err *err)
{
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++)
		if (!strcasecmp(plan->driver, chunks[i].driver) &&
		    !strcasecmp(option->key, chunks[i].key))
			size = size_for(&chunks[i], request_size);
	if (!size || strcasecmp(option->value, "auto") != 0)
		return 0;
	free(option->value);
	option->value = slu_asprintf(
		"%llu%c",
		(unsigned long long)(size < MIB ? size / KIB : size / MIB),
		size < MIB ? 'K' : 'M');
	return option->value ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

int slu_plan_chunk(struct slu_plan *plan, double request_size,
		   struct slu_err *err)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (choose(plan, &plan->option[i], request_size, err))
			return -1;
	return 0;
}
