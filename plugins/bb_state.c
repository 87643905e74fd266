/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packs our buffers for `scontrol show burst`, from the mirror, in Slurm's own
 * layout of one burst buffer plugin (src/common/slurm_protocol_pack.c,
 * _unpack_burst_buffer_info_msg). Fields that only other systems have stay
 * empty.
 */
#include "config.h"
#include "plugins/host.h"
#include "plugins/bb_state.h"

struct use {
	uint32_t uid;
	uint64_t size;
};

struct pack {
	buf_t *buffer;
	struct use *use;
	size_t n_use, cap;
};

/* The nearest of Slurm's states. */
static uint16_t slurms_state(const char *state)
{
	static const struct {
		const char *ours;
		uint16_t slurms;
	} map[] = {
		{"SETUP", BB_STATE_ALLOCATING},
		{"STAGE_IN", BB_STATE_STAGING_IN},
		{"RUNNING", BB_STATE_RUNNING},
		{"STAGE_OUT", BB_STATE_STAGING_OUT},
		{"TEARDOWN", BB_STATE_TEARDOWN},
		{"DONE", BB_STATE_COMPLETE},
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (!xstrcmp(state, map[i].ours))
			return map[i].slurms;
	return BB_STATE_PENDING;
}

static uint16_t slurms_state_of(const struct slu_buffer_state *b)
{
	if (!b->persistent || xstrcmp(b->state, "RUNNING"))
		return slurms_state(b->state);
	return b->early ? BB_STATE_STAGED_IN : BB_STATE_ALLOCATED;
}

static void add_use(struct pack *p, const struct slu_buffer_state *b)
{
	size_t i = 0;

	while (i < p->n_use && p->use[i].uid != b->uid)
		i++;
	if (i == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 16;
		xrecalloc(p->use, p->cap, sizeof(*p->use));
	}
	if (i == p->n_use)
		p->use[p->n_use++].uid = b->uid;
	p->use[i].size += b->size;
}

static void pack_one(void *arg, const struct slu_buffer_state *b)
{
	struct pack *p = arg;

	packnull(p->buffer); /* account */
	pack32(0, p->buffer);
	pack32(NO_VAL, p->buffer); /* array job and task */
	pack_time(b->created, p->buffer);
	/* Slurm shows one without a job by its name */
	pack32(b->early	       ? b->creator
	       : b->persistent ? 0
			       : b->job_id,
	       p->buffer);
	packstr(b->name, p->buffer);
	packnull(p->buffer); /* partition */
	packstr(b->pool, p->buffer);
	packnull(p->buffer); /* qos */
	pack64(b->size, p->buffer);
	pack16(slurms_state_of(b), p->buffer);
	pack32(b->uid, p->buffer);
	add_use(p, b);
}

static void pack_nulls(buf_t *buffer, int n)
{
	while (n--)
		packnull(buffer);
}

struct pool {
	char *name;
	struct slu_ctl_pool size; /* all but the name */
};

struct pools {
	struct pool *pool;
	size_t n;
};

/* Sizes in whole granules, and MiB at least, as people read them. */
static void round_pool(struct slu_ctl_pool *pool)
{
	uint64_t unit =
		pool->granularity < 1 << 20 ? 1 << 20 : pool->granularity;

	pool->total -= pool->total % unit;
	pool->unfree += unit - 1;
	pool->unfree -= pool->unfree % unit;
	if (pool->unfree > pool->total)
		pool->unfree = pool->total;
}

static void take_pool(void *arg, const struct slu_ctl_pool *pool)
{
	struct pools *all = arg;

	xrecalloc(all->pool, all->n + 1, sizeof(*all->pool));
	all->pool[all->n++] =
		(struct pool){.name = xstrdup(pool->name), .size = *pool};
	round_pool(&all->pool[all->n - 1].size);
}

static void free_pools(struct pools *all)
{
	for (size_t i = 0; i < all->n; i++)
		xfree(all->pool[i].name);
	xfree(all->pool);
}

/* Slurm shows the first pool as the plugin's own, the others below it. */
static void pack_others(const struct pools *all, buf_t *buffer)
{
	pack32(all->n ? (uint32_t)all->n - 1 : 0, buffer);
	for (size_t i = 1; i < all->n; i++) {
		packstr(all->pool[i].name, buffer);
		pack64(all->pool[i].size.total, buffer);
		pack64(all->pool[i].size.granularity, buffer);
		pack64(all->pool[i].size.unfree, buffer);
		pack64(all->pool[i].size.used, buffer);
	}
}

static void pack_head(struct slu_ctl *ctl, const struct pools *all,
		      buf_t *buffer, uint16_t version)
{
	const struct pool none = {.size = {.granularity = 1}};
	const struct pool *first = all->n ? &all->pool[0] : &none;
	uint32_t stage_in, stage_out;

	slu_ctl_timeouts(ctl, &stage_in, &stage_out);
	packstr("sluice", buffer);
	pack_nulls(buffer, 2); /* users, create */
	packstr(first->name, buffer);
	pack_nulls(buffer, 2); /* users, destroy */
	pack32(0, buffer);     /* flags */
	pack_nulls(buffer, 2); /* system state and status */
	pack64(first->size.granularity, buffer);
	pack_others(all, buffer);
	pack32(0, buffer); /* other timeout */
	if (slu_packs_poll_interval(version))
		pack32(0, buffer);
	pack_nulls(buffer, 4); /* stage scripts */
	pack32(stage_in, buffer);
	pack32(stage_out, buffer);
	pack64(first->size.total, buffer);
	pack64(first->size.unfree, buffer);
	pack64(first->size.used, buffer);
	pack32(0, buffer); /* validate timeout */
}

/* Overwrite the 32 bits packed at `at`. */
static void patch32(buf_t *buffer, uint32_t at, uint32_t value)
{
	uint32_t end = get_buf_offset(buffer);

	set_buf_offset(buffer, at);
	pack32(value, buffer);
	set_buf_offset(buffer, end);
}

void slu_bb_pack(struct slu_ctl *ctl, uid_t uid, buf_t *buffer,
		 uint16_t protocol_version)
{
	struct pack p = {.buffer = buffer};
	struct pools all = {0};
	uint32_t count_at;
	size_t n;

	slu_ctl_pools(ctl, take_pool, &all);
	pack_head(ctl, &all, buffer, protocol_version);
	free_pools(&all);
	count_at = get_buf_offset(buffer);
	pack32(0, buffer);
	if (!(slurm_conf.private_data & PRIVATE_DATA_JOBS) ||
	    validate_operator(uid))
		uid = SLU_NO_ID;
	n = slu_ctl_buffers(ctl, uid, pack_one, &p);
	patch32(buffer, count_at, (uint32_t)n);
	pack32((uint32_t)p.n_use, buffer);
	for (size_t i = 0; i < p.n_use; i++) {
		pack64(p.use[i].size, buffer);
		pack32(p.use[i].uid, buffer);
	}
	xfree(p.use);
}
