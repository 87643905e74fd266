/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gets the output of ibnetdiscover, or Slurm's topology.conf, and converts it
 * to the documents of the InfiniBand fabric and of the topology. */
#include "config.h"
#include "sysmap/infiniband/sources.h"

#include <stdlib.h>
#include "common/proc.h"
#include "common/str.h"
#include "sysmap/topology.h"

#define TEXT_MAX      (64u << 20) /* bytes of an ibnetdiscover output */
#define SWEEP_SECONDS 60.0

typedef struct json_object *make_f(const struct slu_fabric *fabric);

static struct json_object *make_topology(const struct slu_fabric *fabric)
{
	struct json_object *document;
	struct slu_topology t;

	if (slu_topology_of_fabric(fabric, &t, NULL))
		return NULL;
	document = slu_topology_json(&t);
	slu_topology_free(&t);
	return document;
}

static int convert(struct slu_buf *text, make_f *make, struct json_object **out,
		   struct slu_err *err)
{
	struct json_object *document;
	struct slu_fabric fabric;

	if (slu_fabric_parse(text->data, &fabric, err))
		return -1;
	document = make(&fabric);
	slu_fabric_free(&fabric);
	if (!document)
		return slu_err(err, SLU_NOMEM, "fabric");
	*out = document;
	return 0;
}

static int recorded(const struct slu_root *root, make_f *make,
		    struct json_object **out, struct slu_err *err)
{
	struct slu_buf text = {0};
	int ret =
		slu_root_read(root, SLU_FABRIC_RECORDED, TEXT_MAX, &text, err);

	if (ret == 0)
		ret = convert(&text, make, out, err);
	slu_buf_free(&text);
	return ret;
}

/* Parsing changes the text, so it works on a copy; the sweep's text is kept. */
static int convert_copy(const struct slu_buf *text, make_f *make,
			struct json_object **out, struct slu_err *err)
{
	struct slu_buf copy = {.max = TEXT_MAX};
	int ret = -1;

	slu_buf_add(&copy, text->data ? text->data : "", text->len);
	if (copy.failed)
		slu_err(err, SLU_NOMEM, "fabric");
	else
		ret = convert(&copy, make, out, err);
	slu_buf_free(&copy);
	return ret;
}

static int swept(const struct slu_root *root, make_f *make,
		 struct json_object **out, struct slu_err *err)
{
	char *argv[] = {"ibnetdiscover", NULL};
	struct slu_sweep *sweep = root->sweep;

	if (!root->live)
		return slu_err(err, SLU_NOTFOUND,
			       "a recorded machine's fabric cannot be swept");
	if (!slu_root_exists(root, "sys/class/infiniband"))
		return slu_err(err, SLU_NOTFOUND, "no InfiniBand adapter");
	if (!sweep->done) {
		sweep->done = true;
		sweep->text.max = TEXT_MAX;
		slu_run(argv, SWEEP_SECONDS, &sweep->text, &sweep->err);
	}
	if (sweep->err.kind)
		return slu_err(err, sweep->err.kind, "%s", sweep->err.text);
	return convert_copy(&sweep->text, make, out, err);
}

int slu_fabric_hosts_recorded(const struct slu_root *root,
			      struct json_object **out, struct slu_err *err)
{
	return recorded(root, slu_fabric_hosts, out, err);
}

int slu_fabric_hosts_swept(const struct slu_root *root,
			   struct json_object **out, struct slu_err *err)
{
	return swept(root, slu_fabric_hosts, out, err);
}

int slu_fabric_switches_recorded(const struct slu_root *root,
				 struct json_object **out, struct slu_err *err)
{
	return recorded(root, slu_fabric_switches, out, err);
}

int slu_fabric_switches_swept(const struct slu_root *root,
			      struct json_object **out, struct slu_err *err)
{
	return swept(root, slu_fabric_switches, out, err);
}

int slu_fabric_connections_recorded(const struct slu_root *root,
				    struct json_object **out,
				    struct slu_err *err)
{
	return recorded(root, slu_fabric_connections, out, err);
}

int slu_fabric_connections_swept(const struct slu_root *root,
				 struct json_object **out, struct slu_err *err)
{
	return swept(root, slu_fabric_connections, out, err);
}

int slu_topology_recorded(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err)
{
	return recorded(root, make_topology, out, err);
}

int slu_topology_swept(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err)
{
	return swept(root, make_topology, out, err);
}

/* Since 25.05 Slurm prefers topology.yaml, and an outdated topology.conf may
 * exist beside it. */
static int check_yaml(const struct slu_root *root, struct slu_err *err)
{
	if (!slu_root_exists(root, "%s/topology.yaml", root->slurm))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "Slurm goes by topology.yaml, which is not read: the "
		       "switches of InfiniBand are read from ibnetdiscover's "
		       "text in /" SLU_FABRIC_RECORDED);
}

int slu_topology_slurm(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err)
{
	struct json_object *document;
	struct slu_topology t;
	char *path;
	int ret;

	if (check_yaml(root, err) < 0)
		return -1;
	path = slu_asprintf("%s/topology.conf", root->slurm);
	if (!path)
		return slu_err(err, SLU_NOMEM, "topology");
	ret = slu_topology_of_conf_file(root, path, &t, err);
	free(path);
	if (ret)
		return -1;
	document = slu_topology_json(&t);
	slu_topology_free(&t);
	if (!document)
		return slu_err(err, SLU_NOMEM, "topology");
	*out = document;
	return 0;
}
