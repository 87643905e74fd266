/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which of a node's file systems a choice selects, from given mount
 * points and against an oracle on random ones. */
#include "config.h"
#include "sysmap/database/planner_storage.h"
#include "sysmap/database/receive.h"
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/storage_rank.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

/* A mount point: path, type, device, GiB, and what else there is to say. */
#define MOUNT(path, type, device, gib, rest)                        \
	"{\"device\":\"" device "\",\"mountpoint\":\"" path         \
	"\",\"filesystem\":\"" type "\",\"size\":" #gib "073741824" \
	",\"options\":" rest "}"
#define RW	"\"rw,noatime\",\"category\":\"local\""
#define RO	"\"ro\",\"category\":\"local\""
#define NET	"\"rw\",\"category\":\"network\""
#define MEMORY	"\"rw\",\"category\":\"memory\""
#define PART(d) "\"rw\",\"category\":\"local\",\"subtree\":\"" d "\""
#define ROOT	MOUNT("/", "ext4", "/dev/sda2", 5, RW)

static const struct {
	const char *mounts;
	const char *want; /* NULL: none */
} cases[] = {
	{"[]", NULL},
	{"[" ROOT "]", "/"},
	/* anything but the root, large or small */
	{"[" ROOT "," MOUNT("/scratch", "xfs", "/dev/sdb1", 1, RW) "]",
	 "/scratch"},
	{"[" MOUNT("/a", "xfs", "/dev/sdb1", 2,
		   RW) "," ROOT "," MOUNT("/b", "xfs", "/dev/sdc1", 3, RW) "]",
	 "/b"},
	/* but not what is for booting, read-only, not a disk, or a job's */
	{"[" ROOT "," MOUNT("/boot", "ext4", "/dev/sda1", 1, RW) "," MOUNT(
		 "/boot/efi", "vfat", "/dev/sda3", 1,
		 RW) "," MOUNT("/cd", "iso9660", "/dev/sr0", 9,
			       RO) "," MOUNT("/usr", "ext4", "/dev/sdd1", 9,
					     RO) "," MOUNT("/lustre", "lustre",
							   "s@tcp:/l", 9,
							   NET) "," MOUNT("/dev/shm",
									  "tmpfs",
									  "tmpfs",
									  9,
									  MEMORY) "," MOUNT("/run/sluice/7/mnt",
											    "ext4",
											    "/dev/loop1",
											    9,
											    RW) "]",
	 "/"},
	/* the root's disk once more is still the root's; parts are no disks */
	{"[" ROOT "," MOUNT("/var/x", "ext4", "/dev/sda2", 5, RW) "]", "/"},
	{"[" ROOT "," MOUNT("/etc/hosts", "ext4", "/dev/sdb1", 9,
			    PART("/docker/hosts")) "]",
	 "/"},
	{"[" ROOT
	 "," MOUNT("/scratch", "btrfs", "/dev/sdb", 1, PART("/@s")) "]",
	 "/scratch"},
	/* equal ones: the shorter path, then the first by name */
	{"[" MOUNT("/data/b", "xfs", "/dev/b", 2, RW) "," MOUNT(
		 "/b", "xfs", "/dev/c", 2, RW) "," MOUNT("/a", "xfs", "/dev/d",
							 2, RW) "]",
	 "/a"},
	/* as the original tool writes them */
	{"[" MOUNT("/scratch", "ext4", "/dev/sdb1", 1, "\"rw\"") "," MOUNT(
		 "/home", "nfs", "server:/home", 9, "\"rw\"") "]",
	 "/scratch"},
	/* rubbish */
	{"[{},7,null,[],{\"mountpoint\":3},{\"mountpoint\":\"x\",\"size\":1,"
	 "\"category\":\"local\",\"options\":\"rw\"}]",
	 NULL},
};

static void put(struct slu_receiver *r, const char *extractor, const char *text)
{
	struct slu_document doc = {
		.extractor = extractor,
		.text = (char *)text,
		.len = strlen(text),
		.hash = slu_document_hash(extractor, text, strlen(text))};
	struct slu_map map = {.document = &doc, .n = 1};

	expect_ok(slu_receive_map(r, "n1", &map, 1, &err), err);
}

/* The best file system that the choice selects. */
static int find_best(struct slu_db *map, const char *host, const char *choice,
		     struct slu_node_storage *out, struct slu_err *why)
{
	struct slu_node_storage *one;
	size_t n;

	if (slu_storage_devices(map, host, choice, false, &one, &n, why))
		return -1;
	ck_assert_uint_eq(n, 1);
	*out = *one;
	free(one);
	return 0;
}

START_TEST(test_choice_of_storage)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	each(c, cases)
	{
		put(r, "mountpoints", c->mounts);
		if (!c->want) {
			expect_fail(find_best(db, "n1", "auto", &s, &err), err,
				    SLU_NOTFOUND, "NodeStorage");
			continue;
		}
		expect_ok(find_best(db, "n1", "auto", &s, &err), err);
		ck_assert_str_eq(s.path, c->want);
		ck_assert_uint_eq(s.available, s.size);
	}
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

START_TEST(test_available)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	expect_fail(find_best(db, "n1", "auto", &s, &err), err, SLU_NOTFOUND,
		    "sysmap --push");
	put(r, "mountpoints", "[" ROOT "]");
	put(r, "mountusage",
	    "[{\"mountpoint\":\"/x\",\"available\":1},"
	    "{\"mountpoint\":\"/\",\"available\":4096}]");
	expect_ok(find_best(db, "n1", "auto", &s, &err), err);
	ck_assert_str_eq(s.filesystem, "ext4");
	ck_assert_uint_eq(s.size, 5073741824);
	ck_assert_uint_eq(s.available, 4096);
	put(r, "mountpoints", "{}");
	expect_fail(find_best(db, "n1", "auto", &s, &err), err, SLU_INVALID,
		    "not an array");
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

/* A path lies on the file system with the longest mount point above it. */
START_TEST(test_longest_mount_point_wins)
{
	static const struct {
		const char *path, *on; /* NULL: nobody can say */
	} paths[] = {
		{"/", "/"},
		{"/local/bb", "/local"},
		{"/local", "/local"},
		{"/local/", "/local"},
		{"/localx/bb", "/"},
		{"/local/b/c", "/local/b"},
		{"/lustre/x", "/lustre"},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	expect_fail(slu_storage_at(db, "n1", "/x", &s, &err), err, SLU_NOTFOUND,
		    "n1");
	put(r, "mountpoints",
	    "[" ROOT "," MOUNT("/local", "xfs", "/dev/b", 1, RW) "," MOUNT(
		    "/local/b", "xfs", "/dev/c", 2,
		    RW) "," MOUNT("/lustre", "lustre", "s@tcp:/l", 9, NET) "]");
	put(r, "mountusage", "[{\"mountpoint\":\"/local\",\"available\":7}]");
	each(p, paths)
	{
		expect_ok(slu_storage_at(db, "n1", p->path, &s, &err), err);
		expect(strcmp(s.path, p->on) == 0, "%s", p->path);
		ck_assert(s.available ==
			  (strcmp(p->on, "/local") ? s.size : 7));
	}
	put(r, "mountpoints", "[]");
	expect_fail(slu_storage_at(db, "n1", "/x", &s, &err), err, SLU_NOTFOUND,
		    "does not show");
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

/* A mount of a tier. */
#define TIER(path, device, gib, tier)          \
	MOUNT(path, "xfs", device, gib,        \
	      "\"rw\",\"category\":\"local\"," \
	      "\"tier\":\"" tier "\"")
#define RAM(path, gib) MOUNT(path, "tmpfs", "tmpfs", gib, MEMORY)
#define MIXED                                                                                           \
	"[" TIER("/", "/dev/nvme0n1", 2, "flash") "," TIER("/data", "/dev/sdb", 8, "disk") "," TIER(    \
		"/fast", "/dev/nvme1n1", 3,                                                             \
		"flash") "," TIER("/mnt/nvme2", "/dev/nvme2n1", 4,                                      \
				  "flash") "," TIER("/pm", "/dev/pmem0", 1,                             \
						    "pmem") "," RAM("/dev/shm",                         \
								    9) "," RAM("/ram",                  \
									       6) "," MOUNT("/old",     \
											    "xfs",      \
											    "/dev/sdc", \
											    5,          \
											    RW) "]"

static const struct {
	const char *choice, *want; /* NULL: none */
} choices[] = {
	{"auto", "/data"},
	{"largest", "/data"},
	{"fastest", "/pm"},
	{"flash", "/mnt/nvme2"},
	{"FLASH,disk", "/mnt/nvme2"},
	{"disk,flash", "/data"},
	{"pmem", "/pm"},
	{"ram", "/ram"},
	{"/fast,disk", "/fast"},
	{"/f*", "/fast"},
	{"/mnt/nvme*,flash", "/mnt/nvme2"},
	{"/mnt*,disk", "/data"}, /* no * passes a / */
	{"/nowhere/*", NULL},
	{"/nowhere/*,/ram", "/ram"},
	{"/*", "/data"},
};

START_TEST(test_tiers)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	put(r, "mountpoints", MIXED);
	each(c, choices)
	{
		if (!c->want) {
			expect_fail(find_best(db, "n1", c->choice, &s, &err),
				    err, SLU_NOTFOUND, "--explain n1");
			continue;
		}
		expect_ok(find_best(db, "n1", c->choice, &s, &err), err);
		expect(!strcmp(s.path, c->want), "%s: %.99s", c->choice,
		       s.path);
	}
	/* measured, it is faster than persistent memory is said to be */
	put(r, "storagespeed",
	    "{\"path\":\"/fast/x\",\"read_bytes_per_s\":7000000000}");
	expect_ok(find_best(db, "n1", "fastest", &s, &err), err);
	ck_assert_str_eq(s.path, "/fast");
	ck_assert_int_eq(s.tier, SLU_TIER_FLASH);
	/* the root's only where there is no other */
	put(r, "mountpoints",
	    "[" TIER("/", "/dev/nvme0n1", 9,
		     "flash") "," TIER("/data", "/dev/sdb", 1, "disk") "]");
	expect_ok(find_best(db, "n1", "flash,disk", &s, &err), err);
	ck_assert_str_eq(s.path, "/data");
	expect_ok(find_best(db, "n1", "flash", &s, &err), err);
	ck_assert_str_eq(s.path, "/");
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

/* Of random nodes: what any other order of looking would find. */
struct fs {
	char path[16];
	unsigned gib;
	enum slu_tier tier;
	bool writable;
};

static bool fits(const struct fs *f, const char *word)
{
	if (!f->writable)
		return false;
	if (slu_tier_of(word))
		return slu_tier_of(word) == f->tier;
	return word[0] == '/' ? !strcmp(word, f->path)
			      : f->tier != SLU_TIER_RAM;
}

/* The rank of the first word that it fits. */
static size_t rank(const struct fs *f, const char *choice)
{
	char word[64];
	size_t i = 0;

	for (; slu_list_word(choice, i, word, sizeof(word)); i++)
		if (fits(f, word))
			return i;
	return SIZE_MAX;
}

static const struct fs *oracle(const struct fs *f, size_t n, const char *choice)
{
	const struct fs *best = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t mine = rank(&f[i], choice),
		       its = best ? rank(best, choice) : SIZE_MAX;

		if (mine < its || (mine == its && its != SIZE_MAX &&
				   (f[i].gib > best->gib ||
				    (f[i].gib == best->gib &&
				     strcmp(f[i].path, best->path) < 0))))
			best = &f[i];
	}
	return best;
}

/* All that are like the best one are taken, each once, the larger before the
 * smaller, and nothing else. Returns whether there are several. */
static bool expect_each(struct json_object *mounts, const struct fs *f,
			size_t n, const struct fs *best, const char *choice)
{
	size_t n_all, found, like = 0;
	struct slu_candidate *all = slu_candidates_read(mounts, NULL, &n_all);
	const struct slu_candidate *out[7];

	ck_assert_uint_eq(n_all, n);
	found = slu_candidates_each(all, n_all, choice, out);
	for (size_t i = 0; i < n; i++) {
		bool is =
			&f[i] == best ||
			(rank(&f[i], choice) == rank(best, choice) &&
			 f[i].tier == best->tier && best->tier != SLU_TIER_RAM);
		size_t times = 0;

		for (size_t k = 0; k < found; k++)
			times += !strcmp(out[k]->path, f[i].path);
		expect(times == is, "%.99s: %s is taken %zu times", choice,
		       f[i].path, times);
		like += is;
	}
	ck_assert_uint_eq(found, like);
	ck_assert_str_eq(out[0]->path, best->path);
	for (size_t k = 1; k < found; k++)
		ck_assert(out[k]->size < out[k - 1]->size ||
			  (out[k]->size == out[k - 1]->size &&
			   strcmp(out[k]->path, out[k - 1]->path) > 0));
	free(all);
	return found > 1;
}

START_TEST(test_random_choices)
{
	static const char *const words[] = {"flash", "disk", "pmem",
					    "ram",   "auto", "/m2"};
	uint64_t seed = 7;
	int none = 0, later = 0, several = 0;

	for (int round = 0; round < 2000; round++) {
		struct fs f[6];
		struct slu_buf text = {0}, choice = {0};
		struct slu_node_storage s;
		struct json_object *mounts;
		const struct fs *best;
		size_t n = slu_random(&seed, 6);

		for (size_t i = 0; i < n; i++) {
			f[i].tier = (enum slu_tier)slu_random(&seed, 5);
			f[i].gib = 1 + (unsigned)slu_random(&seed, 4);
			f[i].writable = slu_random(&seed, 8);
			snprintf(f[i].path, sizeof(f[i].path), "/m%zu", i);
			slu_buf_printf(
				&text,
				"%s{\"device\":\"/dev/d%zu\",\"mountpoint\":"
				"\"%s\",\"filesystem\":\"xfs\",\"size\":%u,"
				"\"options\":\"%s\",\"category\":\"%s\","
				"\"tier\":\"%s\"}",
				i ? "," : "[", i, f[i].path, f[i].gib,
				f[i].writable ? "rw" : "ro",
				f[i].tier == SLU_TIER_RAM ? "memory" : "local",
				slu_tier_names[f[i].tier]);
		}
		slu_buf_puts(&text, n ? "]" : "[]");
		for (size_t i = 0, m = 1 + slu_random(&seed, 3); i < m; i++)
			slu_buf_printf(&choice, "%s%s", i ? "," : "",
				       words[slu_random(&seed, 6)]);
		if (slu_choice_is_path(choice.data))
			slu_buf_puts(&choice, ",/none");
		mounts = slu_json_parse(text.data, text.len, &err);
		expect(mounts, "%s", err.text);
		best = oracle(f, n, choice.data);
		if (!best) {
			expect_fail(slu_storage_choose(mounts, NULL, "n1",
						       choice.data, &s, &err),
				    err, SLU_NOTFOUND, "n1");
			none++;
		} else {
			expect_ok(slu_storage_choose(mounts, NULL, "n1",
						     choice.data, &s, &err),
				  err);
			expect(!strcmp(s.path, best->path),
			       "%.99s of %.400s: %.99s, not %s", choice.data,
			       text.data, s.path, best->path);
			later += rank(best, choice.data) > 0;
			several += expect_each(mounts, f, n, best, choice.data);
		}
		json_object_put(mounts);
		slu_buf_free(&text);
		slu_buf_free(&choice);
	}
	ck_assert_int_gt(none, 100);
	ck_assert_int_gt(later, 100);
	ck_assert_int_gt(several, 100);
}
END_TEST

/* The like of the best one, on other devices, in whatever order the document
 * has them. */
START_TEST(test_devices)
{
	static const struct {
		const char *choice, *best, *each;
	} cases[] = {
		{"flash,disk", "/mnt/nvme2 ", "/mnt/nvme2 /fast "},
		{"auto", "/data ", "/data "},
		{"/mnt/*,/fast", "/mnt/nvme2 ", "/mnt/nvme2 "},
		{"/*,/mnt/*", "/data ", "/data "},
		{"/fast", "/fast ", "/fast "},
		{"ram", "/ram ", "/ram "},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);

	put(r, "mountpoints", MIXED);
	put(r, "mountusage", "[{\"mountpoint\":\"/fast\",\"available\":5}]");
	each(c, cases)
	{
		for (int all = 0; all < 2; all++) {
			struct slu_buf text = {0};
			struct slu_node_storage *device;
			size_t n;

			expect_ok(slu_storage_devices(db, "n1", c->choice, all,
						      &device, &n, &err),
				  err);
			for (size_t i = 0; i < n; i++) {
				slu_buf_printf(&text, "%s ", device[i].path);
				ck_assert_uint_eq(
					device[i].available,
					strcmp(device[i].path, "/fast")
						? device[i].size
						: 5);
			}
			ck_assert_str_eq(text.data, all ? c->each : c->best);
			slu_buf_free(&text);
			free(device);
		}
	}
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

static const struct {
	const char *path, *taken, *why;
} reasons[] = {
	{"/", "",
	 "on the disk of the root file system, and there is /mnt/nvme2"},
	{"/data", "", "flash comes before disk, and there is /mnt/nvme2"},
	{"/fast", "", "/mnt/nvme2 is larger: "},
	{"/mnt/nvme2", "NodeStorage, pool fast", ""},
	{"/pm", "", "flash,disk names nothing that it is (pmem)"},
	{"/dev/shm", "", "memory that the system itself uses"},
	{"/ram", "pool mem", ""},
	{"/old", "", "flash,disk names nothing that it is (unknown)"},
};

START_TEST(test_explain)
{
	static const struct slu_storage_choice by[] = {
		{"NodeStorage", "flash,disk", false, NULL},
		{"pool fast", "flash", false, NULL},
		{"pool mem", "ram", false, NULL},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct json_object *out = json_object_new_array(), *row;

	expect_fail(slu_storage_explain(db, "n1", by, 3, out, &err), err,
		    SLU_NOTFOUND, "sysmap --push");
	put(r, "mountpoints", MIXED);
	expect_ok(slu_storage_explain(db, "n1", by, 3, out, &err), err);
	ck_assert_uint_eq(json_object_array_length(out),
			  sizeof(reasons) / sizeof(reasons[0]));
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		const char *why;

		row = json_object_array_get_idx(out, i);
		why = slu_json_str_at(row, "why_not");
		ck_assert_str_eq(slu_json_str_at(row, "mountpoint"),
				 reasons[i].path);
		ck_assert_str_eq(slu_json_str_at(row, "taken_for"),
				 reasons[i].taken);
		expect(!strncmp(why, reasons[i].why, strlen(reasons[i].why)) &&
			       (*reasons[i].why || !*why),
		       "%s: %s", reasons[i].path, why);
	}
	json_object_put(out);
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

#define ZFS(path, dataset, size) MOUNT(path, "zfs", dataset, size, RW)

/* A disk that the system has cut up, and one beside it. */
#define SYSTEM                                                            \
	"[" ROOT "," MOUNT("/home", "xfs", "/dev/sda3", 4, RW) "," MOUNT( \
		"/var/log", "xfs", "/dev/sda4", 3,                        \
		RW) "," MOUNT("/data", "xfs", "/dev/sdc", 1, RW)
#define LOCAL MOUNT("/local", "xfs", "/dev/sdb", 5, RW)

/* Mounts that share their room count once: datasets of a pool, all memory. Nor
 * is the system's own taken beside others that nobody has named. */
START_TEST(test_like_ones)
{
	static const struct {
		const char *mounts, *choice, *each;
	} cases[] = {
		{"[" ZFS("/tank", "tank", 9) "," ZFS(
			 "/tank/a", "tank/a",
			 8) "," ZFS("/fast/a", "fast/a",
				    7) "," ZFS("/fast/b", "fast/b",
					       6) "," ZFS("/tanks", "tanks/a",
							  5) "]",
		 "auto", "/tank /fast/a /tanks "},
		{"[" MOUNT("/ram", "tmpfs", "tmpfs", 9, MEMORY) "," MOUNT(
			 "/job/ram", "tmpfs", "tmpfs", 9,
			 MEMORY) "," MOUNT("/small", "tmpfs", "none", 1,
					   MEMORY) "]",
		 "ram", "/ram "},
		{SYSTEM "," LOCAL "]", "auto", "/local /data "},
		{SYSTEM "," LOCAL "]", "/*", "/local /home /data "},
		{SYSTEM "]", "auto", "/home /data "},
	};

	each(c, cases)
	{
		struct json_object *mounts =
			slu_json_parse(c->mounts, strlen(c->mounts), &err);
		const struct slu_candidate *out[7];
		struct slu_candidate *all;
		struct slu_buf text = {0};
		size_t n;

		expect(mounts, "%s", err.text);
		all = slu_candidates_read(mounts, NULL, &n);
		n = slu_candidates_each(all, n, c->choice, out);
		for (size_t i = 0; i < n; i++)
			slu_buf_printf(&text, "%s ", out[i]->path);
		ck_assert_str_eq(text.data, c->each);
		slu_buf_free(&text);
		free(all);
		json_object_put(mounts);
	}
}
END_TEST

#define LIKE                                                                                            \
	"[" TIER("/a", "/dev/nvme0n1", 4, "flash") "," TIER("/b", "/dev/nvme1n1", 3, "flash") "," TIER( \
		"/b2", "/dev/nvme1n1", 3,                                                               \
		"flash") "," TIER("/disk", "/dev/sda", 2,                                               \
				  "disk") "," TIER("/var", "/dev/nvme2n1p4",                            \
						   3,                                                   \
						   "flash") "," RAM("/ram",                             \
								    2) "," RAM("/ram2",                 \
									       2) "]"

/* Why a like one is not, and what is only nearly like; and on how many of them
 * one share lies. */
START_TEST(test_explain_each)
{
#define SHARE "NodeStorage: one of 2; pool fast: all 2 for g, h, else one"
	static const struct {
		const char *path, *taken, *why, *share;
	} wanted[] = {
		{"/a", "NodeStorage, pool fast", "", SHARE},
		{"/b", "NodeStorage, pool fast", "", SHARE},
		{"/b2", "", "the same file system as /b", ""},
		{"/disk", "", "/a is taken, which is flash: this is disk", ""},
		{"/var", "", "the system's own, and there is /a", ""},
		{"/ram", "pool mem", "", ""},
		{"/ram2", "", "it shares its room with /ram", ""},
	};
	static const struct slu_storage_choice by[] = {
		{"NodeStorage", "auto", true, NULL},
		{"pool fast", "flash", true, "g, h"},
		{"pool mem", "ram", true, "g"},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct json_object *out = json_object_new_array(), *row;
	size_t i = 0;

	put(r, "mountpoints", LIKE);
	expect_ok(slu_storage_explain(db, "n1", by, 3, out, &err), err);
	each(c, wanted)
	{
		row = json_object_array_get_idx(out, i++);
		ck_assert_str_eq(slu_json_str_at(row, "mountpoint"), c->path);
		ck_assert_str_eq(slu_json_str_at(row, "taken_for"), c->taken);
		ck_assert_str_eq(slu_json_str_at(row, "why_not"), c->why);
		ck_assert_str_eq(slu_json_str_at(row, "share"), c->share);
	}
	json_object_put(out);
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("node storage", test_choice_of_storage, test_available,
	  test_longest_mount_point_wins, test_tiers, test_random_choices,
	  test_devices, test_like_ones, test_explain_each, test_explain)
