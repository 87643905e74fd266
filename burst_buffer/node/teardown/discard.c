/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node discard`: removes what failed stage-outs of a job have left,
 * before it expires. The owner asks sluiced for it, on any host: a user cannot
 * remove the data directly, as it is in an image that is mounted by root. The
 * nodes that keep some of it get the request at their next health check and
 * remove it. Run by root, it removes what this node keeps at once.
 */
#include "config.h"
#include "burst_buffer/node/teardown/discard.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "common/str.h"

#define ASK_TIME 30 /* seconds for sluiced's answer */

/* As root: removes what this node keeps */

/* Removes all kept data of the job; dirs: an array of strings, what was
 * removed. */
static int discard_all(struct slu_node *n, struct json_object *dirs,
		       struct slu_err *err)
{
	struct slu_kept *list;
	size_t count;
	int rc = 0;

	if (slu_kept_list(n->conf, n->job_id, &list, &count, err))
		return -1;
	for (size_t i = 0; !rc && i < count; i++) {
		json_object_array_add(dirs,
				      json_object_new_string(list[i].dir));
		if (!n->opt->dry_run)
			rc = slu_storage_discard(list[i].dir, err);
	}
	free(list);
	if (!rc && !count)
		rc = slu_err(err, SLU_NOTFOUND, "%s keeps no data of job %u",
			     n->name, (unsigned)n->job_id);
	return rc;
}

static int tell(struct slu_node *n, struct slu_err *err)
{
	double deadline = n->deadline;
	struct slu_node_inventory owed;
	int rc;

	n->deadline = slu_now_mono() + ASK_TIME;
	rc = slu_talk_inventory(n, &owed, err);
	n->deadline = deadline;
	if (rc)
		return -1;
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	return 0;
}

/* The head of the JSON output. */
static struct json_object *said(const struct slu_node *n, const char *hosts)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "job_id",
			       json_object_new_int64((int64_t)n->job_id));
	json_object_object_add(o, "hosts", json_object_new_string(hosts));
	json_object_object_add(o, "dry_run",
			       json_object_new_boolean(n->opt->dry_run));
	return o;
}

static void print_json(struct json_object *o)
{
	printf("%s\n",
	       json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

static void print_here(const struct slu_node *n, struct json_object *dirs)
{
	struct json_object *o;

	if (n->opt->json) {
		o = said(n, n->name);
		json_object_object_add(o, "removed", json_object_get(dirs));
		print_json(o);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(dirs); i++)
		printf("%s %s\n", n->opt->dry_run ? "would remove" : "removed",
		       json_object_get_string(
			       json_object_array_get_idx(dirs, i)));
}

/* sluiced believes a list without the data at once if an earlier one had it. */
static int discard_here(struct slu_node *n)
{
	struct json_object *dirs = json_object_new_array();
	struct slu_err err, untold;
	bool told = n->opt->dry_run || !tell(n, &untold);
	int rc = discard_all(n, dirs, &err);

	if (!rc)
		print_here(n, dirs);
	json_object_put(dirs);
	if (rc)
		return slu_verb_failed("discard", &err);
	if (!told || (!n->opt->dry_run && tell(n, &untold)))
		fprintf(stderr,
			"sluice-node: sluiced could not be informed that the "
			"space is free (run sluice-node recover later): "
			"%s\n",
			untold.text);
	return EXIT_SUCCESS;
}

void slu_discard_wanted(struct slu_node *n, const char *instances)
{
	struct slu_kept *list = NULL;
	size_t count = 0, removed = 0;
	struct slu_err err;
	char name[48];

	if (slu_kept_list(n->conf, 0, &list, &count, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%u.%" PRIu64,
			 (unsigned)list[i].job_id, list[i].buffer);
		if (!slu_has_word(instances, name))
			continue;
		if (slu_storage_discard(list[i].dir, &err)) {
			slu_node_log(n, SLU_ERROR, "%s", err.text);
			continue;
		}
		removed++;
		slu_node_log(n, SLU_INFO,
			     "what was kept of job %u is removed, as it was "
			     "given up: %s",
			     (unsigned)list[i].job_id, list[i].dir);
	}
	free(list);
	if (removed && tell(n, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
}

/* As the owner: asks sluiced */

static int ask(struct slu_node *n, struct slu_discarded *out,
	       struct slu_err *err)
{
	const struct slu_discard msg = {n->job_id, n->opt->dry_run};
	char *body = slu_encode_text(&slu_discard_desc, &msg);
	struct slu_buf reply = {0};
	int rc;

	if (!body)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_talk_once(n, "/v1/discard", body, ASK_TIME, &reply, err) ||
	     slu_decode_text(&slu_discarded_desc, reply.data, reply.len, out,
			     err);
	slu_buf_free(&reply);
	free(body);
	return rc ? -1 : 0;
}

static void print_bytes(const struct slu_node *n,
			const struct slu_discarded *is)
{
	struct json_object *o = said(n, is->hosts);

	json_object_object_add(o, "bytes",
			       json_object_new_int64((int64_t)is->bytes));
	print_json(o);
}

static int discard_by_sluiced(struct slu_node *n)
{
	char size[SLU_SIZE_TEXT];
	struct slu_discarded is;
	struct slu_err err;

	if (ask(n, &is, &err))
		return slu_verb_failed("discard", &err);
	if (n->opt->json)
		print_bytes(n, &is);
	else
		printf("What is kept of job %u on %s, %s, %s.\n",
		       (unsigned)n->job_id, is.hosts,
		       slu_size_text(is.bytes, size),
		       n->opt->dry_run ? "would be removed"
				       : "is removed at the next health check "
					 "there");
	slu_msg_clear(&slu_discarded_desc, &is);
	return EXIT_SUCCESS;
}

int slu_cmd_discard(struct slu_node *n)
{
	return geteuid() ? discard_by_sluiced(n) : discard_here(n);
}
