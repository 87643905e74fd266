/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the nodes with several disks of plan_disks.h. */
#include "config.h"
#include "tests/unit/burst_buffer/plan_disks.h"
#include "tests/unit/random.h"
#include "burst_buffer/storage/image.h"
#include "sysmap/database/receive.h"

void push_fs(const char *node, const struct fs fs[DISKS])
{
	struct slu_buf text = {0};
	struct slu_document doc = {.extractor = "mountpoints"};
	struct slu_map map = {.document = &doc, .n = 1};

	slu_buf_puts(&text, "[{\"device\":\"/dev/sda\",\"mountpoint\":\"/\","
			    "\"filesystem\":\"ext4\",\"size\":0,"
			    "\"options\":\"rw\",\"category\":\"local\"}");
	for (size_t i = 0; i < DISKS; i++)
		if (fs[i].gib)
			slu_buf_printf(
				&text,
				",{\"device\":\"/dev/d%zu\",\"mountpoint\":"
				"\"/m%zu\",\"filesystem\":\"xfs\",\"size\":%llu"
				",\"options\":\"rw\",\"category\":\"%s\","
				"\"tier\":\"%s\"}",
				i, i, (unsigned long long)fs[i].gib * GIB,
				fs[i].tier == SLU_TIER_RAM ? "memory" : "local",
				slu_tier_names[fs[i].tier]);
	slu_buf_puts(&text, "]");
	doc.text = text.data;
	doc.len = text.len;
	doc.hash = slu_document_hash(doc.extractor, text.data, text.len);
	expect_ok(slu_receive_map(receiver, node, &map, 1, &err), err);
	slu_buf_free(&text);
}

/* The largest share whose image fits into the room and leaves a part of it. */
uint64_t largest(uint64_t room)
{
	uint64_t share = 0;

	for (uint64_t step = UINT64_C(1) << 50; step; step >>= 1)
		if (slu_image_size(share + step) + (2 << 20) <=
		    room - room / 32)
			share += step;
	return share;
}

/* What is promised of each disk, in bytes. */
uint64_t taken[NODES][DISKS];

size_t disk_of(const struct slu_plan_node *node)
{
	ck_assert_int_eq(strncmp(node->storage, "/m", 2), 0);
	return (size_t)(node->storage[2] - '0');
}

int promised(void *arg, const struct slu_plan *plan, uint64_t *bytes,
	     uint64_t *own, struct slu_err *e)
{
	(void)arg, (void)own, (void)e;
	for (size_t i = 0; i < plan->n_node; i++)
		bytes[i] = taken[plan->node[i].name[1] - '1']
				[disk_of(&plan->node[i])];
	return 0;
}

/* The disk with the most room for so many bytes, of equal ones the larger; -1:
 * no room. */
int roomiest(const struct fs *fs, const uint64_t *of, uint64_t bytes)
{
	uint64_t room, best = 0;
	int found = -1;

	for (int d = 0; d < DISKS; d++) {
		if (fs[d].tier != SLU_TIER_FLASH ||
		    fs[d].gib * GIB - of[d] < bytes || !fs[d].gib)
			continue;
		room = fs[d].gib * GIB - of[d];
		if (found < 0 || room > best ||
		    (room == best && fs[d].gib > fs[found].gib)) {
			best = room;
			found = d;
		}
	}
	return found;
}

void mix(struct fs fs[NODES][DISKS], size_t n, uint64_t *seed)
{
	char name[24];

	memset(taken, 0, sizeof(taken));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < DISKS; k++)
			fs[i][k] =
				(struct fs){slu_random(seed, 4) ? SLU_TIER_FLASH
								: SLU_TIER_DISK,
					    (unsigned)slu_random(seed, 25)};
		snprintf(name, sizeof(name), "n%zu", i + 1);
		push_fs(name, fs[i]);
	}
}

/* All disks on which a node's share lies have a part of it that fits there. */
static void take_all(const struct slu_plan *p, size_t i)
{
	const struct slu_plan_node *node = &p->node[i];
	uint64_t sum = 0;

	for (size_t k = 0; k < slu_plan_devices(node); k++) {
		struct slu_plan_node at = {
			.storage = slu_plan_device(node, k).storage};

		ck_assert_uint_gt(slu_plan_device(node, k).capacity, 0);
		sum += slu_plan_device(node, k).capacity;
		taken[i][disk_of(&at)] += slu_plan_device_takes(p, node, k);
	}
	ck_assert_uint_eq(sum, node->capacity);
	for (size_t k = slu_plan_devices(node); k <= node->n_more; k++)
		ck_assert_uint_eq(slu_plan_device(node, k).capacity, 0);
}

/* The same plan twice: the shares of the first one are no longer available. */
int plan_twice(struct slu_job *j, const struct slu_plan_site *s)
{
	struct slu_plan p, q;
	int rc = slu_plan_make(j, s, &p, &err);

	ck_assert_int_eq(slu_plan_make(j, s, &q, &err), rc);
	if (rc)
		return rc;
	for (size_t i = 0; i < p.n_node; i++) {
		ck_assert_str_eq(p.node[i].storage, q.node[i].storage);
		ck_assert_uint_eq(p.node[i].capacity, q.node[i].capacity);
		if (!p.node[i].client)
			take_all(&p, i);
	}
	slu_msg_clear(&slu_plan_desc, &p);
	slu_msg_clear(&slu_plan_desc, &q);
	return 0;
}

void expect_held(struct fs fs[NODES][DISKS], size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t d = 0; d < DISKS; d++) {
			ck_assert_uint_le(taken[i][d], fs[i][d].gib * GIB);
			ck_assert(!taken[i][d] ||
				  fs[i][d].tier == SLU_TIER_FLASH);
		}
}
