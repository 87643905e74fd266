/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects, for the question "doctor", what only the daemon's memory has. It
 * reads no files: that is left to the answering process.
 */
#include "config.h"
#include "sluiced/doctor/doctor_live.h"

#include <unistd.h>
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"
#include "sluiced/daemon.h"

static void set_text(struct json_object *obj, const char *key, const char *text)
{
	if (text && *text)
		slu_json_set_str(obj, key, text);
}

static struct json_object *io_limit(const char *fs, const char *key,
				    const struct slu_io_use *use)
{
	struct json_object *one = json_object_new_object();

	set_text(one, "fs", fs);
	set_text(one, "key", key);
	slu_json_set_bool(one, "unknown", use->known == SLU_IO_UNKNOWN);
	slu_json_set_u64(one, "targets", use->targets);
	slu_json_set_u64(one, "degraded", use->degraded);
	slu_json_set_u64(one, "silent", use->silent);
	slu_json_set_i64(one, "unheard", use->unheard);
	return one;
}

/* IOStart, of each file system that counts by itself. */
static struct json_object *io_of(const struct slu_peer_io *io)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < SLU_IO_FS; i++) {
		const struct slu_io_use *use = &io[i].use;
		const struct slu_io_use metadata = {
			.known = use->metadata_known,
			.targets = use->metadata_targets,
			.degraded = use->metadata_degraded,
			.silent = use->metadata_silent,
			.unheard = use->metadata_unheard,
		};

		json_object_array_add(list,
				      io_limit(io[i].fs, slu_io_key(0), use));
		json_object_array_add(
			list,
			io_limit(io[i].fs, slu_io_key(SLU_IO_OPS), &metadata));
	}
	return list;
}

static struct json_object *slurmctld(const struct slu_daemon *d)
{
	struct json_object *obj = json_object_new_object();
	const struct slu_peer *p = &d->peer;

	slu_json_set_bool(obj, "connected", slu_control_connected(d->control));
	slu_json_set_double(obj, "since", p->changed);
	set_text(obj, "release", p->release);
	slu_json_set_i64(obj, "conf_read", p->conf_read);
	set_text(obj, "conf_wrong", p->conf_wrong);
	set_text(obj, "slurm_advice", p->slurm_advice);
	json_object_object_add(obj, "io", io_of(p->io));
	return obj;
}

static void mark(struct json_object *nodes, const struct slu_hosts *hosts,
		 bool only_io)
{
	struct json_object *node;

	for (size_t i = 0; i < hosts->n; i++) {
		node = slu_json_at(nodes, hosts->name[i]);
		if (node)
			slu_json_set_bool(node, "only_io", only_io);
	}
}

static void add_node(void *arg, const char *name, bool is_node, double heard,
		     const char *release)
{
	struct json_object *node = json_object_new_object();

	slu_json_set_bool(node, "is_node", is_node);
	slu_json_set_double(node, "heard", heard);
	set_text(node, "release", release);
	json_object_object_add(arg, name, node);
}

/* For root and SlurmUser. */
static void add_site(const struct slu_daemon *d, struct json_object *all)
{
	struct json_object *nodes = json_object_new_object();
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	slu_json_set_str(all, "host", host);
	slu_json_set_str(all, "release", PACKAGE_VERSION);
	slu_json_set_str(all, "conf_path", d->conf_path);
	slu_json_set_str(all, "conf_hash", d->conf_hash);
	slu_json_set_str(all, "database", d->conf->database);
	set_text(all, "mapping_dir", d->conf->mapping_dir);
	set_text(all, "publish_wrong", d->publish_wrong);
	slu_json_set_double(all, "publish_since", d->publish_since);
	slu_json_set_u64(all, "lost_turns", d->metrics.lost_turns);
	slu_json_set_u64(all, "io_nodes", d->conf->io_nodes.n);
	slu_nodes_each(d->auth.nodes, add_node, nodes);
	/* no job runs there, so jobs' file systems need not fit */
	mark(nodes, &d->conf->io_nodes, true);
	mark(nodes, &d->conf->recruit_idle, false);
	json_object_object_add(all, "nodes", nodes);
}

struct json_object *slu_doctor_prepare(const struct slu_daemon *d,
				       const struct slu_asker *who,
				       struct json_object *args)
{
	struct json_object *all = json_object_new_object();

	(void)args;
	slu_json_set_double(all, "started", d->metrics.started);
	json_object_object_add(all, "slurmctld", slurmctld(d));
	json_object_object_add(
		all, "buffers",
		slu_buffers_overview(d->buffers,
				     who->admin ? SLU_NO_ID : who->uid));
	if (who->admin)
		add_site(d, all);
	return all;
}
