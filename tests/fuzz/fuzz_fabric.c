/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the parsers of network topologies. The first byte of the input selects
 * the format of the rest: 'f' the output of ibnetdiscover, 'c' Slurm's
 * topology.conf, 'j' the document "topology". What was parsed must be equal
 * after a conversion to the document and back.
 */
#include "config.h"
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/topology.h"
#include "tests/fuzz/fuzz.h"

static void check(struct slu_topology *t)
{
	struct json_object *one = slu_topology_json(t), *two;
	struct slu_topology again;

	must(one != NULL);
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->sw[i].n_links; k++)
			must(t->sw[i].link[k] < t->n);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->sw[i].hosts.n)
			must(slu_topology_hops(t, t->sw[i].hosts.name[0],
					       t->sw[i].hosts.name[0]) == 0);
	if (slu_topology_of_json(one, &again, NULL) == 0) {
		two = slu_topology_json(&again);
		must(strcmp(slu_json_text(one), slu_json_text(two)) == 0);
		json_object_put(two);
		slu_topology_free(&again);
	}
	json_object_put(one);
	slu_topology_free(t);
}

static void fabric(char *text)
{
	struct json_object *(*const make[])(const struct slu_fabric *) = {
		slu_fabric_hosts, slu_fabric_switches, slu_fabric_connections};
	struct slu_topology t;
	struct slu_fabric f;

	if (slu_fabric_parse(text, &f, NULL))
		return;
	for (int i = 0; i < 3; i++)
		json_object_put(make[i](&f));
	if (slu_topology_of_fabric(&f, &t, NULL) == 0)
		check(&t);
	slu_fabric_free(&f);
}

static void document(const char *text)
{
	struct json_object *obj = slu_json_parse(text, strlen(text), NULL);
	struct slu_topology t;

	if (obj && slu_topology_of_json(obj, &t, NULL) == 0)
		check(&t);
	json_object_put(obj);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data + 1, size ? size - 1 : 0);
	struct slu_topology t;

	must(text != NULL);
	switch (size ? data[0] : 0) {
	case 'f':
		fabric(text);
		break;
	case 'c':
		if (slu_topology_of_conf(text, &t, NULL) == 0)
			check(&t);
		break;
	case 'j':
		document(text);
		break;
	}
	free(text);
	return 0;
}
