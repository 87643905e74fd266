/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `scontrol show burst` reads: Slurm's own layout of one burst buffer
 * plugin (src/common/slurm_protocol_pack.c, _unpack_burst_buffer_info_msg),
 * filled in from the mirror. Fields of other systems stay empty.
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
	uint64_t total;
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
	pack32(b->job_id, p->buffer);
	packstr(b->name, p->buffer);
	packnull(p->buffer); /* partition */
	packnull(p->buffer); /* pool */
	packnull(p->buffer); /* qos */
	pack64(b->size, p->buffer);
	pack16(slurms_state(b->state), p->buffer);
	pack32(b->uid, p->buffer);
	p->total += b->size;
	add_use(p, b);
}

static void pack_nulls(buf_t *buffer, int n)
{
	while (n--)
		packnull(buffer);
}

static void pack_head(struct slu_ctl *ctl, buf_t *buffer)
{
	uint32_t stage_in, stage_out;

	slu_ctl_timeouts(ctl, &stage_in, &stage_out);
	packstr("sluice", buffer);
	pack_nulls(buffer, 5); /* users, create, pool, users, destroy */
	pack32(0, buffer);     /* flags */
	pack_nulls(buffer, 2); /* system state and status */
	pack64(1, buffer);     /* granularity */
	pack32(0, buffer);     /* pools */
	pack32(0, buffer);     /* other timeout */
	pack_nulls(buffer, 4); /* stage scripts */
	pack32(stage_in, buffer);
	pack32(stage_out, buffer);
}

/* Overwrite the 32 or 64 bits packed at `at`. */
static void patch32(buf_t *buffer, uint32_t at, uint32_t value)
{
	uint32_t end = get_buf_offset(buffer);

	set_buf_offset(buffer, at);
	pack32(value, buffer);
	set_buf_offset(buffer, end);
}

static void patch64(buf_t *buffer, uint32_t at, uint64_t value)
{
	uint32_t end = get_buf_offset(buffer);

	set_buf_offset(buffer, at);
	pack64(value, buffer);
	set_buf_offset(buffer, end);
}

void slu_bb_pack(struct slu_ctl *ctl, uid_t uid, buf_t *buffer)
{
	struct pack p = {.buffer = buffer};
	uint32_t used_at, count_at;
	size_t n;

	pack_head(ctl, buffer);
	pack64(0, buffer); /* total: the nodes' storage is no pool */
	pack64(0, buffer); /* unfree */
	used_at = get_buf_offset(buffer);
	pack64(0, buffer);
	pack32(0, buffer); /* validate timeout */
	count_at = get_buf_offset(buffer);
	pack32(0, buffer);
	if (!(slurm_conf.private_data & PRIVATE_DATA_JOBS) ||
	    validate_operator(uid))
		uid = SLU_NO_ID;
	n = slu_ctl_buffers(ctl, uid, pack_one, &p);
	patch64(buffer, used_at, p.total);
	patch32(buffer, count_at, (uint32_t)n);
	pack32((uint32_t)p.n_use, buffer);
	for (size_t i = 0; i < p.n_use; i++) {
		pack64(p.use[i].size, buffer);
		pack32(p.use[i].uid, buffer);
	}
	xfree(p.use);
}
