/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the job of gluster_job.h with real bricks and clients. */
#include "config.h"
#include "tests/unit/burst_buffer/node/gluster_job.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/root_daemon.h"
#include <limits.h>
#include <stdlib.h>

const struct slu_driver *driver;
char *top;
struct slu_err err;

static char *keep(const char *dir, const char *name)
{
	return strdup(in(dir, name));
}

char *client_library(void)
{
	static char path[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(".libs/libsluice_glusterfs.so", path));
	return path;
}

void job_new(struct job *j, uint32_t id, const char *ports)
{
	static const char *const names[] = {"n0", "n1", "n2"};
	char name[40];

	memset(j, 0, sizeof(*j));
	j->option[0] = (struct slu_pair){"ports", (char *)ports};
	j->option[1] = (struct slu_pair){"client_library", client_library()};
	j->plan = (struct slu_plan){.driver = (char *)"glusterfs",
				    .job_id = id,
				    .buffer = id,
				    .node = j->node,
				    .n_node = NODES,
				    .option = j->option,
				    .n_option = 2};
	j->plan.secret = strdup(id % 2 ? "odd" : "even");
	for (size_t i = 0; i < NODES; i++) {
		struct slu_instance *n = &j->in[i];

		j->node[i].name = (char *)names[i];
		j->node[i].addr = "127.0.0.1";
		j->attr[i].key = (char *)names[i];
		j->attr[i].value = j->attr_text[i];
		n->plan = &j->plan;
		n->self = i;
		snprintf(name, sizeof(name), "fs%u.%zu", id, i);
		n->fs = keep(top, name);
		snprintf(name, sizeof(name), "work%u.%zu", id, i);
		n->dir = n->work = keep(top, name);
		n->top = keep(n->work, "top");
		n->log = keep(n->work, "log");
		make_dir(n->fs, 0755);
		make_dir(n->work, 0700);
		expect_ok(slu_logs_make(n->log, &err), err);
	}
}

void job_spread(struct job *j, size_t node)
{
	struct slu_instance *n = &j->in[node];
	char name[60];

	j->node[node].more = j->more[node];
	j->node[node].n_more = DEVICES - 1;
	j->node[node].capacity = DEVICES;
	n->more_fs = j->more_fs[node];
	for (size_t k = 0; k < DEVICES - 1; k++) {
		snprintf(name, sizeof(name), "device%u.%zu.%zu", j->plan.job_id,
			 node, k + 1);
		j->more_fs[node][k] = keep(top, name);
		j->more[node][k] = (struct slu_plan_device){
			.storage = (char *)(uintptr_t)j->more_fs[node][k],
			.capacity = 1};
		make_dir(j->more_fs[node][k], 0755);
	}
}

void job_start(struct job *j)
{
	for (size_t i = 0; i < NODES; i++)
		expect_ok(driver->start(&j->in[i], j->attr_text[i], &err), err);
}

void job_attach(struct job *j)
{
	const char *root;

	for (size_t i = 0; i < NODES; i++) {
		expect_ok(
			driver->attach(&j->in[i], j->attr, NODES, &root, &err),
			err);
		ck_assert_str_eq(root, j->in[i].top);
	}
}

void job_end(struct job *j)
{
	for (int twice = 0; twice < 2; twice++) {
		for (size_t i = 0; i < NODES; i++)
			expect_ok(driver->detach(&j->in[i], &err), err);
		for (size_t i = 0; i < NODES; i++)
			expect_ok(driver->stop(&j->in[i], &err), err);
	}
	for (size_t i = 0; i < NODES; i++) {
		struct slu_pid pid;

		ck_assert(slu_server_find(
			"gluster", in(j->in[i].work, "brick.vol"), &pid, NULL));
		ck_assert(slu_server_find("gluster",
					  in(j->in[i].work, "client.vol"), &pid,
					  NULL));
		ck_assert(!slu_mounted(j->in[i].top));
	}
}

void job_free(struct job *j)
{
	for (size_t i = 0; i < NODES; i++) {
		expect_ok(slu_logs_drop(j->in[i].log, &err), err);
		free((char *)(uintptr_t)j->in[i].fs);
		free((char *)(uintptr_t)j->in[i].work);
		free((char *)(uintptr_t)j->in[i].top);
		free((char *)(uintptr_t)j->in[i].log);
		for (size_t k = 0; k < DEVICES - 1; k++)
			free((char *)(uintptr_t)j->more_fs[i][k]);
	}
	free(j->plan.secret);
}

void setup(void)
{
	driver = slu_driver_find("glusterfs");
	top = tree_new();
}

void job_up(struct job *j, uint32_t id, const char *coherence)
{
	setup();
	job_new(j, id, "21000-21999");
	if (coherence)
		j->option[j->plan.n_option++] =
			(struct slu_pair){"coherence", (char *)coherence};
	job_start(j);
	job_attach(j);
}

int gluster_tests(const char *name, const TTest *const *tests, size_t n)
{
	int rc = enter_own_host(name);

	if (!rc && (access("/usr/sbin/glusterfsd", X_OK) ||
		    access("/dev/fuse", R_OK | W_OK))) {
		printf("%s: skipped, no glusterfs or no /dev/fuse\n", name);
		rc = SKIPPED;
	}
	return rc ? rc : run_tests(name, tests, n);
}
