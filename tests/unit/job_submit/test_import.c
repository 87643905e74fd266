/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the import of job histories in each format of other programs (SWF,
 * sacct, JSON, Darshan), against the expected text of each job. */
#include "config.h"
#include "tests/unit/harness.h"
#include <unistd.h>
#include "common/proc.h"
#include "job_submit/import/import_formats.h"

static int to_uid(const char *user, uint32_t *uid)
{
	*uid = 1000;
	return strcmp(user, "ada") == 0 ? 0 : -1;
}

/* One job as a line. */
static int print_job(void *arg, const struct slu_job *j, struct slu_err *err)
{
	char *out = arg, task[32] = "0";

	(void)err;
	if (j->array_job_id)
		sprintf(task, "%u_%u", j->array_job_id, j->array_task_id);
	sprintf(out + strlen(out),
		"%u[%s] %u %s %s/%s %s n%u %ld+%ld-%ld %u "
		"%s\n",
		j->job_id, task, j->uid, j->user ? j->user : "-",
		j->account ? j->account : "-",
		j->partition ? j->partition : "-", j->name ? j->name : "-",
		j->node_cnt, (long)j->submit, (long)j->start, (long)j->end,
		j->limit_asked, j->state ? j->state : "-");
	if (j->suspended)
		sprintf(out + strlen(out) - 1, ", %ld suspended\n",
			(long)j->suspended);
	return 0;
}

static int print_io(void *arg, const struct slu_import_io *io,
		    struct slu_err *err)
{
	char *out = arg;

	(void)err;
	sprintf(out + strlen(out), "%u at %ld: %g %g\n", io->job_id,
		(long)io->start, io->read_bytes, io->written_bytes);
	if (io->calls > 0)
		sprintf(out + strlen(out) - 1, ", %g of %g, %g %g\n", io->calls,
			io->called_bytes, io->shared_bytes, io->consecutive);
	return 0;
}

#define BOM	 "\xef\xbb\xbf"
#define TEN(x)	 x x x x x x x x x x
#define MANY	 TEN(TEN("|")) TEN("|")
#define EIGHT(x) x x x x x x x x
#define LONG	 EIGHT(EIGHT(EIGHT(EIGHT(EIGHT("four")))))

static const struct {
	const char *format, *text, *jobs;
	uint64_t n, skipped, broken;
	const char *named; /* the first broken one */
} cases[] = {
	{"swf",
	 "; UnixStartTime: 1000\n\n"
	 "1 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\r\n"
	 "2 10 -1 0 4 -1 -1 8 601 -1 5 3 2 7 1 -1 -1 -1\n"
	 "3 10 5 100 4 -1 -1 8\n"
	 "4 10 5 1e99 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "5 20 0 9 4 -1 -1 -1 -1 -1 0 3 -1 -1 -1 -1 -1 -1",
	 "1[0] 3 3 2/1 7 n8 1010+1015-1115 11 COMPLETED\n"
	 "5[0] 3 3 -/- - n4 1020+1020-1029 0 FAILED\n",
	 2, 1, 2, "5: 8 of 18 columns"},
	{"sacct",
	 "JobID|JobIDRaw|User|UID|Account|Partition|Submit|Start|End|State|"
	 "NNodes|Timelimit|JobName\n"
	 "7_3|9|ada||acc|fat|1970-01-01T00:00:01|1970-01-01T00:00:02|"
	 "1970-01-01T00:01:02|CANCELLED by 7|2|1-00:00:00|a|b\n"
	 "8|8|bob|5|acc|fat|Unknown|2|62|COMPLETED|2K|UNLIMITED|x\n"
	 "8.batch|8.batch||5|acc|||1970-01-01T00:00:02|"
	 "1970-01-01T00:01:02|COMPLETED|2||batch\n"
	 "10|10|eve||acc|fat||1970-01-01T00:00:02|"
	 "1970-01-01T00:01:02|COMPLETED|2||x\n"
	 "11|11|ada||acc|fat||None|1970-01-01T00:01:02|CANCELLED|2||x\n"
	 "12|12|ada||acc|fat||noon|1970-01-01T00:01:02|COMPLETED|2||x\n"
	 "13|13|ada\n",
	 "9[7_3] 1000 ada acc/fat a|b n2 1+2-62 1440 CANCELLED\n"
	 "8[0] 5 bob acc/fat x n2048 0+2-62 0 COMPLETED\n",
	 2, 2, 3, "5: user \"eve\" is not known here"},
	{"sacct",
	 "1|1|c|p|q|a|g|9|u|8|1970-01-01T00:00:01|1970-01-01T00:00:01|"
	 "1970-01-01T00:00:01|1970-01-01T00:00:09|00:00:08|0:0|TIMEOUT|3|4|4|"
	 "m|t|t|00:10:00|n1|j\n",
	 "1[0] 8 u a/p j n3 1+1-9 10 TIMEOUT\n", 1, 0, 0, ""},
	{"sacct", /* what the steps read and wrote */
	 "JobID|User|UID|Start|End|State|TRESUsageInTot|TRESUsageOutTot\n"
	 "8|bob|5|1970-01-01T00:00:02|1970-01-01T00:01:02|COMPLETED||\n"
	 "8.batch|||1970-01-01T00:00:02|1970-01-01T00:01:02|COMPLETED|"
	 "cpu=00:00:01,fs/disk=2012,mem=4136K|fs/disk=1K\n"
	 "8.0|||1970-01-01T00:00:02|1970-01-01T00:01:02|COMPLETED|"
	 "fs/disk=88|energy=0,fs/disk=76\n"
	 "9|bob|5|1970-01-01T00:00:02|1970-01-01T00:01:02|COMPLETED||\n"
	 "9.0|||1970-01-01T00:00:02|1970-01-01T00:01:02|COMPLETED|"
	 "cpu=1|fs/disk=0\n"
	 "10|bob|5|1970-01-01T00:00:02|None|RUNNING||\n"
	 "10.0|||1970-01-01T00:00:02|None|RUNNING|fs/disk=5|\n"
	 "11|bob|5|1970-01-01T00:00:07|1970-01-01T00:01:02|COMPLETED||\n"
	 "11.0|||1970-01-01T00:00:02|1970-01-01T00:01:02|COMPLETED|"
	 "fs/disk=5|fs/disk=many\n",
	 "8[0] 5 bob -/- - n0 0+2-62 0 COMPLETED\n8 at 2: 2100 1100\n"
	 "9[0] 5 bob -/- - n0 0+2-62 0 COMPLETED\n"
	 "11[0] 5 bob -/- - n0 0+7-62 0 COMPLETED\n11 at 7: 5 0\n",
	 3, 6, 0, ""},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9},\"state\":{\"current\":\"COMPLETED\"},\"steps\":[{\"tres\":"
	 "{\"requested\":{\"total\":[{\"type\":\"cpu\",\"count\":7},"
	 "{\"type\":\"fs\",\"name\":\"disk\",\"count\":100}]},\"consumed\":"
	 "{\"total\":[{\"type\":\"fs\",\"name\":\"disk\",\"count\":30}]}}},"
	 "{\"tres\":{\"requested\":{\"total\":[{\"type\":\"fs\",\"name\":"
	 "\"disk\",\"count\":11}]},\"consumed\":{}}},{},4]}]}",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 COMPLETED\n5 at 3: 111 30\n", 1, 0, 0,
	 ""},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"name\":\"n\","
	 "\"account\":\"acc\",\"partition\":\"fat\",\"allocation_nodes\":4,"
	 "\"array\":{\"job_id\":5,\"task_id\":{\"set\":true,\"number\":2}},"
	 "\"time\":{\"submission\":1,\"start\":3,\"end\":9,\"limit\":"
	 "{\"set\":true,\"infinite\":false,\"number\":60}},"
	 "\"state\":{\"current\":[\"COMPLETED\"]}},"
	 "{\"job_id\":6,\"user\":\"ada\",\"time\":{\"start\":1,\"end\":2,"
	 "\"limit\":7},\"state\":{\"current\":\"FAILED\"}},"
	 "{\"job_id\":7,\"time\":{\"start\":1,\"end\":2}},"
	 "{\"job_id\":8,\"time\":{\"start\":0,\"end\":2}},3]}",
	 "5[5_2] 1000 ada acc/fat n n4 1+3-9 60 COMPLETED\n"
	 "6[0] 1000 ada -/- - n0 0+1-2 7 FAILED\n",
	 2, 1, 2, "3: job 7: user \"\" is not known here"},
	{"darshan",
	 "# darshan log version: 3.10\n# jobid: 7\n# start_time: 1000\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_READ\t-1\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_WRITTEN\t100\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_WRITTEN\tmany\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_WRITTEN\t-2\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_WRITTEN\t1e30\t/f\t/\tlustre\n"
	 "MPI-IO\t-1\t6\tMPIIO_BYTES_WRITTEN\t100\t/f\t/\tlustre\n"
	 "STDIO\t0\t7\tSTDIO_BYTES_WRITTEN\t11\t/g\t/\tdvs\n"
	 "STDIO\t0\t7\tSTDIO_BYTES_READ\t5\t/g\t/\tdvs\n"
	 "total_POSIX_BYTES_WRITTEN: 100\nnonsense\n"
	 "# darshan log version: 3.10\n# jobid: 8\n# start_time: 2000.75\n"
	 "POSIX\t-1\t6\tPOSIX_OPENS\t1\t/f\t/\tlustre\n"
	 "# darshan log version: 3.10\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_READ\t4\t/f\t/\tlustre\n",
	 "7 at 1000: 5 111\n", 1, 1, 5, "6: POSIX_BYTES_WRITTEN: \"many\""},
	/* Logs of which no counters were printed, and one that has none. */
	{"darshan",
	 "# darshan log version: 3.41\n# jobid: 7\n# start_time: 1000\n"
	 "# POSIX module: 3 bytes (compressed), ver=4\n"
	 "total_POSIX_BYTES_READ: 7\n"
	 "# darshan log version: 3.41\n# jobid: 8\n# start_time: 1000\n"
	 "# performance\n"
	 "# darshan log version: 2.06\n# jobid: 9\n# start_time: 1000\n",
	 "", 0, 1, 2,
	 "6: no counters of files: print them by darshan-parser without "
	 "options, or with --base"},
	{"darshan",
	 "# darshan log version: 3.10\n# jobid: 7\n# start_time: 1000\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_WRITTEN\t100\t/f\t/\tlustre\n"
	 "POSIX\t3\t8\tPOSIX_BYTES_READ\t40\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_WRITES\t20\t/f\t/\tlustre\n"
	 "POSIX\t3\t8\tPOSIX_READS\t8\t/f\t/\tlustre\n"
	 "POSIX\t3\t8\tPOSIX_WRITES\t-1\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_CONSEC_WRITES\t19\t/f\t/\tlustre\n"
	 "POSIX\t-1\t6\tPOSIX_CONSEC_READS\tmany\t/f\t/\tlustre\n"
	 "STDIO\t0\t7\tSTDIO_BYTES_WRITTEN\t11\t/g\t/\tdvs\n",
	 "7 at 1000: 40 111, 28 of 140, 100 19\n", 1, 0, 0, ""},
	{"darshan",
	 "# darshan log version: 2.06\n# jobid: 9\n# start_time: 1000\n"
	 "0\t12\tCP_BYTES_READ\t100\t...f\t/\tlustre\n"
	 "0\t12\tCP_BYTES_WRITTEN\t100\t...f\t/\tlustre\n",
	 "", 0, 0, 1,
	 "6: a log of Darshan 2, whose counters (CP_...) are not read"},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user_name\":\"ada\",\"job_state\":"
	 "\"COMPLETED\",\"start_time\":3,\"end_time\":9}]}",
	 "", 0, 0, 1,
	 "1: job 5 has no \"time\": is it what squeue or scontrol print? It "
	 "should be of sacct"},
	/* What no history takes is broken here, and ends no import. */
	{"darshan",
	 "# darshan log version: 3.10\n# jobid: 7\n# start_time: 1000\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_READ\t900000000000000000\t/f\t/\tdvs\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_WRITTEN\t9e17\t/f\t/\tdvs\n"
	 "# darshan log version: 3.10\n# jobid: 8\n# start_time: 2000\n"
	 "POSIX\t-1\t6\tPOSIX_BYTES_READ\t4\t/f\t/\tlustre\n",
	 "8 at 2000: 4 0\n", 1, 0, 1,
	 "6: job 7: 9e+17 bytes read, 9e+17 written"},
	/* Parts of a job that was checkpointed beside their sum; no number. */
	{"swf",
	 "7 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "7 10 5 60 4 -1 -1 8 601 -1 2 3 2 7 1 -1 -1 -1\n"
	 "7 99 5 40 4 -1 -1 8 601 -1 3 3 2 7 1 -1 -1 -1\n"
	 "8 99 5 40 4 -1 -1 8 601 -1 4 3 2 7 1 -1 -1 -1\n"
	 "-1 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n",
	 "7[0] 3 3 2/1 7 n8 11+16-116 11 COMPLETED\n", 1, 3, 1,
	 "5: job number -1"},
	/* It is not known when they ran, or whether. */
	{"swf",
	 "; UnixStartTime: 0.5\n"
	 "1 -1 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "2 10 5 .5 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "3 0 0 1 4 -1 -1 8 601 -1 4e9 3 2 7 1 -1 -1 -1\n",
	 "3[0] 3 3 2/1 7 n8 1+1-2 11 COMPLETED\n", 1, 2, 0, ""},
	/* A column that is not read may have any text, or be missing; what only
	 * describes a job is not known then; without the others it is lost. */
	{"swf",
	 "1 10 5 100 4 1e12 9e18 8 601 4294967296 1 3 2e12 7 1 ? nan -7\n"
	 "2 10 5 100 4 -9 - 8 601 -1 1 3 2 7 1 -1 -1\n"
	 "3 10 5 100 4 -1 -1 5e9 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "4 10 5 100 4 -1 -1 8 601 1e30 1 3 1e20 a.out long\n"
	 "5 10 5 100 4 -1 -1 8 601 nan 1 3 g1 7b - -1 -1 -1\n"
	 "6 10 5 100 4 -1 -1 8 601 -2 1 3 -2 -2 -2 -1 -1 -1\n"
	 "7 10 -2 100 4 -1 -1 -2 -2 -1 -2 3 2 7 1 -1 -1 -1\n"
	 "8 10 5 100 4 -1 -1 8 601 -1 1 3 2 7\n"
	 "9 10 5 1h 4 -1 -1 8 601 -1 1 ada 2 7 1 -1 -1 -1\n",
	 "1[0] 3 3 2000000000000/1 7 n8 11+16-116 11 COMPLETED\n"
	 "2[0] 3 3 2/1 7 n8 11+16-116 11 COMPLETED\n"
	 "4[0] 3 3 -/- - n8 11+16-116 11 COMPLETED\n"
	 "5[0] 3 3 -/- - n8 11+16-116 11 COMPLETED\n"
	 "6[0] 3 3 -/- - n8 11+16-116 11 COMPLETED\n"
	 "7[0] 3 3 2/1 7 n4 11+11-111 0 COMPLETED\n",
	 6, 0, 3, "3: column 8: 5e+09"},
	/* Comments as they come. */
	{"swf",
	 "  ;unixstarttime : 1000 (Thu Jan 1)\n"
	 "# made by hand\n"
	 "\t1 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n",
	 "1[0] 3 3 2/1 7 n8 1010+1015-1115 11 COMPLETED\n", 1, 0, 0, ""},
	/* Lines before the header; times as other programs print them. */
	{"sacct",
	 "Welcome to the cluster\n\n# jobs of 1970\n"
	 "JobID|UID|Start|End|State\n"
	 "1|5|1970-01-01T02:00:05+02:00|1970-01-01T00:00:09Z|COMPLETED\n"
	 "2|5|1970-01-01 00:00:05|1970-01-01T00:00:09-0000|CANCELLED by ada\n"
	 "3|5|1970-01-01T00:00:05+2|1970-01-01T00:00:09|COMPLETED\n",
	 "1[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n"
	 "2[0] 5 - -/- - n0 0+5-9 0 CANCELLED\n",
	 2, 0, 2, "1: 1 of 26 columns, without a header"},
	{"sacct",
	 "JobID|UID|Start|End\n1|5|01/02-00:00:05|1970-01-01T00:00:09\n", "", 0,
	 0, 1,
	 "2: Start \"01/02-00:00:05\": print the times by "
	 "SLURM_TIME_FORMAT=%s sacct"},
	/* Quoted, as spreadsheets and scripts write it: all, or what needs to
	 * be, with ends of lines and quotes in it; the last record is cut. */
	{"sacct",
	 "\"JobID\",\"UID\",\"Start\",\"End\",\"State\",\"AllocTRES\","
	 "\"JobName\"\r\n"
	 "\"1\",\"5\",\"5\",\"9\",\"COMPLETED\",\"cpu=4,node=2\","
	 "\"a, \"\"b\"\"\"\r\n"
	 "2,5,5,9,FAILED,,\"\"\r\n"
	 "\"3\",\"5\",\"5\",\"9\",\"TIMEOUT\",\"\",\"x\r\ny\"\r\n"
	 "\"4\",\"5\",\"5\",\"9\",\"COMPLE",
	 "1[0] 5 - -/- a, \"b\" n2 0+5-9 0 COMPLETED\n"
	 "2[0] 5 - -/- - n0 0+5-9 0 FAILED\n"
	 "3[0] 5 - -/- x\r\ny n0 0+5-9 0 TIMEOUT\n",
	 3, 0, 1, "6: a quote is opened and not closed"},
	{"sacct",
	 "JobID,UID,Start,End,JobName,State\n"
	 "1,5,5,9,\"a,b\",COMPLETED\n"
	 "2,5,5,9,a b,COMPLETED\n\n"
	 "3,5,5,9,\"\"\"\",COMPLETED\n"
	 "4,5,5,",
	 "1[0] 5 - -/- a,b n0 0+5-9 0 COMPLETED\n"
	 "2[0] 5 - -/- a b n0 0+5-9 0 COMPLETED\n"
	 "3[0] 5 - -/- \" n0 0+5-9 0 COMPLETED\n",
	 3, 0, 1, "6: 4 of 6 columns"},
	{"sacct", "JobID;UID;Start;End;JobName\n1;5;5;9;\"a;b\"\n",
	 "1[0] 5 - -/- a;b n0 0+5-9 0 -\n", 1, 0, 0, ""},
	/* A record that was cut loses itself, and not the next one. */
	{"sacct",
	 "\"JobID\",\"UID\",\"Start\",\"End\"\n\"1\",\"5\n"
	 "\"2\",\"5\",\"5\",\"9\"\n\"3\",\"5\",\"5\",\"9\"\n",
	 "2[0] 5 - -/- - n0 0+5-9 0 -\n3[0] 5 - -/- - n0 0+5-9 0 -\n", 2, 0, 1,
	 "2: a quote is opened and not closed"},
	/* sacct quotes nothing. */
	{"sacct",
	 "JobID,UID,Start,AllocTRES,End,JobName\n"
	 "1,5,5,cpu=4,node=2,9,\"a\"\n2,5,5,node=1,9,\"a,b\"\n",
	 "1[0] 5 - -/- \"a\" n2 0+5-9 0 -\n"
	 "2[0] 5 - -/- \"a,b\" n1 0+5-9 0 -\n",
	 2, 0, 0, ""},
	{"sacct", "JobID|UID|Start|End|JobName\n1|5|5|9|\"a\"\n",
	 "1[0] 5 - -/- \"a\" n0 0+5-9 0 -\n", 1, 0, 0, ""},
	/* States as other programs write them. */
	{"sacct",
	 "JobID|UID|Start|End|State\n1|5|5|9|completed\n"
	 "2|5|5|9|Cancelled by 7\n3|5|5|9|CD\n4|5|5|9|OOM\n5|5|5|9|Odd\n"
	 "6|5|5|9|node_fail\n7|5|5|9|by the way\n",
	 "1[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n"
	 "2[0] 5 - -/- - n0 0+5-9 0 CANCELLED\n"
	 "3[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n"
	 "4[0] 5 - -/- - n0 0+5-9 0 OUT_OF_MEMORY\n"
	 "6[0] 5 - -/- - n0 0+5-9 0 NODE_FAIL\n",
	 5, 0, 2, "6: State \"Odd\""},
	/* Times with fractions; what databases and scripts print for nothing.
	 */
	{"sacct",
	 "JobID|UID|User|Account|Partition|Start|End|State|Timelimit\n"
	 "1|5|ada|NULL|null|1970-01-01T00:00:05.000Z|1970-01-01T00:00:09.5|"
	 "COMPLETED|NULL\n"
	 "2|5|NaN|NaN|nan|1970-01-01 00:00:05.123456+0000|"
	 "1970-01-01T00:00:09Z|COMPLETED|NaN\n"
	 "3|5|ada|None|fat|5|9|COMPLETED|None\n"
	 "4|5|ada|acc|fat|NULL|NULL|CANCELLED|\n"
	 "5|5|ada|acc|fat|5|9|NULL|\n"
	 "6|5|ada|acc|fat|1970-01-01T00:00:05.|9|COMPLETED|\n",
	 "1[0] 5 ada -/- - n0 0+5-9 0 COMPLETED\n"
	 "2[0] 5 - -/nan - n0 0+5-9 0 COMPLETED\n"
	 "3[0] 5 ada None/fat - n0 0+5-9 0 COMPLETED\n",
	 3, 1, 2, "6: State \"NULL\""},
	/* sacct without -P cuts them; other words are none of Slurm's. */
	{"sacct",
	 "JobID|UID|Start|End|State\n1|5|5|9|OUT_OF_ME+\n"
	 "2|5|5|9|CANCELLED+\n3|5|5|9|cd\n4|5|5|9|node_f+\n"
	 "5|5|5|9|DONE\n6|5|5|9|SUCCESS\n7|5|5|9|COMPLETE\n8|5|5|9|OK\n"
	 "9|5|5|9|EXIT\n10|5|5|9|ABGESCHLOSSEN\n11|5|5|9|RE+\n"
	 "12|5|5|9|OUT_OF_ME\n13|5|5|9|+\n14|5|5|9|REQUEUE_HOLD\n",
	 "1[0] 5 - -/- - n0 0+5-9 0 OUT_OF_MEMORY\n"
	 "2[0] 5 - -/- - n0 0+5-9 0 CANCELLED\n"
	 "3[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n"
	 "4[0] 5 - -/- - n0 0+5-9 0 NODE_FAIL\n"
	 "14[0] 5 - -/- - n0 0+5-9 0 REQUEUE_HOLD\n",
	 5, 0, 9, "6: State \"DONE\""},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9},\"state\":{\"current\":[\"DONE\"]}}]}",
	 "", 0, 0, 1, "1: job 5: state \"DONE\" is none of Slurm's"},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9},\"state\":{\"current\":[\"timeout\"]}}]}",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 TIMEOUT\n", 1, 0, 0, ""},
	/* Documents of several months, one behind the other. */
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9}}]}\n{\"jobs\":[]}\r\n \n{\n \"jobs\": [\n  {\n"
	 "   \"job_id\":6,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9}},"
	 "\n{\"job_id\":7,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9}\n}"
	 "\n]}\n",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "6[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "7[0] 1000 ada -/- - n0 0+3-9 0 -\n",
	 3, 0, 0, ""},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9}}]}\n{\"jobs\":[{\"job_id\":6,",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 -\n", 1, 0, 1,
	 "2: not JSON at byte 21 of 21: the text ends too early"},
	/* A job a line, as jq -c .jobs[] prints them. */
	{"json",
	 "{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9}}\r\n"
	 "\n{\"job_id\":6,\"user\":\n"
	 "{\"job_id\":7,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9}}\n"
	 "{\"job_id\":8,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":0}}",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "7[0] 1000 ada -/- - n0 0+3-9 0 -\n",
	 2, 1, 1, "3: not JSON at byte 19: unexpected end of data"},
	{"json",
	 "user\":\"ada\",\"time\":{\"start\":3,\"end\":9}}\n"
	 "{\"job_id\":7,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9}}\n",
	 "7[0] 1000 ada -/- - n0 0+3-9 0 -\n", 1, 0, 1,
	 "1: not JSON at byte 0: unexpected character"},
	/* The user is only in the association. */
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":null,\"association\":{\"user\":"
	 "\"ada\"},\"time\":{\"start\":3,\"end\":9}}]}",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 -\n", 1, 0, 0, ""},
	/* A job that ran as long as its request is TIMEOUT, whatever status the
	 * log has. */
	{"swf",
	 "1 10 5 601 4 -1 -1 8 601 -1 0 3 2 7 1 -1 -1 -1\n"
	 "2 10 5 700 4 -1 -1 8 601 -1 5 3 2 7 1 -1 -1 -1\n"
	 "3 10 5 601 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "4 10 5 600 4 -1 -1 8 601 -1 5 3 2 7 1 -1 -1 -1\n"
	 "5 10 5 600 4 -1 -1 8 -1 -1 0 3 2 7 1 -1 -1 -1\n",
	 "1[0] 3 3 2/1 7 n8 11+16-617 11 TIMEOUT\n"
	 "2[0] 3 3 2/1 7 n8 11+16-716 11 TIMEOUT\n"
	 "3[0] 3 3 2/1 7 n8 11+16-617 11 TIMEOUT\n"
	 "4[0] 3 3 2/1 7 n8 11+16-616 11 CANCELLED\n"
	 "5[0] 3 3 2/1 7 n8 11+16-616 0 FAILED\n",
	 5, 0, 0, ""},
	/* Unix times beside the time that they should count from. */
	{"swf",
	 "; UnixStartTime: 1668693697\n"
	 "1 1668693697 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "2 1668693698 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n",
	 "1[0] 3 3 2/1 7 n8 1668693697+1668693702-1668693802 11 COMPLETED\n"
	 "2[0] 3 3 2/1 7 n8 1668693698+1668693703-1668693803 11 COMPLETED\n",
	 2, 0, 0, ""},
	/* A run time without the time in which the job was suspended. */
	{"sacct",
	 "JobID|UID|Start|End|Elapsed|State\n"
	 "1|5|1970-01-01T00:00:05|1970-01-03T00:00:05|1-01:00:00|COMPLETED\n"
	 "2|5|1970-01-01T00:00:05|1970-01-01T00:00:09|00:00:04|COMPLETED\n"
	 "3|5|1970-01-01T00:00:05|1970-01-01T00:00:09|00:00:07|COMPLETED\n"
	 "4|5|1970-01-01T00:00:05|1970-01-01T00:00:09|Invalid|COMPLETED\n",
	 "1[0] 5 - -/- - n0 0+5-172805 0 COMPLETED, 82800 suspended\n"
	 "2[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n"
	 "3[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n"
	 "4[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n",
	 4, 0, 0, ""},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":99,\"elapsed\":20}},"
	 "{\"job_id\":6,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":99,\"elapsed\":{\"set\":true,\"number\":96}}}]}",
	 "5[0] 1000 ada -/- - n0 0+3-99 0 -, 76 suspended\n"
	 "6[0] 1000 ada -/- - n0 0+3-99 0 -\n",
	 2, 0, 0, ""},
	/* Times and numbers beyond 32 bits. */
	{"swf",
	 "; UnixStartTime: 1000\n"
	 "1 4000000000 5 600 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
	 "2 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n",
	 "2[0] 3 3 2/1 7 n8 1010+1015-1115 11 COMPLETED\n", 1, 0, 1,
	 "2: end 4000001605 is no time"},
	{"sacct",
	 "JobID|UID|Start|End|State|NNodes|Timelimit\n"
	 "1|5|2|99999999999999|COMPLETED|1|1:00:00\n"
	 "2|5|2|9223372036854775807999|COMPLETED|1|1:00:00\n"
	 "3|5|2|9999-12-31T00:00:00|COMPLETED|1|1:00:00\n"
	 "4|5|99999999999999|62|COMPLETED|1|1:00:00\n"
	 "99999999999|5|2|62|COMPLETED|1|1:00:00\n"
	 "6|4294967295|2|62|COMPLETED|1|1:00:00\n"
	 "7|5|2|62|COMPLETED|4294967297|1:00:00\n"
	 "8|5|2|62|COMPLETED|1|71582789:00\n"
	 "9|5|2|62|COMPLETED|1|71582788:00\n"
	 "10|5|2|62|COMPLETED|1|71582788:01\n",
	 "9[0] 5 - -/- - n1 0+2-62 71582788 COMPLETED\n", 1, 0, 9,
	 "2: End 99999999999999 is no time"},
	{"sacct", "JobID|UID|Start|End\n99999999999|5|2|62\n", "", 0, 0, 1,
	 "2: JobID 99999999999"},
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":99999999999999}},"
	 "{\"job_id\":99999999999,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9}},"
	 "{\"job_id\":6,\"user\":\"ada\",\"time\":{\"start\":-3,"
	 "\"end\":9}},"
	 "{\"job_id\":7,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9,\"limit\":71582789}},"
	 "{\"job_id\":8,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9}}]}",
	 "8[0] 1000 ada -/- - n0 0+3-9 0 -\n", 1, 0, 4,
	 "1: job 5: end 99999999999999 is no time"},
	/* Tasks and components that only JobIDRaw tells apart. */
	{"sacct",
	 "JobID|UID|Start|End|State\n"
	 "171_1|5|1970-01-01T00:00:05|1970-01-01T00:00:09|COMPLETED\n"
	 "171_1.batch||1970-01-01T00:00:05|1970-01-01T00:00:09|COMPLETED\n"
	 "171_[2-9]|5|Unknown|Unknown|PENDING\n"
	 "172+1|5|1970-01-01T00:00:05|1970-01-01T00:00:09|COMPLETED\n"
	 "173|5|1970-01-01T00:00:05|1970-01-01T00:00:09|COMPLETED\n",
	 "173[0] 5 - -/- - n0 0+5-9 0 COMPLETED\n", 1, 2, 2,
	 "2: the number of job 171_1 is only in the column JobIDRaw, which is missing"},
	/* Of an array, but none of its tasks; task 0; no number. */
	{"json",
	 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9},\"array\":{\"job_id\":4,\"task_id\":{\"set\":false,"
	 "\"infinite\":false,\"number\":0}}},"
	 "{\"job_id\":6,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9},"
	 "\"array\":{\"job_id\":4,\"task_id\":{\"set\":true,\"number\":0}}},"
	 "{\"job_id\":7,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9},"
	 "\"array\":{\"job_id\":4,\"task_id\":4294967294}},"
	 "{\"job_id\":8,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9},"
	 "\"array\":{\"job_id\":4,\"task_id\":null}},"
	 "{\"job_id\":9,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9},"
	 "\"array\":{\"job_id\":4,\"task_id\":0}},"
	 "{\"job_id\":10,\"user\":\"ada\",\"time\":{\"start\":3,\"end\":9},"
	 "\"array\":{\"job_id\":4,\"task_id\":\"\"}}]}",
	 "5[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "6[4_0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "7[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "8[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "9[4_0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "10[0] 1000 ada -/- - n0 0+3-9 0 -\n",
	 6, 0, 0, ""},
	/* What was asked for, where the limit was tightened. */
	{"sacct",
	 "JobID|UID|Start|End|State|Timelimit|AdminComment\n"
	 "1|5|1970-01-01T00:00:05|1970-01-01T00:00:09|COMPLETED|00:06:00|"
	 "x; sluice: predicted 0:05:10 (class, 3 jobs), asked 0:10:00; "
	 "limit 0:06:00 of 0:10:00\n"
	 "2|5|1970-01-01T00:00:05|1970-01-01T00:00:09|COMPLETED|00:06:00|\n",
	 "1[0] 5 - -/- - n0 0+5-9 10 COMPLETED\n"
	 "2[0] 5 - -/- - n0 0+5-9 6 COMPLETED\n",
	 2, 0, 0, ""},
	{"json",
	 "{\"jobs\":[{\"job_id\":\"7\",\"user\":\"ada\",\"time\":{"
	 "\"start\":3,\"end\":9,\"limit\":{\"set\":true,\"infinite\":true,"
	 "\"number\":4294967295}},\"state\":{\"current\":\"FAILED\"}},"
	 "{\"job_id\":8.0,\"user\":\"ada\",\"time\":{\"start\":5.0,"
	 "\"end\":\"9\",\"limit\":4294967294},\"state\":{\"current\":"
	 "\"FAILED\"}},{\"job_id\":\"9x\"},{\"job_id\":1e300},"
	 "{\"job_id\":10,\"user\":\"ada\",\"comment\":{\"administrator\":"
	 "\"sluice: predicted 0:05:10 (class, 3 jobs), no limit asked; limit "
	 "0:06:00 of none\"},\"time\":{\"start\":5,\"end\":9,\"limit\":6}}]}",
	 "7[0] 1000 ada -/- - n0 0+3-9 0 FAILED\n"
	 "8[0] 1000 ada -/- - n0 0+5-9 0 FAILED\n"
	 "10[0] 1000 ada -/- - n0 0+5-9 0 -\n",
	 3, 0, 2, "3: a job without job_id"},
	/* sacct --format=ALL has more than a hundred columns. */
	{"sacct",
	 "JobID|UID|" MANY "Start|End|JobName\n"
	 "1|5|" MANY "5|9|a|b\n"
	 "2|5|" MANY "5|9\n",
	 "1[0] 5 - -/- a|b n0 0+5-9 0 -\n", 1, 0, 1, "3: 114 of 115 columns"},
	/* Bars in what users write: forms tell which column has them... */
	{"sacct",
	 "JobID|JobName|User|UID|State|Submit|Start|End|NNodes\n"
	 "1|a|b|u|5|COMPLETED|1|2|9|3\n"
	 "2||||u|5|COMPLETED|1|2|9|3\n"
	 "3|x|5|COMPLETED|u|5|COMPLETED|1|2|9|3\n",
	 "1[0] 5 u -/- a|b n3 1+2-9 0 COMPLETED\n"
	 "2[0] 5 u -/- || n3 1+2-9 0 COMPLETED\n"
	 "3[0] 5 u -/- x|5|COMPLETED n3 1+2-9 0 COMPLETED\n",
	 3, 0, 0, ""},
	/* ... or that nobody can: neither 1 nor 3 is taken for another job. */
	{"sacct",
	 "JobID|JobName|Comment|UID|Start|End|State\n"
	 "1|a|b|c|5|2|9|COMPLETED\n"
	 "2|a|b|5|2|9|COMPLETED\n"
	 "3|a|b|5|2|COMPLETED\n"
	 "4|a|b|5|2|9|so so\n",
	 "2[0] 5 - -/- a n0 0+2-9 0 COMPLETED\n", 1, 0, 3,
	 "2: \"|\" in a free text: where column JobName begins and ends is ambiguous"},
	/* sacct -p ends each line with a bar. */
	{"sacct",
	 "JobID|UID|Start|End|JobName|\n1|5|2|9|na|me|\n2|5|2|9|name|\n"
	 "3|5|2|9||\n",
	 "1[0] 5 - -/- na|me n0 0+2-9 0 -\n"
	 "2[0] 5 - -/- name n0 0+2-9 0 -\n3[0] 5 - -/- - n0 0+2-9 0 -\n",
	 3, 0, 0, ""},
	/* Ends of lines in what users write, and what only looks so. */
	{"sacct",
	 "JobID|JobName|UID|Start|End|State\r\n"
	 "1|a\nb|5|2|9|COMPLETED\r\n"
	 "2|x\n\n3|y|5|2|9|FAILED\n"
	 "4|z|5|2\n5|z|5|2|9|COMPLETED\n",
	 "1[0] 5 - -/- a\nb n0 0+2-9 0 COMPLETED\n"
	 "3[0] 5 - -/- y n0 0+2-9 0 FAILED\n"
	 "5[0] 5 - -/- z n0 0+2-9 0 COMPLETED\n",
	 3, 0, 2, "4: 2 of 6 columns"},
	{"sacct", "JobID|UID|Start|End|JobName\n1|5|2|9|a\nb|c\n2|5|2|9|d\n",
	 "1[0] 5 - -/- a\nb|c n0 0+2-9 0 -\n2[0] 5 - -/- d n0 0+2-9 0 -\n", 2,
	 0, 0, ""},
	/* Delimiters of others; two files in one. */
	{"sacct",
	 "JobID,UID,Start,End,AllocTRES,NodeList,JobName\n"
	 "1,5,2,9,\"cpu=4,node=2\",n[1,3],a,b\n"
	 "JobID;UID;Start;End;AllocTRES;NodeList;JobName\n"
	 "1;5;2;9;cpu=4,node=2;n[1,3];a;b\n"
	 "JobID\tEnd\tStart\tUID\n2\t9\t2\t5\n",
	 "1[0] 5 - -/- a;b n2 0+2-9 0 -\n2[0] 5 - -/- - n0 0+2-9 0 -\n", 2, 0,
	 1,
	 "2: \",\" in a free text: where column AllocTRES begins and ends is ambiguous"},
	/* What was allocated, by whatever name. */
	{"sacct",
	 "JobID|UID|Start|End|AllocNodes\n1|5|2|9|4\n2|5|2|9|4294967294\n"
	 "JobID|UID|Start|End|AllocTRES\n3|5|2|9|billing=9,cpu=8,node=4\n"
	 "JobID|UID|Start|End|AllocNodes|NNodes\n4|5|2|9|3|\n5|5|2|9||7\n",
	 "1[0] 5 - -/- - n4 0+2-9 0 -\n2[0] 5 - -/- - n0 0+2-9 0 -\n"
	 "3[0] 5 - -/- - n4 0+2-9 0 -\n4[0] 5 - -/- - n3 0+2-9 0 -\n"
	 "5[0] 5 - -/- - n7 0+2-9 0 -\n",
	 5, 0, 0, ""},
	/* What is not known is not known. */
	{"sacct",
	 "JobID|JobIDRaw|User|UID|Start|End|Elapsed|Timelimit|NNodes\n"
	 "1|1||4294967294|2|9|||1\n"
	 "2|2|ada|4294967294|2|9|INVALID|Partition_Limit|Unknown\n"
	 "3|3|ada|5|INVALID|9|||\n"
	 "4294967294|4294967294|ada|5|2|9|||\n",
	 "2[0] 1000 ada -/- - n0 0+2-9 0 -\n", 1, 1, 2,
	 "2: user \"\" is not known here"},
	/* Minutes and seconds. */
	{"sacct",
	 "JobID|UID|Start|End|ElapsedRaw|TimelimitRaw\n"
	 "1|5|5|99|90|10\n"
	 "2|5|5|9|4|UNLIMITED\n",
	 "1[0] 5 - -/- - n0 0+5-99 10 -, 4 suspended\n"
	 "2[0] 5 - -/- - n0 0+5-9 0 -\n",
	 2, 0, 0, ""},
	/* Longer than any name or host list. */
	{"sacct",
	 "JobID|UID|Start|End|JobName\n"
	 "1|5|5|9|" LONG "\n"
	 "2|5|5|9|x\n",
	 "2[0] 5 - -/- x n0 0+5-9 0 -\n", 1, 0, 1,
	 "2: job 1: 131072 bytes of text"},
	{"json",
	 "{\"jobs\":[{\"job_id\":1,\"user\":\"ada\",\"nodes\":\"" LONG
	 "\",\"time\":{\"start\":3,\"end\":9}}]}",
	 "", 0, 0, 1, "1: job 1: 131075 bytes of text"},
	/* A file that ends too early. */
	{"json",
	 "{\"jobs\":[{\"job_id\":1,\"user\":\"ada\",\"time\":{\"start\":3,"
	 "\"end\":9}},{\"job_id\":2,\"us",
	 "1[0] 1000 ada -/- - n0 0+3-9 0 -\n", 1, 0, 1,
	 "2: not JSON at byte 77 of 77: the text ends too early"},
	/* Broken jobs, as sacct prints them: the next one is found. */
	{"json",
	 "{\n  \"jobs\": [\n    {\n      \"job_id\": 1,\n"
	 "      \"user\": \"ada\",\n      \"time\": {\n"
	 "        \"start\": 3,\n        \"end\": 9\n      }\n    },\n"
	 "    {\n      \"job_id\": 2,\n      \"user\": \"ada,\n"
	 "      \"time\": {\n"
	 "        \"start\": 3,\n        \"end\": 9\n      }\n    },\n"
	 "    {\n      \"job_id\": 3,\n      \"us"
	 "    {\n      \"job_id\": 4,\n      \"user\": \"ada\",\n"
	 "      \"time\": {\"start\": 3, \"end\": 9}\n    }\n"
	 "    {\n      \"job_id\": 5,\n      \"user\": \"ada\",\n"
	 "      \"time\": {\"start\": 3, \"end\": 9}\n    }\n"
	 "  ],\n  \"errors\": [\n    {\n    }\n  ]\n}",
	 "1[0] 1000 ada -/- - n0 0+3-9 0 -\n"
	 "5[0] 1000 ada -/- - n0 0+3-9 0 -\n",
	 2, 0, 2,
	 "2: not JSON at byte 180 of 489: object value separator ',' expected"},
	{"json", "{\"jobs\":[]}", "", 0, 0, 0, ""},
	/* The mark of UTF-8 that some editors begin a file with. */
	{"swf",
	 BOM "; UnixStartTime: 1000\n"
	     "1 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n",
	 "1[0] 3 3 2/1 7 n8 1010+1015-1115 11 COMPLETED\n", 1, 0, 0, ""},
	{"sacct", BOM "JobID|UID|Start|End\n1|5|2|62\n",
	 "1[0] 5 - -/- - n0 0+2-62 0 -\n", 1, 0, 0, ""},
	{"json", BOM "{\"jobs\":[]}", "", 0, 0, 0, ""},
	{"swf", "", "", 0, 0, 0, ""},
	{"sacct", "", "", 0, 0, 0, ""},
};

START_TEST(test_formats)
{
	each(c, cases)
	{
		char out[4096] = "", *text = strdup(c->text);
		struct slu_import import = {gmtime_r, to_uid, print_job,
					    print_io, out,    0};
		struct slu_import_report r;
		struct slu_err err;

		expect(slu_import(c->format, text, strlen(text), &import, &r,
				  &err) == 0,
		       "case %td: %s", c - cases, err.text);
		expect(strcmp(out, c->jobs) == 0, "case %td: %s", c - cases,
		       out);
		expect(r.jobs == c->n && r.skipped == c->skipped &&
			       r.broken == c->broken,
		       "case %td: %ld jobs, %ld skipped, %ld broken: %s",
		       c - cases, (long)r.jobs, (long)r.skipped, (long)r.broken,
		       r.named[0]);
		expect(strcmp(r.named[0], c->named) == 0, "case %td: %s",
		       c - cases, r.named[0]);
		free(text);
	}
}
END_TEST

/* What print_job() leaves out. */
static int print_rest(void *arg, const struct slu_job *j, struct slu_err *err)
{
	char *out = arg;

	(void)err;
	sprintf(out + strlen(out), "%s %s %s t%u c%u %lu MB, %ld, %u, %#x\n",
		j->qos ? j->qos : "-", j->work_dir ? j->work_dir : "-",
		j->nodes ? j->nodes : "-", j->tasks, j->cpus,
		(unsigned long)j->mem_mb, (long)j->eligible, j->limit,
		j->exit_code);
	return 0;
}

#define HEAD                                                                 \
	"JobID|UID|QOS|WorkDir|NodeList|NNodes|NCPUS|ReqMem|Eligible|Start|" \
	"End|Timelimit|ExitCode|NTasks\n"
#define TIMES                                      \
	"1970-01-01T00:00:03|1970-01-01T00:00:05|" \
	"1970-01-01T00:00:09"

START_TEST(test_columns)
{
	static const struct {
		const char *format, *text, *rest;
	} cases[] = {
		{"swf",
		 "; UnixStartTime: 1000\n"
		 "1 10 5 100 4 -1 -1 8 601 2048 1 3 2 7 1 -1 -1 -1\n",
		 "- - - t8 c8 2 MB, 1010, 11, 0\n"},
		{"sacct",
		 HEAD "1|5|long|/w|n[1-2]|2|8|4G|" TIMES "|01:00|3:0|\n"
		      "1.batch||||n1|1|4||" TIMES "||3:0|1\n"
		      "1.0||||n[1-2]|2|8||" TIMES "||3:0|6\n"
		      "2|5||||2|8|1000Mc|" TIMES "|01:00|0:9|\n"
		      "3|5||||2|8|1.5Gn|" TIMES "|01:00|0:0|\n"
		      "4|5||||0|8|?|" TIMES "|01:00|1:|\n"
		      "5|5||||0|8|1e99P|" TIMES "|01:00||\n"
		      "6|5||||1.50K|2K|3072K|" TIMES "|01:00||\n",
		 "long /w n[1-2] t6 c8 2048 MB, 3, 1, 0x300\n"
		 "- - - t0 c8 4000 MB, 3, 1, 0x9\n"
		 "- - - t0 c8 1536 MB, 3, 1, 0\n"
		 "- - - t0 c8 0 MB, 3, 1, 0x100\n"
		 "- - - t0 c8 0 MB, 3, 1, 0\n"
		 "- - - t0 c2048 0 MB, 3, 1, 0\n"},
		{"json",
		 "{\"jobs\":[{\"job_id\":5,\"user\":\"ada\",\"qos\":\"long\","
		 "\"nodes\":\"n[1-2]\",\"working_directory\":\"/w\","
		 "\"allocation_nodes\":2,\"required\":{\"CPUs\":8},"
		 "\"tres\":{\"requested\":[{\"type\":\"mem\",\"count\":"
		 "4096},{\"type\":\"cpu\",\"count\":8}]},\"time\":{"
		 "\"eligible\":3,\"start\":5,\"end\":9,\"limit\":1},"
		 "\"exit_code\":{\"return_code\":3},\"steps\":["
		 "{\"tasks\":{\"count\":6}},{\"tasks\":{\"count\":1}}]},"
		 "{\"job_id\":6,\"user\":\"ada\",\"time\":{\"start\":5,"
		 "\"end\":9},\"exit_code\":{\"signal\":{\"signal_id\":9}},"
		 "\"allocation_nodes\":{\"set\":false,\"number\":0},"
		 "\"tres\":{\"allocated\":[{\"type\":\"node\",\"count\":2},"
		 "{\"type\":\"cpu\",\"count\":16}],\"requested\":[{\"type\":"
		 "\"mem\",\"count\":4096}]}},"
		 "{\"job_id\":7,\"user\":\"ada\",\"time\":{\"start\":5,"
		 "\"end\":9},\"exit_code\":{\"signal\":{\"id\":{\"set\":"
		 "true,\"number\":15}}}}]}",
		 "long /w n[1-2] t6 c8 2048 MB, 3, 1, 0x300\n"
		 "- - - t0 c16 2048 MB, 0, 0, 0x9\n"
		 "- - - t0 c0 0 MB, 0, 0, 0xf\n"},
	};

	each(c, cases)
	{
		char out[1024] = "", *text = strdup(c->text);
		struct slu_import import = {gmtime_r, to_uid, print_rest,
					    NULL,     out,    0};
		struct slu_import_report r;
		struct slu_err err;

		expect_ok(slu_import(c->format, text, strlen(text), &import, &r,
				     &err),
			  err);
		expect(strcmp(out, c->rest) == 0, "case %td: %s", c - cases,
		       out);
		expect(r.broken == 0, "case %td: %s", c - cases, r.named[0]);
		free(text);
	}
}
END_TEST

TEST_MAIN("import", test_columns, test_formats)
