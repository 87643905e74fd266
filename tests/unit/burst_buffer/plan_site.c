/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the site of plan_site.h: nodes have pushed one disk each, and each
 * look-up of a plan gets a fixed reply. */
#include "config.h"
#include "tests/unit/burst_buffer/plan_site.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/storage/image.h"
#include "sysmap/database/receive.h"

struct slu_err err;
static struct slu_db *db;
struct slu_receiver *receiver;
struct slu_conf *conf;

const char *addr(void *arg, const char *node)
{
	(void)arg;
	return strcmp(node, "n2") == 0 ? "10.0.0.2" : NULL;
}

bool targets_known;
char *layout(void *arg, const struct slu_layout_ask *ask, bool *known,
	     char **why, struct slu_err *e)
{
	(void)arg;
	*why = strdup("because");
	*known = targets_known;
	if (ask->readers == 13) {
		free(*why);
		*why = NULL;
		slu_err(e, SLU_INVALID, "bad luck");
		return NULL;
	}
	ck_assert(ask->later && ask->later[2] == 3);
	return slu_asprintf(
		"%s %llu %d %u %u%s%s%s", ask->fsname ? ask->fsname : "-",
		(unsigned long long)ask->size, ask->random, ask->readers,
		ask->stripes, ask->tasks == 6 ? " six tasks" : "",
		ask->pool ? " pool " : "", ask->pool ? ask->pool : "");
}

struct slu_plan_site site(void)
{
	return (struct slu_plan_site){
		.conf = conf, .map = db, .addr = addr, .layout = layout};
}

void setup(const char *text)
{
	struct slu_buf buf = {0};

	db = slu_db_open(tmpfile_path("plan.db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	slu_buf_printf(&buf,
		       "FileSystem=glu Driver=glusterfs shard=16MB ports=1-2 "
		       "coherence=private\n"
		       "Profile=fast type=glu shard=1MB tolerate=0\n"
		       "Profile=slow storage=/slow/bb\n"
		       "FileSystem=tmp Driver=scratch\n%s",
		       text);
	conf = slu_conf_parse(buf.data, "test", &err);
	expect(conf, "%s", err.text);
	slu_buf_free(&buf);
}

void teardown(void)
{
	slu_conf_free(conf);
	slu_receiver_free(receiver);
	slu_db_close(db);
}

void push(const char *node, const char *path, uint64_t available)
{
	char mounts[300], usage[200];
	struct slu_document doc[2] = {
		{.extractor = "mountpoints", .text = mounts},
		{.extractor = "mountusage", .text = usage}};
	struct slu_map map = {.document = doc, .n = 2};

	snprintf(mounts, sizeof(mounts),
		 "[{\"device\":\"/dev/sdb\",\"mountpoint\":\"%s\","
		 "\"filesystem\":\"ext4\",\"size\":%llu,\"options\":\"rw\","
		 "\"category\":\"local\"}]",
		 path, 100ull << 30);
	snprintf(usage, sizeof(usage),
		 "[{\"mountpoint\":\"%s\",\"available\":%llu}]", path,
		 (unsigned long long)available);
	each(d, doc) /* cast: it is ours to fill in */
		((struct slu_document *)d)
			->len = strlen(d->text);
	each(d, doc)((struct slu_document *)d)->hash =
		slu_document_hash(d->extractor, d->text, d->len);
	expect_ok(slu_receive_map(receiver, node, &map, 1, &err), err);
}

struct slu_job job(const char *nodes, const char *request)
{
	return (struct slu_job){
		.job_id = 17,
		.array_task_id = SLU_NO_ID,
		.uid = 1000,
		.gid = 100,
		.user = (char *)"ann",
		.name = (char *)"work",
		.nodes = (char *)nodes,
		.request = (char *)request,
		.later = {1, 2, 3},
	};
}
