/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the readers of counters of Lustre's targets, and the rates between two
 * readings; every recorded text is compared with what awk finds in it. */
#include "config.h"
#include "select_io/ost/server_report.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include "tests/unit/select_io/server_files.h"
#include "tests/unit/tmpdir.h"

#include <ftw.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/syscall.h>
#include "common/jsonx.h"
#include "select_io/ost/parameter_files.h"

static struct slu_err err;

/* Lustre 2.12, 2.15 and 2.17. */
static const char old[] = "snapshot_time             1438693064.430544 "
			  "secs.usecs\n"
			  "read_bytes                3 samples [bytes] 4096 "
			  "1048576 2101248\n"
			  "statfs                    7 samples [reqs]\n";
static const char new[] =
	"snapshot_time             1795180276.497415162 secs.nsecs\n"
	"start_time                1795180255.236609486 secs.nsecs\n"
	"elapsed_time              21.260805676 secs.nsecs\n"
	"read_bytes                10 samples [bytes] 1048576 1048576 10485760 "
	"10995116277760\n"
	"read                      10 samples [usecs] 6332 14741 92498 "
	"936615084\n"
	"punch                     1 samples [usecs] 2181 2181 2181 4756761";

START_TEST(test_counter_rows)
{
	static const struct {
		const char *text, *name;
		bool there;
		uint64_t samples, sum;
	} cases[] = {
		{old, "read_bytes", true, 3, 2101248},
		{old, "statfs", true, 7, 0},
		{old, "write_bytes", false, 0, 0},
		{old, "read", false, 0, 0},
		{old, "snapshot_time", false, 0, 0},
		{new, "read_bytes", true, 10, 10485760},
		{new, "read", true, 10, 92498},
		{new, "punch", true, 1, 2181},
		{"", "read", false, 0, 0},
		{"read", "read", false, 0, 0},
		{"read x samples [reqs]\n", "read", false, 0, 0},
	};
	uint64_t samples, sum;

	each(c, cases)
	{
		samples = sum = 0;
		expect(slu_stats_row(c->text, c->name, &samples, &sum) ==
			       c->there,
		       "%s", c->name);
		ck_assert_uint_eq(samples, c->samples);
		ck_assert_uint_eq(sum, c->sum);
	}
	ck_assert_uint_eq(slu_stats_requests(old), 7);
	ck_assert_uint_eq(slu_stats_requests(new), 11);
	ck_assert_uint_eq(slu_stats_requests(""), 0);
	ck_assert_uint_eq(slu_stats_metadata(old), 7);
	ck_assert_uint_eq(slu_stats_metadata("open 5 samples [reqs]\n"
					     "close 9 samples [reqs]\n"
					     "samedir_rename 9 samples [reqs]\n"
					     "rename 2 samples [usecs] 1 2 3"),
			  7);
}
END_TEST

static void says(double now, struct slu_ost_meter *meter, const char *want)
{
	struct json_object *obj;
	char root[300];

	snprintf(root, sizeof(root), "%s/root", tmpdir());
	expect_ok(slu_ost_server_read(root, now, meter, &obj, &err), err);
	ck_assert_str_eq(slu_json_text(obj), want);
	json_object_put(obj);
}

/* Each file in the tree that its version has it in. */
START_TEST(test_files_of_each_lustre_version)
{
#define OSP(n) "fs-OST000" #n "-osc-MDT0001/"
	struct json_object *list;
	char root[300];

	snprintf(root, sizeof(root), "%s/root", tmpdir());
	put("proc/fs/lustre/osp/" OSP(0) "active", "1\n");
	put("proc/fs/lustre/osp/" OSP(0) "max_create_count", "20000\n");
	put("proc/fs/lustre/osp/" OSP(0) "prealloc_status", "0\n");
	put("proc/fs/lustre/osp/num_refs", "1\n");
	ck_assert_ptr_null(slu_stats_closed(root));
	put("proc/fs/lustre/osp/" OSP(1) "active", "0\n");
	put("proc/fs/lustre/osp/" OSP(2) "stats", "\n");
	put("sys/fs/lustre/osp/" OSP(2) "max_create_count", "0\n");
	put("sys/fs/lustre/osp/" OSP(3) "active", "1\n");
	put("proc/fs/lustre/osp/" OSP(3) "prealloc_status", "-28\n");
	put("sys/fs/lustre/osp/" OSP(4) "active", "\n");
	list = slu_stats_closed(root);
	ck_assert_str_eq(slu_json_text(list),
			 "[{\"name\":\"fs-OST0001\",\"why\":\"active=0 on "
			 "fs-MDT0001\"},{\"name\":\"fs-OST0002\",\"why\":"
			 "\"max_create_count=0 on fs-MDT0001\"},{\"name\":"
			 "\"fs-OST0003\",\"why\":\"prealloc_status=-28 on "
			 "fs-MDT0001\"}]");
	json_object_put(list);
}
END_TEST

#define OST "sys/fs/lustre/obdfilter/fs-OST0003/"
#define OST_SAYS                                            \
	"{\"name\":\"fs-OST0003\",\"index\":3,\"total\":9," \
	"\"available\":4"

/* A metadata server; it gets a target of objects; counters grow, and are
 * cleared. */
START_TEST(test_rates)
{
	static struct slu_ost_meter meter;

	put("proc/fs/lustre/mdt/fs-MDT0000/md_stats",
	    "open 10 samples [reqs]\n");
	put("proc/fs/lustre/mdt/num_refs", "1\n");
	says(10, &meter, "{\"osts\":[],\"mdts\":[{\"name\":\"fs-MDT0000\"}]}");
	put("proc/fs/lustre/mdt/fs-MDT0000/md_stats",
	    "open 15 samples [usecs] 1 2 3 4\nclose 20 samples [usecs]\n");
	put(OST "kbytestotal", "9\n");
	put(OST "kbytesavail", "4\n");
	put("sys/kernel/debug/lustre/obdfilter/fs-OST0003/stats",
	    "snapshot_time 1.2 secs.nsecs\n");
	says(15, &meter,
	     "{\"osts\":[" OST_SAYS "}],\"mdts\":[{\"name\":\"fs-MDT0000\","
	     "\"ops\":5,\"metadata\":1}]}"); /* close is none */
	put("sys/kernel/debug/lustre/obdfilter/fs-OST0003/stats",
	    "read_bytes 3 samples [bytes] 1 2 500 9\n"
	    "write_bytes 3 samples [bytes] 1 2 1000\n");
	says(20, &meter,
	     "{\"osts\":[" OST_SAYS ",\"read\":100,\"write\":200}],"
	     "\"mdts\":[{\"name\":\"fs-MDT0000\",\"ops\":0,"
	     "\"metadata\":0}]}");
	put("sys/kernel/debug/lustre/obdfilter/fs-OST0003/stats",
	    "read_bytes 3 samples [bytes] 1 2 400 9\n");
	put("proc/fs/lustre/mdt/fs-MDT0000/md_stats", "");
	says(25, &meter,
	     "{\"osts\":[" OST_SAYS "}],\"mdts\":[{\"name\":"
	     "\"fs-MDT0000\"}]}");
}
END_TEST

/* What an MDT takes of a file, as each version has it. */
START_TEST(test_data_on_mdt)
{
	static struct slu_ost_meter meter[3];

	put("proc/fs/lustre/mdt/fs-MDT0000/md_stats", "");
	put("sys/fs/lustre/lod/fs-MDT0000-mdtlov/dom_stripesize", "1048576\n");
	says(10, &meter[0],
	     "{\"osts\":[],\"mdts\":[{\"name\":\"fs-MDT0000\","
	     "\"file_bytes\":1048576}]}");
	put("sys/fs/lustre/lod/fs-MDT0000-mdtlov/dom_stripesize_cur_kb",
	    "0\n"); /* it is full */
	says(10, &meter[1],
	     "{\"osts\":[],\"mdts\":[{\"name\":\"fs-MDT0000\","
	     "\"file_bytes\":0}]}");
	put("sys/fs/lustre/lod/fs-MDT0000-mdtlov/dom_stripesize_cur_kb", "\n");
	says(10, &meter[2],
	     "{\"osts\":[],\"mdts\":[{\"name\":\"fs-MDT0000\"}]}");
}
END_TEST

/* Every read(2) of this program goes through here: files below the root give a
 * page at a time, as Lustre's do, and want more room than that. */
static unsigned pages;

ssize_t read(int fd, void *data, size_t size)
{
	char link[40], name[PATH_MAX] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, name, sizeof(name) - 1) > 0 &&
	    strstr(name, "/root/")) {
		ck_assert_uint_ge(size, 65536);
		size = 4096;
		pages++;
	}
	return syscall(SYS_read, fd, data, size);
}

/* A row behind the first page. */
START_TEST(test_row_behind_first_page)
{
	static struct slu_ost_meter meter;
	struct slu_buf stats = {0};

	for (int k = 0; k < 100; k++)
		slu_buf_printf(&stats,
			       "row%d 1 samples [usecs] 6332 14741 92498 9\n",
			       k);
	ck_assert_uint_gt(stats.len, 4096);
	put(OST "kbytestotal", "9\n");
	put(OST "kbytesavail", "4\n");
	slu_buf_puts(&stats, "write_bytes 3 samples [bytes] 1 2 1000\n");
	put("proc/fs/lustre/obdfilter/fs-OST0003/stats", stats.data);
	says(10, &meter, "{\"osts\":[" OST_SAYS "}]}");
	slu_buf_puts(&stats, "read_bytes 3 samples [bytes] 1 2 500\n");
	put("proc/fs/lustre/obdfilter/fs-OST0003/stats", stats.data);
	says(15, &meter, "{\"osts\":[" OST_SAYS ",\"read\":100,\"write\":0}]}");
	ck_assert_uint_gt(pages, 2);
	slu_buf_free(&stats);
}
END_TEST

/* One number that a program prints of a file. */
static double awk(const char *program, const char *file)
{
	char *command = slu_asprintf("awk '%s' '%s'", program, file);
	FILE *out = popen(command, "r");
	double value = -2;

	ck_assert_int_eq(fscanf(out, "%lf", &value), 1);
	ck_assert_int_eq(pclose(out), 0);
	free(command);
	return value;
}

static unsigned files, with_rows, with_times;

/* An awk program: the mean of the first histogram of this name. */
#define FIRST(name)                                                    \
	"/" name "/ {if (was++) exit; on = 1; next} "                  \
	"on && $1 !~ /:$/ {on = 0} "                                   \
	"on {l = $1; sub(\":\", \"\", l); m = 1; "                     \
	"if (l ~ /K$/) m = 1024; if (l ~ /M$/) m = 1048576; "          \
	"sub(/[KM]$/, \"\", l); c = $2 + $6; n += c; s += c * l * m} " \
	"END {if (n) printf \"%.9f\", s / n; else print -1}"

static void same_mean(const char *file, const char *text, const char *histogram,
		      double value)
{
	double mean = slu_ost_io(text, histogram);

	expect(fabs(mean - value) < 1e-6, "%s: %s %.9f, not %.9f", file,
	       histogram, mean, value);
}

static void compare(const char *file, const char *text)
{
	uint64_t samples, sum = 0;
	double value;

	value = awk("/^[^ ]+ +[0-9]+ samples \\[/ && $4 != \"[bytes]\" "
		    "{n += $2} END {printf \"%.0f\", n}",
		    file);
	ck_assert_msg((double)slu_stats_requests(text) == value,
		      "%s: %.0f requests", file, value);
	with_rows += value > 0;
	value = awk("/^write_bytes +[0-9]+ samples/ "
		    "{printf \"%.0f\", $7; f = 1; exit} "
		    "END {if (!f) print 0}",
		    file);
	slu_stats_row(text, "write_bytes", &samples, &sum);
	ck_assert_msg((double)sum == value, "%s: %.0f bytes", file, value);
	value = awk(FIRST("I\\/O time"), file);
	same_mean(file, text, SLU_OST_IO_TIME, value);
	same_mean(file, text, SLU_OST_IO_SIZE,
		  awk(FIRST("disk I\\/O size"), file));
	with_times += value >= 0;
}

static int look(const char *path, const struct stat *st, int type,
		struct FTW *ftw)
{
	struct slu_buf text = {0};

	(void)st;
	(void)ftw;
	if (type != FTW_F || (!strstr(path, "stats") && !strstr(path, "txt")))
		return 0;
	if (slu_file_read(AT_FDCWD, path, 64 << 20, &text, NULL) == 0 &&
	    text.len) {
		compare(path, text.data);
		files++;
	}
	slu_buf_free(&text);
	return 0;
}

START_TEST(test_recorded)
{
	const char *dir = recorded("lustre");
	char *path = dir ? strdup(dir) : NULL;

	if (!path)
		return;
	ck_assert_int_eq(nftw(path, look, 16, FTW_PHYS), 0);
	printf("%u files: %u with requests, %u with times\n", files, with_rows,
	       with_times);
	ck_assert_uint_gt(with_rows, 10);
	ck_assert_uint_gt(with_times, 3);
	free(path);
}
END_TEST

/* A line of a recording of parameters, after "=", written where a server has
 * it. */
static void put_line(const char *text, const char *key, const char *path)
{
	const char *line = strstr(text, key), *end;
	char value[200];

	ck_assert_msg(line != NULL, "no %s", key);
	line += strlen(key);
	end = strchr(line, '\n');
	snprintf(value, sizeof(value), "%.*s\n", (int)(end - line), line);
	put(path, value);
}

static double field(struct json_object *obj, const char *key)
{
	double value = -1;

	slu_json_double_opt(obj, key, &value, NULL);
	return value;
}

static void put_targets(const char *kbytes)
{
	static const char *const keys[] = {"kbytestotal", "kbytesavail",
					   "degraded"};

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 3; k++) {
			char key[100], path[200];

			snprintf(key, sizeof(key),
				 "\nobdfilter.lustre-OST000%d.%s=", i, keys[k]);
			snprintf(path, sizeof(path),
				 "sys/fs/lustre/obdfilter/lustre-OST000%d/%s",
				 i, keys[k]);
			put_line(kbytes, key, path);
		}
}

/* One number that awk finds behind "=" in a recording. */
static double behind(const char *file, const char *key, int i)
{
	char program[100];

	snprintf(program, sizeof(program),
		 "/OST000%d.%s=/ {sub(\"^.*=\", \"\"); print}", i, key);
	return awk(program, recorded(file));
}

/* What lctl printed of a real server, as files; and awk's reading of it. */
static void compare_server(const char *kbytes, const char *lnet,
			   const char *version)
{
	struct slu_ost_meter *meter = calloc(1, sizeof(*meter));
	struct slu_buf text = {0};
	struct json_object *obj, *list, *one;
	const char *said = "";
	char root[300];

	if (!recorded_text(kbytes, &text)) {
		free(meter);
		return;
	}
	put_targets(text.data);
	ck_assert(recorded_text(lnet, &text));
	put_line(text.data, "\nstats=", "sys/kernel/debug/lnet/stats");
	ck_assert(recorded_text(version, &text));
	put_line(text.data, "\nversion=", "sys/fs/lustre/version");
	slu_buf_free(&text);
	snprintf(root, sizeof(root), "%s/root", tmpdir());
	meter->time = 1;
	expect_ok(slu_ost_server_read(root, 3, meter, &obj, &err), err);
	json_object_object_get_ex(obj, "osts", &list);
	ck_assert_uint_eq(json_object_array_length(list), 4);
	for (int i = 0; i < 4; i++) {
		one = json_object_array_get_idx(list, (size_t)i);
		ck_assert_double_eq(field(one, "total"),
				    behind(kbytes, "kbytestotal", i));
		ck_assert_double_eq(field(one, "available"),
				    behind(kbytes, "kbytesavail", i));
	}
	ck_assert_double_eq(
		field(obj, "network"),
		awk("/^stats=/ {print ($8 + $9) / 2}", recorded(lnet)));
	slu_json_str_opt(obj, "lustre", &said, NULL);
	ck_assert_double_eq(strtod(said, NULL),
			    awk("/^version=/ {sub(\"^.*=\", \"\"); "
				"print $0 + 0}",
				recorded(version)));
	json_object_put(obj);
	free(meter);
}

START_TEST(test_servers)
{
#define OF(dir)                                                       \
	"lustre/" dir "/kbytes.txt", "lustre/" dir "/lnet_stats.txt", \
		"lustre/" dir "/version.txt"
	compare_server(OF("recorded-2.15.8-zfs"));
	compare_server(OF("recorded-2.17.57-ldiskfs"));
}
END_TEST

#define ZFS(i, total, available, io_bytes)                  \
	"{\"name\":\"lustrefs-OST000" #i "\",\"index\":" #i \
	",\"total\":" #total ",\"available\":" #available   \
	",\"io_bytes\":" #io_bytes "}"

/* A whole server of Lustre 2.10 on ZFS, as cat and grep read it. */
START_TEST(test_tree)
{
	const char *archive =
		recorded("lustre/lustre-2.10-proc-sys-tree.tar.gz");
	struct json_object *obj;
	static struct slu_ost_meter meter;
	char *text;

	if (!archive)
		return;
	text = slu_asprintf("tar -xzf '%s' -C '%s' --no-same-owner", archive,
			    tmpdir());
	ck_assert_int_eq(system(text), 0);
	free(text);
	expect_ok(
		slu_ost_server_read(tmpfile_path("gsi"), 1, &meter, &obj, &err),
		err);
	ck_assert_str_eq(
		slu_json_text(obj),
		"{\"lustre\":\"2.10.1\",\"osts\":[" ZFS(
			0, 47168367616, 47025124352,
			4052794) "," ZFS(2, 47168409600, 47168396288,
					 4408) "," ZFS(4, 31445606400,
						       31445593088,
						       4408) "," ZFS(6,
								     31445606400,
								     31445593088,
								     4408) "],\"mdts\":[{\"name\":\"lustrefs-MDT0000\"}]}");
	json_object_put(obj);
}
END_TEST

TEST_MAIN("counter_rates", test_data_on_mdt, test_counter_rows,
	  test_files_of_each_lustre_version, test_rates,
	  test_row_behind_first_page, test_recorded, test_servers, test_tree)
