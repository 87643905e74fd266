/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how sysquery's subcommands show sluiced's answers as tables and JSON;
 * the answers are fixed ones. */
#include "config.h"
#include "sysquery/cli/ask.h"
#include "sysquery/query.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include "common/file.h"
#include "common/conf_host.h"
#include "common/cred.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "common/width.h"

static struct slu_err err;
static const char *answer, *asked;

struct slu_http *slu_http_of_host(double seconds, struct slu_err *e)
{
	(void)seconds, (void)e;
	return (struct slu_http *)&answer;
}

bool slu_conf_of_nobody(void)
{
	return slu_conf_absent();
}

struct slu_conf *slu_conf_of_host(double seconds,
				  struct slu_conf_origin *origin,
				  struct slu_err *e)
{
	(void)seconds, (void)origin;
	return slu_conf_load(tmpfile_path("conf"), e);
}

static char server[64]; /* that was asked */

struct slu_http *slu_http_new(char *const *addrs, uid_t owner,
			      struct slu_err *e)
{
	(void)owner, (void)e;
	snprintf(server, sizeof(server), "%s", addrs[0]);
	return (struct slu_http *)&answer;
}

void slu_http_free(struct slu_http *http)
{
	(void)http;
}

static double patience;

void slu_http_timeout(struct slu_http *http, double seconds)
{
	(void)http;
	patience = seconds;
}

/* sluiced may work on the answer for as long as it does. */
int slu_http_post(struct slu_http *http, const char *path, const void *body,
		  size_t len, double deadline, struct slu_buf *reply,
		  struct slu_err *e)
{
	(void)http, (void)deadline;
	ck_assert_double_gt(patience, SLU_QUESTION_SECONDS);
	ck_assert_str_eq(path, "/v1/query");
	if (asked)
		expect(strncmp(body, asked, len) == 0, "%s",
		       (const char *)body);
	if (!answer)
		return slu_err(e, SLU_DENIED, "not yours");
	slu_buf_puts(reply, answer);
	return 0;
}

/* What slurmrestd is asked, as an error; "old" has v0.0.40 at most, and "none"
 * nothing. */
int slu_http_get(const char *url, const char *socket,
		 const char *const *headers, struct slu_buf *reply,
		 struct slu_err *e)
{
	int version = 0;

	if (sscanf(url, "http://old/slurmdb/v0.0.%d/", &version) == 1
		    ? version > 40
		    : !strncmp(url, "http://none/", 12))
		return slu_err(e, SLU_NOTFOUND, "no such path");
	if (!strncmp(url, "http://deny/", 12))
		return slu_err(e, SLU_DENIED, "Authentication failure");
	if (!strncmp(url, "http://large/", 13))
		return slu_err(e, SLU_NOMEM, "a reply of more than that");
	if (!strncmp(url, "http://says/", 12)) {
		slu_buf_puts(reply, url + 12);
		return 0;
	}
	return slu_err(e, SLU_IO, "GET %s of %s with %s %s", url,
		       socket ? socket : "-", headers[0] ? headers[0] : "-",
		       headers[0] ? headers[1] : "-");
}

/* munged is well. */
char *slu_cred_request(const char *method, const char *path, const void *body,
		       size_t len, char nonce[SLU_NONCE_TEXT],
		       struct slu_err *e)
{
	(void)method, (void)path, (void)body, (void)len, (void)nonce, (void)e;
	return strdup("");
}

/* What `iostart` says around IOBandwidth=auto. */
#define AUTO_BEFORE                                                                          \
	"Jobs        3 with known I/O volume, 0 without\n"                                   \
	"Together    at most 0 B/s; for 99 % of the time at most 0 B/s, for half of it 0\n"  \
	"            B/s (each job's I/O is assumed to be even over its run)\n"              \
	"Busy        80 % of 2 GB/s (IOBandwidth) were in use for 0 % of the time; 0 jobs\n" \
	"            began although their bandwidth exceeded what was free: with\n"          \
	"            IOStart=on they would have waited\n"                                    \
	"Well        the total bandwidth from which jobs run longer is not known: up to 0\n" \
	"            B/s no slowdown is seen\n"
#define AUTO_AFTER                                                                    \
	"Slower      no equal jobs ran both in busy and in calm time\n"               \
	"So          the file system is no bottleneck: there is nothing to gain by\n" \
	"            IOStart\n"

static const struct {
	const char *line, *asked, *answer, *want;
} cases[] = {
	{"doctor --table", "{\"question\":\"doctor\"}",
	 "{\"time\":1000,\"findings\":[]}",
	 "nothing is wrong, nothing to do\n"},
	{"doctor --table", "{\"question\":\"doctor\"}",
	 "{\"time\":1000,\"findings\":[{\"severity\":\"error\",\"what\":"
	 "\"n2\\u0007: full\",\"since\":900,\"on\":\"n2\",\"type\":"
	 "\"df /\"},{\"severity\":\"note\",\"what\":\"x\",\"type\":"
	 "\"y\",\"kind\":\"kept\",\"since\":900},7]}",
	 "error: n2 : full (for 1:40)\n    on n2: df /\n"
	 "note: x\n    y\n?: ?\n"},
	{"jobs --last 1 --json", "{\"last\":1,\"question\":\"jobs\"}", "[]",
	 "{\"schema\":\"sluice.jobs\",\"version\":1,\"jobs\":[]}\n"},
	{"jobs --last 1 --json=0", "{\"last\":1,\"question\":\"jobs\"}", "[]",
	 "[]\n"},
	{"job 18 --table", "{\"job_id\":18,\"question\":\"job\"}",
	 "{\"schema\":\"sysquery.job\",\"version\":1,\"job_id\":18,"
	 "\"uid\":0,\"name\":\"sim\",\"state\":\"RUNNING\",\"waits\":[{"
	 "\"what\":\"queue\",\"seconds\":5}],\"limit\":{"
	 "\"asked_seconds\":60,\"granted_seconds\":60,"
	 "\"used_seconds\":30}}",
	 "Job         18, sim, of root: RUNNING\n"
	 "Limit       asked 1:00, granted 1:00, used 30 s (50 %)\n"
	 "Waited      5 s in the queue\n"},
	{"job 19 --table", "{\"job_id\":19,\"question\":\"job\"}",
	 "{\"schema\":\"sysquery.job\",\"version\":1,\"job_id\":19,"
	 "\"uid\":0,\"name\":\"sim\",\"state\":\"REQUEUED\","
	 "\"request\":\"jobfs capacity=3145728000 nodes=2\","
	 "\"file_systems\":[{\"capacity_bytes\":0,\"node_count\":1,"
	 "\"state\":\"DONE\",\"failed_in\":\"SETUP\","
	 "\"failure\":\"no room\"}]}",
	 "Job         19, sim, of root: REQUEUED\n"
	 "Asked       jobfs capacity=3000MiB nodes=2\n"
	 "Got         nothing, as it failed before\n"
	 "Failed      in SETUP: no room\n"},
	{"report --table", "{\"question\":\"report\"}",
	 "{\"since_unix\":1,\"until_unix\":2,\"jobs\":{\"count\":0},"
	 "\"names\":[{\"uid\":0,\"name\":\"sim\",\"count\":3}]}",
	 "Report      all users, ended since 1970-01-01T00:00:01\n"
	 "Jobs        0: 0 completed, 0 failed, 0 at their limit, 0 cancelled, "
	 "0 put back\n            or lost; 0 node-hours; 0 with a request for "
	 "a file system\n\n"
	 "USER  NAME  JOBS  OF_NODES  ASKED  USED  TIMEOUTS\n"
	 "root  sim      3  -         -      -     -\n"},
	{"job 17 --table", "{\"job_id\":17,\"question\":\"job\"}",
	 "{\"job_id\":17,\"uid\":0,\"name\":\"sim\",\"state\":\"RUNNING\","
	 "\"started_unix\":\"x\",\"limit\":{\"asked_seconds\":60,"
	 "\"granted_seconds\":60,\"used_seconds\":30},\"file_systems\":7}",
	 "Job         17, sim, of root: RUNNING\n"
	 "Limit       asked 1:00, granted 1:00, used 30 s (50 %)\n"},
	{"job 17_2 --table", "{\"task\":2,\"job_id\":17,\"question\":\"job\"}",
	 "{}", "Job         0, ?, of -1: no run has ended yet\n"},
	{"report --user 0 --table", "{\"uid\":0,\"question\":\"report\"}",
	 "{\"uid\":0,\"since_unix\":1,\"jobs\":7,\"file_systems\":"
	 "{\"phases\":[]},\"names\":[{\"uid\":0,\"name\":\"sim\","
	 "\"count\":3,\"node_seconds\":60}]}",
	 "Report      root, ended since 1970-01-01T00:00:01\n"
	 "Jobs        0: 0 completed, 0 failed, 0 at their limit, 0 cancelled, "
	 "0 put back\n            or lost; 0 node-hours; 0 with a request for "
	 "a file system\n\n"
	 "USER  NAME  JOBS  OF_NODES  ASKED  USED  TIMEOUTS\n"
	 "root  sim      3      1:00  -      -     -\n"},
	{"hosts --table", "{\"question\":\"hosts\"}", "[]", "no hosts\n"},
	{"osts --table", "{\"question\":\"osts\"}",
	 "{\"osts\":[{\"index\":2,\"name\":\"f-OST0002\",\"server\":\"n1\","
	 "\"cost\":0.5,\"available\":1024,\"total\":2048}],\"servers\":"
	 "{\"n1\":{\"cpu\":20.4,\"age\":1,\"domain\":\"r1\",\"osts\":[{\"name\":\"f-OST0002\","
	 "\"read\":1024.0,\"write\":2048.0,\"io_ms\":8.1,"
	 "\"io_bytes\":4096,\"jobs\":3}],"
	 "\"mdts\":[{\"name\":\"f-MDT0000\",\"ops\":12.5}, 7]},"
	 "\"n2\":{\"mdts\":{}}}}",
	 "INDEX  TARGET     SERVER  COST  AVAILABLE  SIZE  LEFT OUT\n"
	 "    2  f-OST0002  n1       0.5       1KiB  2KiB  -\n"
	 "\n"
	 "TARGET     SERVER  READ/s  WRITTEN/s  I/O ms  I/O SIZE  REQUESTS/s"
	 "  JOBS\n"
	 "f-OST0002  n1        1KiB       2KiB       8      4KiB           -"
	 "     3\n"
	 "f-MDT0000  n1           -          -       -         -          12"
	 "     -\n"
	 "\n"
	 "SERVER  CPU %  MEMORY %  NETWORK/s  AGE s  DOMAIN\n"
	 "n1         20  -         -              1  r1\n"
	 "n2          -  -         -              -  -\n"},
	{"resources n[1-2] --table",
	 "{\"hosts\":[\"n1\",\"n2\"],\"question\":\"summary\"}",
	 "[{\"host\":\"n1\",\"storage\":\"/s\",\"size\":1024,\"cpus\":8}]",
	 "HOST  STORAGE  TYPE  TIER  SIZE  AVAILABLE  DISKS  ON_DISKS  MEMORY  "
	 "CORES  CPUS\n"
	 "n1    /s       -     -     1KiB  -          -      -         -       "
	 "-         8\n"},
	{"resources --explain n3 --table",
	 "{\"hosts\":[\"n3\"],\"question\":\"storage\"}",
	 "[{\"host\":\"n3\",\"mountpoint\":\"/a\",\"device\":\"/dev/b\","
	 "\"filesystem\":\"xfs\",\"tier\":\"disk\",\"size\":1024,"
	 "\"taken_for\":\"\",\"share\":\"\","
	 "\"why_not\":\"mounted read-only\"}]",
	 "HOST  MOUNTPOINT  DEVICE  TYPE  TIER  SIZE  TAKEN_FOR  SHARE  WHY_NOT\n"
	 "n3    /a          /dev/b  xfs   disk  1KiB                    mounted "
	 "read-only\n"},
	{"resources n[1-2] -e disks hostid --table",
	 "{\"extractors\":[\"disks\",\"hostid\"],\"hosts\":[\"n1\",\"n2\"],"
	 "\"question\":\"resources\"}",
	 "{\"n1\":{\"disks\":[{\"name\":\"sda\",\"size_bytes\":1024}],"
	 "\"hostid\":{\"a\":1,\"b\":[2]}},\"n2\":{\"disks\":7}}",
	 "disks\n"
	 "HOST  DISK  SIZE  VENDOR  MODEL  ROTATIONAL  DEVICE\n"
	 "n1    sda   1KiB  -       -      -           -\n"
	 "n2    -        -  -       -      -           -\n"
	 "\n"
	 "hostid\n"
	 "HOST  a\n"
	 "n1    1\n"},
	{"buffers --table", "{\"question\":\"buffers\"}",
	 "[{\"job\":7,\"user\":\"ann\",\"capacity\":2048,\"used\":1024,\"nodes\":2,"
	 "\"state\":\"RUNNING\",\"progress\":\"2 of 3\","
	 "\"phases\":[{\"name\":\"setup\"}]},"
	 "{\"job\":8,\"job_name\":\"x\",\"name\":\"camp\",\"expires\":9,"
	 "\"coherence\":\"shared\","
	 "\"failed_in\":\"SETUP\",\"failure\":\"it broke\"}]",
	 "JOB  NAME  USER  FILESYSTEM  COHERENCE  CAPACITY  USED  NODES  STATE    CREATED  "
	 "FAILED_IN  FAILURE   PROGRESS\n"
	 "  7  -     ann   -           -              2KiB  1KiB      2  RUNNING  -        "
	 "-          -         2 of 3\n"
	 "  8  camp  -     -           shared            -     -      -  -        -        "
	 "SETUP      it broke  -\n"},
	{"buffers 7 --table", "{\"job_id\":7,\"question\":\"buffers\"}",
	 "[{\"job\":7,\"uid\":0,\"phases\":[{\"name\":\"setup\",\"seconds\":61,"
	 "\"bytes\":1024,\"files\":3,\"nodes\":2}],"
	 "\"history\":[{\"time\":1,\"state\":\"SETUP\",\"text\":\"x\"}]}]",
	 "JOB  NAME  USER  FILESYSTEM  COHERENCE  CAPACITY  USED  NODES  STATE  CREATED  "
	 "FAILED_IN  FAILURE  PROGRESS\n"
	 "  7  -     root  -           -          -         -     -      -      -        "
	 "-          -        -\n"
	 "\n"
	 "PHASE  BEGAN  TOOK  BYTES  FILES  NODES\n"
	 "setup  -      1:01   1KiB      3      2\n"
	 "\n"
	 "               TIME  STATE  WHAT\n"
	 "1970-01-01T00:00:01  SETUP  x\n"},
	{"ions --table", "{\"question\":\"ions\"}",
	 "{\"policy\":\"MCKP\",\"ions\":\"i[1-2]\",\"total\":12.5,"
	 "\"static_total\":10,\"bound\":13,\"gain\":{\"seconds\":43200,"
	 "\"since\":86400,\"until\":172800,\"runs\":5,\"applications\":2,"
	 "\"reached\":11,\"estimate\":1.375,\"low\":0.5,\"high\":2.25,"
	 "\"total\":12,\"static_total\":8},\"jobs\":[{\"job_id\":7,\"ions\":\"i1\","
	 "\"in_effect\":1,\"wanted\":2}],\"history\":[{\"time\":1,\"event\":\"start 7\",\"measured_jobs\":2,\"predicted\":30,\"reached\":28.4,"
	 "\"changed\":[{\"job_id\":7,\"name\":\"ior\",\"ions\":1},"
	 "{\"job_id\":8,\"ions\":0}]},{\"time\":2}]}",
	 "policy MCKP, I/O nodes i[1-2]: 12.5 MB/s predicted (STATIC: 10)\n"
	 "no assignment can reach more than 13 MB/s\n"
	 "in the last 24 hours, 12 of them on record: 12 MB/s predicted "
	 "(STATIC: 8)\n"
	 "5 runs of 2 applications that ended in that time reached 11 MB/s on average\n"
	 "estimated from these: 1.38 times what STATIC would give (95 %: 0.5 to "
	 "2.25)\n"
	 "\n"
	 "JOB  NAME  NODES  IONS  HOLDS  WANTED  MB/s  CURVE\n"
	 "  7  -     -      i1        1       2  -     -\n"
	 "\n"
	 "               TIME  EVENT    POLICY  MB/s  STATIC  ENDED  THEIRS  "
	 "REACHED  NOW_HOLD\n"
	 "1970-01-01T00:00:01  start 7  -       -     -           2      30  "
	 "   28.4  7 (ior): 1, 8 (): 0\n"
	 "1970-01-01T00:00:02  -        -       -     -           -       -  "
	 "      -  -\n"},
	{"ions --since @9 --table", "{\"since\":9,\"question\":\"ions\"}",
	 "{\"policy\":\"MCKP\",\"ions\":\"i1\",\"total\":0,\"jobs\":[],"
	 "\"history\":[],\"applications\":[{\"user\":\"ann\",\"name\":\"cfd\","
	 "\"nodes\":4,\"runs\":2,\"predicted\":20,\"reached\":25,\"miss\":0.2}],"
	 "\"days\":[{\"day\":86400,\"runs\":2,\"predicted\":20,\"reached\":25,"
	 "\"miss\":0.2}],\"users\":[{\"week\":345600,\"user\":\"ann\",\"runs\":2,"
	 "\"worse\":2,\"better\":0,\"net\":-4000,\"difference_least\":-20,"
	 "\"difference_median\":-20,\"difference_most\":-20,"
	 "\"of_best_median\":0.4,\"for\":\"bob\"}]}",
	 "policy MCKP, I/O nodes i1: 0 MB/s predicted (STATIC: 0)\n"
	 "\n"
	 "predicted and reached, by application\n"
	 "USER  NAME  NODES  RUNS  PREDICTED  REACHED  MISS\n"
	 "ann   cfd       4     2         20       25   0.2\n"
	 "\n"
	 "by day\n"
	 "                DAY  RUNS  PREDICTED  REACHED  MISS\n"
	 "1970-01-02T00:00:00     2         20       25   0.2\n"
	 "\n"
	 "by user and week, beside STATIC as predicted\n"
	 "               WEEK  USER  RUNS  WORSE  BETTER  NET_MB  LEAST  MEDIAN  "
	 "MOST  OF_BEST  FOR\n"
	 "1970-01-05T00:00:00  ann      2      2       0   -4000    -20     -20  "
	 " -20      0.4  bob\n"},
	{"ions --table", "{\"question\":\"ions\"}",
	 "{\"policy\":\"MCKP\",\"ions\":\"i1\",\"total\":0,\"bound\":0.0005,"
	 "\"table_total\":8000,\"table_static\":5000,"
	 "\"jobs\":[{\"job_id\":7,\"bandwidth\":66.48271444444444}]}",
	 "policy MCKP, I/O nodes i1: 0 MB/s predicted (STATIC: 0)\n"
	 "in addition, by PerformanceTable, for jobs that were not measured yet: 8000 "
	 "MB/s (STATIC: 5000)\n"
	 "\n"
	 "JOB  NAME  NODES  IONS  HOLDS  WANTED     MB/s  CURVE\n"
	 "  7  -     -      -     -      -       66.4827  -\n"},
	{"why 7 --table", "{\"job_id\":7,\"question\":\"why\"}",
	 "{\"job_id\":7,\"state\":\"PENDING\",\"reason\":"
	 "\"BurstBufferResources\",\"kind\":\"bandwidth\",\"since\":60,"
	 "\"because\":\"waits for bandwidth\"}",
	 "JOB  STATE    REASON                KIND                     SINCE\n"
	 "  7  PENDING  BurstBufferResources  bandwidth  1970-01-01T00:01:00\n"
	 "waits for bandwidth\n"},
	{"iostart --since @9 --table", "{\"since\":9,\"question\":\"iostart\"}",
	 "{\"since\":9,\"runs\":3,\"unknown\":1,\"capacity\":2e9,"
	 "\"highest\":2e9,\"most_99\":1.5e9,\"median\":1e8,"
	 "\"busy\":0.25,\"node_seconds\":7200,"
	 "\"busy_node_seconds\":3600,\"ran_well\":0,\"met\":1.8e9}",
	 "Jobs        3 with known I/O volume, 1 without\n"
	 "Together    at most 2 GB/s; for 99 % of the time at most 1.5 GB/s, for half of\n"
	 "            it 100 MB/s (each job's I/O is assumed to be even over its run)\n"
	 "Busy        80 % of 2 GB/s (the highest bandwidth seen) were in use for 25 % of\n"
	 "            the time; 0 jobs began although their bandwidth exceeded what was\n"
	 "            free: with IOStart=on they would have waited\n"
	 "Well        the total bandwidth from which jobs run longer is not known: up to\n"
	 "            1.8 GB/s no slowdown is seen\n"
	 "Slower      no equal jobs ran both in busy and in calm time\n"
	 "So          IOStart=advise tells which jobs would wait, without letting any wait\n"},
	{"iostart --table", "{\"question\":\"iostart\"}",
	 "{\"runs\":3,\"configured\":true,\"capacity\":2e9,"
	 "\"ran_well\":1.5e9,\"slow_runs\":7,\"slow_by\":1.25,"
	 "\"auto\":\"servers\",\"targets\":20,\"degraded\":1}",
	 "Jobs        3 with known I/O volume, 0 without\n"
	 "Together    at most 0 B/s; for 99 % of the time at most 0 B/s, for half of it 0\n"
	 "            B/s (each job's I/O is assumed to be even over its run)\n"
	 "Busy        80 % of 2 GB/s (IOBandwidth) were in use for 0 % of the time; 0 jobs\n"
	 "            began although their bandwidth exceeded what was free: with\n"
	 "            IOStart=on they would have waited\n"
	 "Well        at up to 1.5 GB/s in total jobs did not run longer; 7 jobs that ran\n"
	 "            beside more took 1.25 times as long\n"
	 "Auto        IOBandwidth=auto is 2 GB/s: what Lustre's servers reached under\n"
	 "            load; 1 of 20 targets are degraded and subtracted\n"
	 "Slower      no equal jobs ran both in busy and in calm time\n"
	 "So          the file system is no bottleneck: there is nothing to gain by\n"
	 "            IOStart\n"},
	{"iostart --table", "{\"question\":\"iostart\"}",
	 "{\"runs\":3,\"configured\":true,\"capacity\":2e9,"
	 "\"auto\":\"held\",\"targets\":20,\"silent\":2,"
	 "\"metadata_auto\":\"servers\","
	 "\"metadata_capacity\":200000,\"metadata_demand\":150000.4,"
	 "\"metadata_waiting\":3,\"file_systems\":\"big, fast\"}",
	 AUTO_BEFORE
	 "Auto        IOBandwidth=auto is 2 GB/s: what Lustre's servers sustained for ten\n"
	 "            minutes, more than was known before\n"
	 "Silent      2 Lustre servers have not reported for ten minutes or longer (is\n"
	 "            sluice-tbfd --publish running there?); after a day they are ignored\n"
	 "Metadata    150000 of 200000 operations/s (IOMetadata) are in use now; 3 jobs\n"
	 "            wait for them\n"
	 "Metadata    IOMetadata=auto is 200000 operations/s: what Lustre's servers\n"
	 "            reached under load\n"
	 "Counted     servers report more than one Lustre file system (big, fast):\n"
	 "            IOBandwidth and the I/O of jobs count for all of them together\n" AUTO_AFTER},
	{"iostart --table", "{\"question\":\"iostart\"}",
	 "{\"runs\":3,\"configured\":true,\"capacity\":2e9,"
	 "\"auto\":\"servers\",\"targets\":20,\"degraded\":20,\"unheard\":60,"
	 "\"metadata_auto\":\"unknown\"}",
	 AUTO_BEFORE
	 "Auto        IOStart holds no job back: all 20 Lustre targets are degraded or\n"
	 "            read-only\n"
	 "Silent      no Lustre server has reported since 1970-01-01T00:01:00 (is\n"
	 "            sluice-tbfd --publish running there?); after a day their last\n"
	 "            reports are ignored\n"
	 "Metadata    IOMetadata=auto is not known, and no job is held back for metadata\n"
	 "            operations: no metadata server was seen at its limit (sluice-tbfd\n"
	 "            --publish), and the job history does not show one\n" AUTO_AFTER},
	{"iostart --fsname scratch --table",
	 "{\"fsname\":\"scratch\",\"question\":\"iostart\"}",
	 "{\"runs\":3,\"configured\":true,\"capacity\":2e9,\"auto\":\"servers\","
	 "\"fs\":\"scratch\",\"others\":\"home\"}",
	 AUTO_BEFORE
	 "Auto        IOBandwidth=auto is 2 GB/s: what Lustre's servers reached under load\n"
	 "Counted     what went to the file system scratch, and of jobs of which that is\n"
	 "            not known all they moved; --fsname tells of the others: home\n" AUTO_AFTER},
	{"prestage --table", "{\"question\":\"prestage\"}",
	 "{\"on\":true,\"jobs\":2,\"brought_bytes\":3072,"
	 "\"used_bytes\":2048,\"wasted_bytes\":1024,\"waiting\":["
	 "{\"job_id\":7,\"uid\":1000,\"node\":\"n1\",\"state\":\"there\","
	 "\"since\":60,\"brought_bytes\":1048576},"
	 "{\"job_id\":8,\"uid\":1000,\"node\":\"n2\",\"state\":\"no plan\","
	 "\"why\":\"pool is full\"}]}",
	 "JOB  NODE  INPUT         PROBABLE_SINCE  BROUGHT  WHY\n"
	 "  7  n1    there    1970-01-01T00:01:00     1MiB  -\n"
	 "  8  n2    no plan                    -        -  pool is full\n"
	 "since sluiced started 3KiB were brought ahead of jobs and are over; 1KiB of it were not used\n"},
	{"prestage --table", "{\"question\":\"prestage\"}",
	 "{\"on\":false,\"waiting\":[]}",
	 "nothing is brought ahead of jobs: PrestageTo is off in sluice.conf\n"},
	{"start 7 --table", "{\"job_id\":7,\"question\":\"start\"}",
	 "{\"job_id\":7,\"nodes\":2,\"ahead\":1,\"likely_nodes\":\"n[1-2]\","
	 "\"sure\":0.25,\"node\":[{\"node\":\"n1\",\"share\":0.5}]}",
	 "JOB  NODES  AHEAD  10%  STARTS  90%  BY_LIMITS\n"
	 "  7      2      1  -    -       -    -\n"
	 "\n"
	 "NODE  PROBABILITY\n"
	 "n1            0.5\n"
	 "exactly on n[1-2]: probability 0.25\n"},
	{"jobs --accuracy --table", "{\"question\":\"accuracy\"}",
	 "{\"user\":[{\"user\":\"ada\",\"jobs\":2,\"median_error\":60,"
	 "\"mean_error\":61,\"median_error_asked\":3600,\"under\":0.5}],"
	 "\"partition\":[],\"week\":[{\"week\":\"2026-11-16\","
	 "\"jobs\":2,\"median_error\":60,\"mean_error\":61,"
	 "\"under\":0.5,\"tightened\":2,\"extended\":1}]}",
	 "USER  JOBS  MEDIAN_ERROR  MEAN_ERROR  OF_REQUEST  UNDER  TIGHTENED  EXTENDED\n"
	 "ada      2          1:00        1:01     1:00:00    0.5  -          -\n"
	 "\n"
	 "WEEK        JOBS  MEDIAN_ERROR  MEAN_ERROR  OF_REQUEST  UNDER  TIGHTENED  EXTENDED\n"
	 "2026-11-16     2          1:00        1:01  -             0.5          2         1\n"},
	{"predict --name j --stripe-size 1KiB --partition p --account a "
	 "--table",
	 "{\"name\":\"j\",\"stripe_size\":1024,\"partition\":\"p\","
	 "\"account\":\"a\",\"question\":\"predict\"}",
	 "{\"name\":\"j\",\"predicted\":90,\"limit\":3,\"evidence\":[{\"class\":"
	 "\"user\",\"jobs\":3,\"weight\":0.5}],\"io\":{\"runs\":4,"
	 "\"written_bytes\":[1024,2048],\"read_bytes\":[0,0],"
	 "\"stripe_size\":1024,\"stripes\":1,\"MB/s\":7}}",
	 "NAME  NODES  PARTITION  PREDICTED  CAREFUL  LIMIT  ELAPSED  REMAINING"
	 "  FROM  JOBS\n"
	 "j     -      -               1:30  -            3  -        -        "
	 "  -     -\n"
	 "\n"
	 "CLASS  JOBS  WEIGHT\n"
	 "user      3     0.5\n"
	 "\n"
	 "IO_OF_RUNS  WRITES  READS  STRIPE_SIZE  STRIPES  MB/s\n"
	 "         4    1KiB     0B         1KiB        1     7\n"},
	{"ions 7 --table", "{\"job_id\":7,\"question\":\"ions\"}",
	 "{\"policy\":\"MCKP\",\"ions\":\"i1\",\"total\":1,"
	 "\"static_total\":1,\"jobs\":[{\"job_id\":7,\"curve\":[{"
	 "\"ions\":1,\"runs\":2,\"mean\":5,\"spread\":1,"
	 "\"bandwidth\":5,\"error\":0.5}]}]}",
	 "policy MCKP, I/O nodes i1: 1 MB/s predicted (STATIC: 1)\n"
	 "\n"
	 "JOB  NAME  NODES  IONS  HOLDS  WANTED  MB/s  CURVE\n"
	 "  7  -     -      -     -      -       -     -\n"
	 "\n"
	 "what is known of it\n"
	 "IONS  RUNS  MEAN_MB/s  SPREAD  BELIEVED  ERROR\n"
	 "   1     2          5       1         5    0.5\n"},
	{"ions --policy SIZE --ions 9 --without 8 --table",
	 "{\"policy\":\"SIZE\",\"pool\":9,\"without\":8,\"question\":"
	 "\"ions\"}",
	 "{\"policy\":\"MCKP\",\"ions\":\"i1\",\"total\":1,"
	 "\"static_total\":1,\"what_if\":{\"policy\":\"SIZE\",\"pool\":9,"
	 "\"total\":7,\"table_total\":9,"
	 "\"jobs\":[{\"job_id\":7,\"now\":1,\"ions\":4,"
	 "\"bandwidth\":7}]}}",
	 "policy MCKP, I/O nodes i1: 1 MB/s predicted (STATIC: 1)\n"
	 "\n"
	 "what if: policy SIZE, 9 I/O nodes: 7 MB/s predicted, "
	 "9 by PerformanceTable\n"
	 "JOB  NAME  NOW  WOULD_HOLD  SHARED  MB/s\n"
	 "  7  -       1           4  -          7\n"},
	{"predict 7 --nodes 2 --table",
	 "{\"nodes\":2,\"job_id\":7,\"question\":\"predict\"}",
	 "{\"nodes\":2,\"partition\":\"m\",\"predicted\":90,\"elapsed\":60,\"remaining\":40,"
	 "\"predicted_from\":\"class\"}",
	 "NAME  NODES  PARTITION  PREDICTED  CAREFUL  LIMIT  ELAPSED  REMAINING"
	 "  FROM   JOBS\n"
	 "-         2  m               1:30  -        -         1:00     40.0 s"
	 "  class  -\n"},
	{"jobs --accuracy --table", "{\"question\":\"accuracy\"}",
	 "{\"user\":[],\"partition\":[],\"week\":[]}",
	 "no ended job had a prediction; what was imported has none (see sysquery backtest)\n"},
	{"extractors --table", "{\"question\":\"extractors\"}",
	 "[{\"extractor\":\"disks\",\"documents\":2,\"hosts\":3}]",
	 "EXTRACTOR  DOCUMENTS  HOSTS\n"
	 "disks              2      3\n"},
	{"sql --table", "{\"question\":\"views\"}",
	 "[{\"view\":\"v_disks\",\"columns\":\"host name\"}]",
	 "VIEW     COLUMNS\n"
	 "v_disks  host name\n"},
	{"sql SELECT --table", "{\"sql\":\"SELECT\",\"question\":\"select\"}",
	 "[{\"a\":1,\"b\":\"x\",\"c\":2,\"d\":\"y\"}]",
	 "a  b  c  d\n"
	 "1  x  2  y\n"},
	{"history n1 --table", "{\"hosts\":[\"n1\"],\"question\":\"history\"}",
	 "[{\"extractor\":\"swap\",\"host\":\"n1\",\"since\":1,\"changes\":"
	 "[{\"path\":\"a.b\",\"old\":1,\"new\":\"x\"}]},"
	 "{\"extractor\":\"swap\",\"host\":\"n1\"}]",
	 "              SINCE  HOST  EXTRACTOR  WHAT          WAS  IS\n"
	 "1970-01-01T00:00:01  n1    swap       a.b             1  x\n"
	 "                  -  n1    swap       (first seen)    -  -\n"},
	{"diff n1 n2 --table",
	 "{\"hosts\":[\"n1\",\"n2\"],\"question\":\"diff\"}",
	 "[{\"extractor\":\"swap\",\"path\":\"\",\"old\":[1]}]",
	 "EXTRACTOR  WHAT   n1   n2\n"
	 "swap       (all)  [1]  -\n"},
	{"check conf --table",
	 "{\"tmpfs\":\"/tmp\",\"nodes\":[],\"question\":\"check\"}",
	 "[{\"nodes\":\"n1\",\"severity\":\"hint\",\"key\":\"Gres\","
	 "\"conf\":\"\",\"map\":\"2\",\"change\":\"Gres=gpu:2\"}]",
	 "NODES  SEVERITY  KEY   SLURM.CONF  MAP  CHANGE\n"
	 "n1     hint      Gres              2    Gres=gpu:2\n"},
	{"osts place --stripes 1 --table",
	 "{\"stripes\":1,\"dry\":true,\"question\":\"osts\"}",
	 "{\"commands\":[\"lfs setstripe -o 1\"],\"missing\":2,"
	 "\"predicted\":[{\"fits\":true}]}",
	 "lfs setstripe -o 1 FILE\n"
	 "# 2 stripes found no target\n"
	 "# of 1 predicted requests 1 fit beside it\n"},
	{"stripe explain --fsname f --table",
	 "{\"fsname\":\"f\",\"question\":\"stripe\"}",
	 "{\"components\":[{\"begin\":0,\"count\":1,\"width\":1024,"
	 "\"why\":\"small\"}],\"command\":\"lfs setstripe -c 1\"}",
	 "FROM  TO  STRIPES  WIDTH  WHY\n"
	 "  0B  -         1   1KiB  small\n"
	 "\n"
	 "lfs setstripe -c 1 FILE\n"},
	{"site --table", NULL, "[{\"host\":\"n1\",\"last_seen\":1}]",
	 "Hosts      1 in the resource map\n"
	 "           1 not heard of for a day: n1\n"
	 "Buffers    1\n"
	 "Jobs       1 ended within a day\n"
	 "\n"
	 "More: sysquery buffers, jobs, ions, osts, resources, check; "
	 "sysquery --help.\n"
	 "The documents of all hosts, which sysquery alone printed before: "
	 "sysquery resources --json.\n"},
	{"jobs --table", "{\"question\":\"jobs\"}",
	 "[{\"job_id\":7,\"tightened\":6,\"run\":90,\"read_bytes\":2048}]",
	 "JOB  USER  NAME  NODES  STATE  LIMIT_MIN  TIGHT_MIN  PREDICTED  FROM"
	 "   RAN  IONS  READ  WRITTEN\n"
	 "  7  -     -     -      -      -                  6  -          -   "
	 "  1:30  -     2KiB  -\n"},
};

static void write_conf(void)
{
	static const char conf[] = "DaemonAddr=localhost:1\n";

	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("conf"), conf,
				 sizeof(conf) - 1, 0644, false, &err),
		  err);
	setenv("SLUICE_CONF", tmpfile_path("conf"), 1);
	setenv("TZ", "UTC", 1);
	ck_assert_int_eq(chdir(tmpdir()), 0);
}

static int ask_words(const char *line, char **argv, int argc)
{
	static char text[256];
	const struct slu_command *c = slu_commands;
	struct slu_ask ask;
	int ret;

	slu_copy(text, sizeof(text), line);
	expect_ok(
		slu_ask_parse(&ask,
			      argc + (int)slu_split(text, " ", argv + argc, 28),
			      argv, &err),
		err);
	while (strcmp(c->name, ask.command) != 0)
		c++;
	ret = c->run(&ask, &err);
	slu_ask_free(&ask);
	return ret;
}

static int ask_line(const char *line)
{
	char *argv[32] = {"sysquery", "--output", (char *)tmpfile_path("out")};

	return ask_words(line, argv, 3);
}

/* The same into standard output, which is the file meanwhile. */
static int ask_stdout(const char *line)
{
	int fd = open(tmpfile_path("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int before = dup(STDOUT_FILENO), ret;
	char *argv[32] = {"sysquery"};

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ret = ask_words(line, argv, 1);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	close(fd);
	return ret;
}

START_TEST(test_tables)
{
	struct slu_buf out = {0};

	write_conf();
	each(c, cases)
	{
		asked = c->asked;
		answer = c->answer;
		expect(ask_line(c->line) == 0, "%s: %s", c->line, err.text);
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("out"), 65536,
					&out, &err),
			  err);
		ck_assert_str_eq(out.data, c->want);
	}
	slu_buf_free(&out);
}
END_TEST

START_TEST(test_errors)
{
	static const struct {
		const char *line, *answer, *words;
		enum slu_kind kind;
	} bad[] = {
		{"jobs --table", NULL, "not yours", SLU_DENIED},
		{"jobs --table", "rubbish", "JSON", SLU_INVALID},
		{"jobs --table", "{}", "not an array", SLU_INVALID},
		{"buffers --table", "[7]", "not an object", SLU_INVALID},
		{"ions --table", "{\"jobs\":7}", "not a list", SLU_IO},
		{"buffers 7x", "[]", "no job", SLU_INVALID},
		{"dump", "", "needs -f", SLU_INVALID},
	};

	write_conf();
	each(c, bad)
	{
		asked = "";
		answer = c->answer;
		if (strcmp(c->line, "jobs --table") == 0)
			asked = "{\"question\":\"jobs\"}";
		if (strcmp(c->line, "buffers --table") == 0)
			asked = "{\"question\":\"buffers\"}";
		if (strcmp(c->line, "ions --table") == 0)
			asked = "{\"question\":\"ions\"}";
		expect(ask_line(c->line) == -1, "%s", c->line);
		expect_err(err, c->kind, c->words);
	}
}
END_TEST

static const struct {
	const char *where, *token, *asks;
	enum slu_kind kind;
} rests[] = {
	{"http://h:1", NULL,
	 "GET http://h:1/slurmdb/v0.0.46/jobs?start_time=2000-01-01 of - with "
	 "- -",
	 SLU_IO},
	{"http://old/", NULL, "GET http://old/slurmdb/v0.0.40/jobs?start",
	 SLU_IO},
	{"http://none", NULL, "name the path, http://HOST", SLU_NOTFOUND},
	{"http://h/slurmdb/v0.0.37/jobs", NULL, "before v0.0.38 it gives wrong",
	 SLU_INVALID},
	{"http://none/x", NULL, "without a path its newest", SLU_NOTFOUND},
	{"http://deny", NULL, "failure: get a valid SLURM_JWT", SLU_DENIED},
	{"http://large", NULL, "that: ask for less at once", SLU_NOMEM},
	{"http://says/{\"errors\":[{\"error\":\"authentication\"}]}", NULL,
	 "it says: authentication: get a valid SLURM_JWT", SLU_IO},
	{"http://says/{\"jobs\":[{\"job_id\":7},{\"job_i", NULL,
	 "ceases to be JSON in entry 2, what is before that is imported",
	 SLU_IO},
	{"https://h/x", NULL, "GET https://h/x of - with - -", SLU_IO},
	{"h:1/slurmdb/v0.0.39/jobs", NULL,
	 "GET h:1/slurmdb/v0.0.39/jobs of - with - -", SLU_IO},
	{"http://h:1/slurmdb/v0.0.39/jobs?start_time=5", NULL,
	 "GET http://h:1/slurmdb/v0.0.39/jobs?start_time=5 of -", SLU_IO},
	{"unix:/run/r", NULL,
	 "GET http://localhost/slurmdb/v0.0.46/jobs?start_time=2000-01-01 of "
	 "/run/r with -",
	 SLU_IO},
	{"h", "hush", " with X-SLURM-USER-NAME: ", SLU_IO},
	{"h", "hush", "X-SLURM-USER-TOKEN: hush", SLU_IO},
};

START_TEST(test_import_from_rest)
{
	char line[128];

	each(c, rests)
	{
		if (c->token)
			setenv("SLURM_JWT", c->token, 1);
		else
			unsetenv("SLURM_JWT");
		snprintf(line, sizeof(line), "import rest %s", c->where);
		expect(ask_line(line) == -1, "%s", line);
		expect_err(err, c->kind, c->asks);
	}
}
END_TEST

/* The same with texts that are long, wide, and command a terminal. */
static struct json_object *made_hostile(struct json_object *value)
{
	static const char text[] =
		"\u65e5\u672c \033[2J\r\n\t\xc2\x9b;31m\u202e a sentence that is "
		"longer than the terminal is wide, and then says so again: "
		"\U0001f600\U0001f600\u2028\u200f e\u0301\u2764\ufe0f";
	struct json_object *made;

	switch (json_object_get_type(value)) {
	case json_type_object:
		made = json_object_new_object();
		json_object_object_foreach(value, key, member)
			json_object_object_add(made, key, made_hostile(member));
		return made;
	case json_type_array:
		made = json_object_new_array();
		for (size_t i = 0; i < json_object_array_length(value); i++)
			json_object_array_add(
				made, made_hostile(json_object_array_get_idx(
					      value, i)));
		return made;
	case json_type_string:
		return json_object_new_string(text);
	case json_type_int:
		return json_object_new_int64(INT64_C(999999999999999));
	default:
		return json_object_get(value);
	}
}

/* But for commands, which are to be copied whole. */
static void check_lines(const char *what, char *text, size_t width)
{
	char *safe;

	for (char *line; (line = strsep(&text, "\n"));) {
		safe = strdup(line);
		expect(strcmp(slu_printable(safe), line) == 0, "%s: %s", what,
		       safe);
		if (strcmp(line + strlen(line) - (strlen(line) > 5 ? 5 : 0),
			   " FILE") != 0 &&
		    (strncmp(what, "doctor", 6) || strncmp(line, "    ", 4)))
			expect(slu_width(line) <= width, "%s: %s", what, line);
		free(safe);
	}
}

static void check_narrow(const char *line, const char *text, size_t width)
{
	struct json_object *plain = slu_json_parse(text, strlen(text), &err);
	struct json_object *hostile = made_hostile(plain);
	struct slu_buf out = {0};
	char columns[16];

	snprintf(columns, sizeof(columns), "%zu", width);
	setenv("COLUMNS", columns, 1);
	answer = slu_json_text(hostile);
	if (ask_stdout(line) && err.kind != SLU_INVALID)
		ck_abort_msg("%s: %s", line, err.text);
	expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("out"), 1 << 20, &out,
				&err),
		  err);
	expect(out.len > 0, "%s", line);
	check_lines(line, out.data, width);
	slu_buf_free(&out);
	json_object_put(hostile);
	json_object_put(plain);
}

START_TEST(test_tables_in_narrow_terminals)
{
	write_conf();
	unsetenv("NO_COLOR");
	each(c, cases)
	{
		if (!strstr(c->line, "--table"))
			continue;
		asked = c->asked;
		check_narrow(c->line, c->answer, 80);
		check_narrow(c->line, c->answer, 40);
	}
	unsetenv("COLUMNS");
}
END_TEST

/* Every answer as JSON, in the directory that test_schema.sh names. */
START_TEST(test_json)
{
	const char *dir = getenv("SLUICE_ANSWERS");
	char line[256], path[300], *table;
	int n = 0;

	write_conf();
	each(c, cases)
	{
		slu_copy(line, sizeof(line), c->line);
		table = strstr(line, " --table");
		if (!table)
			continue;
		*table = '\0';
		/* the table's question is another; is to look wrong */
		if (strncmp(line, "resources", 9) == 0 ||
		    strncmp(line, "job 17", 6) == 0 ||
		    strncmp(line, "doctor", 6) == 0 ||
		    strncmp(line, "report --user", 13) == 0 ||
		    strstr(c->answer, "\"mdts\":{}"))
			continue;
		asked = c->asked;
		answer = c->answer;
		if (ask_line(line) && err.kind != SLU_NOTFOUND)
			ck_abort_msg("%s: %s", line, err.text);
		snprintf(path, sizeof(path), "%s/show%d", dir ? dir : ".", n++);
		ck_assert_int_eq(rename(tmpfile_path("out"), path), 0);
	}
}
END_TEST

/* Units, rounding, and what was there before. */
START_TEST(test_units)
{
	static const struct {
		const char *line, *asked, *answer, *want;
	} units[] = {
		{"jobs", "{\"question\":\"jobs\"}",
		 "[{\"job_id\":7,\"limit\":2,\"run\":90,\"script\":null,"
		 "\"MB/s\":1.7108615666666667}]",
		 "{\"schema\":\"sluice.jobs\",\"version\":1,\"jobs\":[{"
		 "\"job_id\":7,\"limit\":2,\"run\":90,\"MB/s\":"
		 "1.7108615666666667,\"limit_seconds\":120,\"run_seconds\":90,"
		 "\"bandwidth_bytes_per_second\":1710862}]}\n"},
		{"osts", "{\"question\":\"osts\"}",
		 "{\"servers\":{\"n1\":{\"cpu\":20.4333,\"osts\":[{\"total\":2,"
		 "\"io_ms\":8.1234}]}}}",
		 "{\"schema\":\"sluice.osts\",\"version\":1,\"servers\":{\"n1\":"
		 "{\"cpu\":20.4333,\"osts\":[{\"total\":2,\"io_ms\":8.1234,"
		 "\"size_bytes\":2048,\"io_seconds\":0.008}],"
		 "\"cpu_percent\":20.4}}}\n"},
		{"jobs --json=0", "{\"question\":\"jobs\"}",
		 "[{\"limit\":2,\"script\":null}]",
		 "[{\"limit\":2,\"script\":null}]\n"},
		/* what commands a terminal is escaped */
		{"jobs", "{\"question\":\"jobs\"}",
		 "[{\"name\":\"a\xc2\x9b"
		 "b\xe2\x80\xae\x7f\"}]",
		 "{\"schema\":\"sluice.jobs\",\"version\":1,\"jobs\":[{"
		 "\"name\":\"a\\u009bb\\u202e\\u007f\"}]}\n"},
	};
	const char *dir = getenv("SLUICE_ANSWERS");
	struct slu_buf out = {0};
	char path[300];

	write_conf();
	each(c, units)
	{
		asked = c->asked;
		answer = c->answer;
		expect(ask_line(c->line) == 0, "%s: %s", c->line, err.text);
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("out"), 65536,
					&out, &err),
			  err);
		ck_assert_str_eq(out.data, c->want);
		snprintf(path, sizeof(path), "%s/units%zu", dir ? dir : ".",
			 (size_t)(c - units));
		if (!strstr(c->line, "json=0"))
			ck_assert_int_eq(rename(tmpfile_path("out"), path), 0);
	}
	slu_buf_free(&out);
}
END_TEST

static const char many[] =
	"[{\"job\":1,\"state\":\"RUNNING\",\"created\":100,\"capacity\":9},"
	"{\"job\":2,\"state\":\"STAGE_IN\",\"created\":200,\"capacity\":1024},"
	"{\"job\":3,\"state\":\"RUNNING\",\"created\":300,\"capacity\":5},"
	"{\"job\":4,\"state\":\"DONE\",\"created\":400}]";

/* Which rows, in which order, with which columns. */
START_TEST(test_narrowed)
{
	static const struct {
		const char *line, *want;
	} lines[] = {
		{"buffers -o job,state", "JOB  STATE\n  1  RUNNING\n"
					 "  2  STAGE_IN\n  3  RUNNING\n"
					 "  4  DONE\n"},
		{"buffers -o JOB --state running", "JOB\n  1\n  3\n"},
		{"buffers -o JOB --state done,stage_in", "JOB\n  2\n  4\n"},
		{"buffers -o JOB --since @200 --until @300", "JOB\n  2\n  3\n"},
		{"buffers -o JOB --last 2", "JOB\n  3\n  4\n"},
		{"buffers -o JOB --last 2 --state RUNNING,DONE",
		 "JOB\n  3\n  4\n"},
		{"buffers -o job_id,capacity_bytes --sort -capacity",
		 "JOB_ID  CAPACITY_BYTES\n     2            1KiB\n"
		 "     1              9B\n     3              5B\n"
		 "     4               -\n"},
		{"buffers -o JOB --sort state,-job",
		 "JOB\n  4\n  3\n  1\n  2\n"},
		{"buffers --sort -job --state RUNNING --json",
		 "{\"schema\":\"sluice.buffers\",\"version\":1,\"buffers\":[{"
		 "\"job\":3,\"state\":\"RUNNING\",\"created\":300,"
		 "\"capacity\":5,\"job_id\":3,\"created_unix\":300,"
		 "\"capacity_bytes\":5},{\"job\":1,\"state\":\"RUNNING\","
		 "\"created\":100,\"capacity\":9,\"job_id\":1,"
		 "\"created_unix\":100,\"capacity_bytes\":9}]}\n"},
	};
	struct slu_buf out = {0};

	write_conf();
	each(c, lines)
	{
		asked = NULL;
		answer = many;
		expect(ask_line(c->line) == 0, "%s: %s", c->line, err.text);
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("out"), 65536,
					&out, &err),
			  err);
		ck_assert_str_eq(out.data, c->want);
	}
	slu_buf_free(&out);
	expect(ask_line("buffers -o jobs") == -1, "no such field");
	expect_err(err, SLU_INVALID, "no field \"jobs\": they are buffer_id, ");
	expect(ask_line("buffers --sort -x") == -1, "no such field");
	expect_err(err, SLU_INVALID, "--sort: there is no field \"x\"");
}
END_TEST

/* A screenful; what cannot be told is left out. */
START_TEST(test_site)
{
	struct slu_buf out = {0};
	size_t lines = 0;

	write_conf();
	asked = NULL;
	answer = many;
	expect_ok(ask_line("site --table"), err);
	expect_ok(
		slu_file_read(AT_FDCWD, tmpfile_path("out"), 65536, &out, &err),
		err);
	for (char *c = out.data; *c; c++)
		lines += *c == '\n';
	ck_assert_uint_le(lines, 24);
	ck_assert_ptr_nonnull(strstr(
		out.data, "Buffers    4: 2 RUNNING, 1 STAGE_IN, 1 DONE\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "sysquery resources --json"));
	slu_buf_free(&out);
	/* what has ended, at a fraction of a second, takes nothing */
	answer = "[{\"job\":1,\"capacity\":1024,\"ended\":0},"
		 "{\"job\":2,\"capacity\":1048576,\"ended\":4.25}]";
	expect_ok(ask_line("site --table"), err);
	expect_ok(
		slu_file_read(AT_FDCWD, tmpfile_path("out"), 65536, &out, &err),
		err);
	ck_assert_ptr_nonnull(strstr(out.data, " 1KiB of capacity taken\n"));
	slu_buf_free(&out);
}
END_TEST

/* A command without a test of its table fails here, so that it is not
 * forgotten. */
START_TEST(test_every_command_has_a_table_test)
{
	/* answered without sluiced, see test_sysquery.sh and test_backtest.c;
	 * has no table */
	static const char *const others[] = {"dump",	 "check-integrity",
					     "import",	 "page",
					     "backtest", "schema"};
	bool found;

	for (const struct slu_command *k = slu_commands; k->name; k++) {
		size_t n = strlen(k->name);

		found = false;
		each(c, cases) found |= strncmp(c->line, k->name, n) == 0 &&
					c->line[n] == ' ' &&
					strstr(c->line, "--table");
		each(other, others) found |= strcmp(*other, k->name) == 0;
		expect(found, "%s", k->name);
	}
}
END_TEST

/* A target is on the server that sluiced names; lfs says the rest. */
static void write_lfs(void)
{
	static const char lfs[] =
		"#!/bin/sh\n"
		"case $1 in\n"
		"df) for i in 0 1 2 3; do echo fs-OST000${i}_UUID 9000000000 0 "
		"8000000000 1% /m[OST:$i]; done ;;\n"
		"*) printf 'lmm_stripe_count: 4\\nlmm_stripe_size: 1048576\\n"
		"lmm_pattern: raid0\\n'\n"
		"for i in 0 1 0 1; do echo \"- l_ost_idx: $i\"; done ;;\n"
		"esac\n";
	char path[8192];

	ck_assert_int_eq(mkdir(tmpfile_path("bin"), 0700), 0);
	ck_assert_int_eq(mkdir(tmpfile_path("files"), 0700), 0);
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("bin/lfs"), lfs,
				 strlen(lfs), 0700, false, &err),
		  err);
	snprintf(path, sizeof(path), "%s:%s", tmpfile_path("bin"),
		 getenv("PATH"));
	setenv("PATH", path, 1);
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("files/f"), "", 0, 0600,
				 false, &err),
		  err);
	ck_assert_int_eq(truncate(tmpfile_path("files/f"), 1L << 30), 0);
}

START_TEST(test_stripe_check)
{
	const char *dir = getenv("SLUICE_ANSWERS");
	char line[300], path[300];
	struct slu_buf out = {0};

	write_conf();
	write_lfs();
	asked = "{\"fsname\":\"fs\",\"question\":\"osts\"}";
	answer = "{\"lustre\":2005,\"servers\":{\"a\":{\"peak\":4e8},"
		 "\"b\":{}},\"osts\":["
		 "{\"index\":0,\"server\":\"a\",\"name\":\"fs-OST0000\"},"
		 "{\"index\":1,\"server\":\"a\",\"name\":\"fs-OST0001\"},"
		 "{\"index\":2,\"server\":\"b\",\"name\":\"fs-OST0002\"},"
		 "{\"index\":3,\"server\":\"b\",\"name\":\"fs-OST0003\"},"
		 "{\"index\":0,\"server\":\"b\",\"name\":\"f-OST0000\"},"
		 "{\"index\":1,\"server\":\"b\",\"name\":\"fs2-OST0001\"}]}";
	snprintf(line, sizeof(line), "stripe check %s --fsname fs --json",
		 tmpfile_path("files"));
	expect(ask_line(line) == 0, "%s", err.text);
	expect_ok(
		slu_file_read(AT_FDCWD, tmpfile_path("out"), 65536, &out, &err),
		err);
	/* 1 GiB at 400 MB/s of one server, or half of it on each */
	expect(strstr(out.data, "\"why\":\"one server\"") &&
		       strstr(out.data, "\"now_seconds\":2.686") &&
		       strstr(out.data, "\"better_seconds\":1.344") &&
		       strstr(out.data, "lfs migrate -c 4 -S 1M "),
	       "%s", out.data);
	snprintf(path, sizeof(path), "%s/check", dir ? dir : ".");
	ck_assert_int_eq(rename(tmpfile_path("out"), path), 0);
	slu_buf_free(&out);
}
END_TEST

TEST_MAIN("show", test_json, test_units, test_narrowed, test_site, test_tables,
	  test_tables_in_narrow_terminals, test_every_command_has_a_table_test,
	  test_errors, test_import_from_rest, test_stripe_check)
