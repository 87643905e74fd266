/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sysmap's documents about a Lustre server's load, with the files of
 * Lustre 2.12 and 2.17, and of a recorded server of 2.10. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include "tests/unit/select_io/server_files.h"
#include "tests/unit/tmpdir.h"

#include "common/jsonx.h"
#include "sysmap/lustre/counters.h"
#include "sysmap/extract.h"
#include "sysmap/lustre/lustre.h"

static struct slu_err err;

/* "NOTFOUND" where it has nothing to say. */
static char *said(slu_source_f *source, const char *dir)
{
	struct json_object *obj;
	struct slu_root root;
	char *text;

	expect_ok(slu_root_open(&root, dir, &err), err);
	if (source(&root, &obj, &err)) {
		ck_assert_int_eq(err.kind, SLU_NOTFOUND);
		text = strdup("NOTFOUND");
	} else {
		text = strdup(slu_json_text(obj));
		json_object_put(obj);
	}
	slu_root_close(&root);
	return text;
}

static void expect_text(slu_source_f *source, const char *dir, const char *want)
{
	char *text = said(source, dir);

	ck_assert_str_eq(text, want);
	free(text);
}

#define BRW                                                       \
	"                           read      |     write\n"      \
	"I/O time (1/1000s)     ios   % cum % |  ios   % cum %\n" \
	"1:                       1  50  50   |    1  50  50\n"   \
	"3:                       1  50 100   |    1  50 100\n\n" \
	"disk I/O size          ios   % cum % |  ios   % cum %\n" \
	"4K:                      2 100 100   |    2 100 100\n"

START_TEST(test_places)
{
	static const struct {
		const char *params, *counters, *jobs, *lnet;
	} cases[] = {
		{"proc/fs/lustre", "proc/fs/lustre", "proc/fs/lustre",
		 "proc/sys/lnet/stats"},
		{"sys/fs/lustre", "sys/kernel/debug/lustre", "proc/fs/lustre",
		 "sys/kernel/debug/lnet/stats"},
	};
	char path[300];

#define PUT(tree, file, text)                                      \
	do {                                                       \
		snprintf(path, sizeof(path), "%s/%s", tree, file); \
		put(path, text);                                   \
	} while (0)
	each(c, cases)
	{
		put("proc/loadavg", "1.50 0.7 0.5 1/100 42\n");
		put("proc/stat", "cpu  10 0 20 60 10 0 0 0\n");
		put("proc/meminfo",
		    "MemTotal: 1000 kB\nMemAvailable: 250 kB\n");
		expect_text(slu_lustre_stats, tmpfile_path("root"), "NOTFOUND");
		expect_text(slu_lustre_jobs, tmpfile_path("root"), "NOTFOUND");
		put(c->lnet, "0 1 0 2 3 0 0 4000 5000 0 0\n");
		PUT(c->params, "obdfilter/num_refs", "1\n");
		PUT(c->params, "obdfilter/f-OST0001/kbytestotal", "100\n");
		PUT(c->params, "obdfilter/f-OST0001/kbytesfree", "50\n");
		PUT(c->params, "osd-zfs/f-OST0001/kbytesavail", "40\n");
		PUT(c->counters, "obdfilter/f-OST0001/stats",
		    "read_bytes 2 samples [bytes] 1 9 10\n"
		    "write_bytes 1 samples [bytes] 7 7 7\n"
		    "punch 3 samples [usecs] 1 1 3 3\n");
		PUT(c->counters, "osd-ldiskfs/f-OST0001/brw_stats", BRW);
		PUT(c->jobs, "obdfilter/f-OST0001/job_stats",
		    "job_stats:\n- job_id: 77\n"
		    "  read_bytes: { samples: 2, sum: 10 }\n"
		    "  write_bytes: { samples: 1, sum: 7 }\n");
		PUT(c->params, "mdt/f-MDT0000/x", "");
		PUT(c->counters, "mdt/f-MDT0000/md_stats",
		    "open 5 samples [reqs]\nclose 4 samples [usecs] 1 1 1 1\n");
		PUT(c->jobs, "mdt/f-MDT0000/job_stats", "job_stats:\n");
		expect_text(slu_lustre_stats, tmpfile_path("root"),
			    "{\"load\":1.5,\"cpu_busy\":30,\"cpu_all\":100,"
			    "\"memory\":75,\"sent_bytes\":4000,"
			    "\"received_bytes\":5000,\"osts\":[{\"name\":"
			    "\"f-OST0001\",\"total_bytes\":102400,"
			    "\"free_bytes\":51200,\"available_bytes\":40960,"
			    "\"read_bytes\":10,\"written_bytes\":7,"
			    "\"requests\":3,\"io_ms\":2,\"io_bytes\":4096}],"
			    "\"mdts\":[{\"name\":\"f-MDT0000\","
			    "\"requests\":9}]}");
		expect_text(slu_lustre_jobs, tmpfile_path("root"),
			    "[{\"target\":\"f-OST0001\",\"job\":\"77\","
			    "\"reads\":2,\"read_bytes\":10,\"writes\":1,"
			    "\"written_bytes\":7}]");
		expect_ok(slu_rmtree(AT_FDCWD, tmpfile_path("root"), &err),
			  err);
	}
}
END_TEST

START_TEST(test_tree)
{
	const char *archive =
		recorded("lustre/lustre-2.10-proc-sys-tree.tar.gz");
	char *text;

	if (!archive)
		return;
	text = slu_asprintf("tar -xzf '%s' -C '%s' --no-same-owner", archive,
			    tmpdir());
	ck_assert_int_eq(system(text), 0);
	free(text);
	text = said(slu_lustre_stats, tmpfile_path("gsi"));
	expect(strstr(text, "{\"name\":\"lustrefs-OST0000\",\"total_bytes\":"
			    "48300408438784,"),
	       "%s", text);
	expect(strstr(text, "\"mdts\":[{\"name\":\"lustrefs-MDT0000\","
			    "\"requests\":"),
	       "%s", text);
	free(text);
}
END_TEST

/* Kernels before 3.14 do not say what is available. */
START_TEST(test_memory)
{
	static const struct {
		const char *text;
		double percent; /* -1: not known */
	} cases[] = {
		{"MemTotal: 1000 kB\nMemAvailable: 250 kB\nMemFree: 1 kB\n",
		 75},
		{"MemTotal: 1000 kB\nMemFree: 200 kB\nBuffers: 40 kB\n"
		 "Cached: 10 kB\nSwapCached: 500 kB\n",
		 75},
		{"MemTotal: 1000 kB\nMemAvailable: 0 kB\nMemFree: 9 kB\n", 100},
		{"MemTotal: 1000 kB\n", -1},
		{"MemFree: 1000 kB\n", -1},
		{"", -1},
	};

	each(c, cases)
	{
		double percent = -1;
		bool known = slu_stats_memory(c->text, &percent);

		expect(known == (c->percent >= 0) && percent == c->percent,
		       "%s: %g", c->text, percent);
	}
}
END_TEST

TEST_MAIN("lustre_stats", test_places, test_tree, test_memory)
