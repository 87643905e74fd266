/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the records of the stage cache: a written record is read back equal,
 * any other text is refused, and each field changes the entry's name. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/storage/cache_record.h"

static struct slu_err err;

static const struct slu_cache_record whole = {
	.fs = "lustre 10.0.0.1@o2ib:/pfs /",
	.path = "/pfs/alice/in put\n1",
	.inode = 144115205255725057,
	.size = UINT64_C(1) << 40,
	.offset = 64 << 20,
	.length = 64 << 20,
	.owner = 1000,
	.mtime = {-5, 7},
	.ctime = {1700000000, 999999999},
};

START_TEST(test_round)
{
	struct slu_cache_record is;
	struct slu_cache_key key;
	const size_t end = SLU_CACHE_RECORD_END;

	expect_ok(slu_cache_key_make(&key, &whole, &err), err);
	ck_assert(slu_cache_is_name(key.name));
	ck_assert_uint_eq(key.end, whole.offset + whole.length);
	ck_assert_uint_eq(
		slu_cache_record_len(key.text.data + key.text.len - end),
		key.text.len);
	expect_ok(
		slu_cache_record_parse(key.text.data, key.text.len, &is, &err),
		err);
	ck_assert_str_eq(is.fs, whole.fs);
	ck_assert_str_eq(is.path, whole.path);
	ck_assert_uint_eq(is.inode, whole.inode);
	ck_assert_uint_eq(is.size, whole.size);
	ck_assert_int_eq(is.mtime.tv_sec, whole.mtime.tv_sec);
	ck_assert_int_eq(is.ctime.tv_nsec, whole.ctime.tv_nsec);
	slu_cache_record_free(&is);
	slu_cache_key_free(&key);
}
END_TEST

/* A change of any field gives another name. */
START_TEST(test_name)
{
	const struct slu_cache_record other[] = {
		[0] = {.fs = "nfs 10.0.0.1@o2ib:/pfs /"},
		[1] = {.path = "/pfs/bob/input"},
		[2] = {.inode = 1},
		[3] = {.size = (UINT64_C(1) << 40) + 1},
		[4] = {.offset = 1},
		[5] = {.length = 1},
		[6] = {.owner = 1001},
		[7] = {.mtime = {-5, 8}},
		[8] = {.ctime = {1700000001, 999999999}},
	};
	struct slu_cache_key key, one;
	struct slu_cache_record r;

	expect_ok(slu_cache_key_make(&key, &whole, &err), err);
	each(o, other)
	{
		r = whole;
		r.fs = o->fs ? o->fs : r.fs;
		r.path = o->path ? o->path : r.path;
		r.inode = o->inode ? o->inode : r.inode;
		r.size = o->size ? o->size : r.size;
		r.offset = o->offset ? o->offset : r.offset;
		r.length = o->length ? o->length : r.length;
		r.owner = o->owner ? o->owner : r.owner;
		r.mtime = o->mtime.tv_sec ? o->mtime : r.mtime;
		r.ctime = o->ctime.tv_sec ? o->ctime : r.ctime;
		expect_ok(slu_cache_key_make(&one, &r, &err), err);
		expect(strcmp(one.name, key.name) != 0, "case %d",
		       (int)(o - other));
		slu_cache_key_free(&one);
	}
	slu_cache_key_free(&key);
}
END_TEST

/* A record that is cut off is refused; one with a changed byte is refused, or
 * is another record that would be written with just these bytes. */
START_TEST(test_changed)
{
	struct slu_cache_record is;
	struct slu_cache_key key, again;
	char *text;

	expect_ok(slu_cache_key_make(&key, &whole, &err), err);
	text = strndup(key.text.data, key.text.len);
	for (size_t i = 0; i < key.text.len; i++) {
		expect(slu_cache_record_parse(text, i, &is, NULL) == -1,
		       "cut at %zu", i);
		text[i] ^= 1;
		if (!slu_cache_record_parse(text, key.text.len, &is, NULL)) {
			expect_ok(slu_cache_key_make(&again, &is, &err), err);
			expect(!memcmp(again.text.data, text, again.text.len),
			       "byte %zu", i);
			slu_cache_key_free(&again);
			slu_cache_record_free(&is);
		}
		text[i] ^= 1;
	}
	free(text);
	slu_cache_key_free(&key);
}
END_TEST

START_TEST(test_too_long)
{
	struct slu_cache_record r = whole;
	struct slu_cache_key key;

	r.path = malloc(SLU_CACHE_RECORD_MAX + 1);
	memset(r.path, 'a', SLU_CACHE_RECORD_MAX);
	r.path[SLU_CACHE_RECORD_MAX] = '\0';
	expect_fail(slu_cache_key_make(&key, &r, &err), err, SLU_INVALID,
		    "too long");
	free(r.path);
}
END_TEST

TEST_MAIN("cache_record", test_round, test_name, test_changed, test_too_long)
