/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery stripe check: finds the files below a directory whose layout costs
 * most, and prints the commands that would change it. Changes nothing itself.
 */
#include "config.h"
#include "sysquery/cmd/io/stripe_check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/jsonx.h"
#include "sysquery/cmd/io/stripe_files.h"

#define TOP 20
/* Lustre's version if it is unknown: commands are printed that every version
 * accepts. */
#define OLDEST 2005

struct check {
	struct slu_cost_target *target;
	char fsname[9];
	struct slu_cost_site site;
	uint64_t *room; /* of targets, the most first */
	struct slu_review review;
	struct slu_stripe_walk walk;
};

/* How many targets there are, and their room, from lfs df. */
static int count_targets(struct check *c, struct slu_err *err)
{
	struct slu_stripe_request *r = &c->review.request;

	c->room = calloc(c->site.n + 1, sizeof(*c->room));
	if (!c->room)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < c->site.n; i++)
		if (c->target[i].total > 0)
			c->room[r->targets++] = c->target[i].available;
	slu_stripe_set_room(r, c->room);
	return 0;
}

/* The number of a server among those that have targets here, from 1. */
static uint32_t number_of(struct json_object *servers, const char *name)
{
	uint32_t n = 0;

	json_object_object_foreach(servers, server, said)
	{
		(void)said;
		n++;
		if (strcmp(server, name) == 0)
			break;
	}
	return n;
}

/* Is it a target of this file system? sluiced may know others, too. */
static bool is_of(const char *target, const char *fsname)
{
	size_t len = strlen(fsname);

	return target && strncmp(target, fsname, len) == 0 &&
	       strncmp(target + len, "-OST", 4) == 0;
}

static void take_server(struct check *c, struct json_object *ost,
			struct json_object *all, struct json_object *servers)
{
	const char *name = slu_json_str_at(ost, "server");
	uint64_t index = slu_json_u64_at(ost, "index");
	double peak;

	if (!name || index >= c->site.n ||
	    !is_of(slu_json_str_at(ost, "name"), c->fsname))
		return;
	peak = slu_json_number_at(slu_json_at(all, name), "peak");
	c->site.server = peak > c->site.server ? peak : c->site.server;
	json_object_object_add(servers, name, NULL);
	c->target[index].server = number_of(servers, name);
}

/* Takes the server of each target from the answer, and a server's bandwidth. */
static void take_servers(struct check *c, struct json_object *answer)
{
	struct json_object *list = slu_json_list_at(answer, "osts");
	struct json_object *all = slu_json_at(answer, "servers");
	struct json_object *servers = json_object_new_object();

	for (size_t i = 0; all && i < slu_json_length(list); i++)
		take_server(c, json_object_array_get_idx(list, i), all,
			    servers);
	c->site.servers = (uint32_t)json_object_object_length(servers);
	json_object_put(servers);
}

/* Asks sluiced for servers if there is one; without it, none are known. */
static void ask_servers(const struct slu_ask *ask, struct check *c)
{
	struct slu_ask other = *ask;
	struct json_object *answer;
	struct slu_err err = {0};
	const char *named = slu_json_str_at(ask->args, "fsname");
	uint64_t version = 0;

	if (slu_ask_nobody(ask))
		return;
	other.args = json_object_new_object();
	slu_json_set_str(other.args, "fsname", named ? named : c->fsname);
	answer = slu_ask_object(&other, "osts", &err);
	json_object_put(other.args);
	if (!answer) {
		fprintf(stderr,
			"sysquery: which server has which target is "
			"not known: %s\n",
			slu_printable(err.text));
		return;
	}
	slu_json_u64_opt(answer, "lustre", &version, NULL);
	c->review.request.lustre = (uint32_t)version;
	take_servers(c, answer);
	if (c->review.request.target_rate == 0)
		c->review.request.target_rate =
			slu_stripe_measured_rate(answer);
	json_object_put(answer);
}

static void show_progress(const struct slu_stripe_walk *walk)
{
	static double last;
	double now = slu_now_mono();

	if (now < last + 1)
		return;
	last = now;
	fprintf(stderr, "\r%llu files", (unsigned long long)walk->seen);
}

static struct json_object *row_of(const struct slu_review_file *f)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "path", f->path);
	slu_json_set_u64(row, "size", f->size);
	slu_json_set_u64(row, "stripes", f->stripes);
	slu_json_set_str(row, "why", slu_review_words[f->why]);
	slu_json_set_double(row, "now", f->now);
	slu_json_set_double(row, "better", f->better);
	slu_json_set_u64(row, "full", (uint64_t)f->full);
	slu_json_set_str(row, "command", f->command);
	return row;
}

static struct json_object *answer_of(struct check *c)
{
	struct json_object *out = json_object_new_object();
	struct json_object *files = json_object_new_array();
	struct json_object *reasons = json_object_new_array(), *one;

	slu_review_sort(&c->review);
	for (size_t i = 0; i < c->review.n; i++)
		json_object_array_add(files, row_of(&c->review.file[i]));
	for (int w = 0; w < SLU_REVIEW_WHYS; w++) {
		if (c->review.of[w].files == 0)
			continue;
		one = json_object_new_object();
		slu_json_set_str(one, "why", slu_review_words[w]);
		slu_json_set_u64(one, "count", c->review.of[w].files);
		slu_json_set_double(one, "saved", c->review.of[w].saved);
		json_object_array_add(reasons, one);
	}
	json_object_object_add(out, "files", files);
	json_object_object_add(out, "reasons", reasons);
	slu_json_set_u64(out, "seen", c->walk.seen);
	slu_json_set_u64(out, "unread", c->walk.unread);
	slu_json_set_u64(out, "special", c->review.special);
	slu_json_set_u64(out, "no_room", c->review.no_room);
	return out;
}

static void show_commands(struct json_object *answer, struct slu_buf *out)
{
	struct json_object *files = slu_json_list_at(answer, "files");

	slu_buf_puts(out, "\n");
	for (size_t i = 0; i < slu_json_length(files); i++)
		slu_buf_printf(
			out, "%s\n",
			slu_json_str_at(json_object_array_get_idx(files, i),
					"command"));
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	if (slu_json_length(slu_json_list_at(answer, "files")) > 0) {
		if (slu_ask_part(ask, NULL, answer, slu_form_layouts.keys,
				 "files", out, err))
			return -1;
		show_commands(answer, out);
	}
	if (slu_ask_part(ask, NULL, answer, slu_form_layouts.keys, "reasons",
			 out, err))
		return -1;
	slu_ask_say(ask, out,
		    "# of %llu files; left as they are: %llu that are "
		    "mirrored, archived or otherwise special, %llu for which "
		    "there is no room",
		    (unsigned long long)slu_json_u64_at(answer, "seen"),
		    (unsigned long long)slu_json_u64_at(answer, "special"),
		    (unsigned long long)slu_json_u64_at(answer, "no_room"));
	return 0;
}

/* Collects the settings of the command line and of the site. */
static int prepare(struct slu_ask *ask, const char *dir, struct check *c,
		   struct slu_err *err)
{
	static const struct slu_stripe_request nothing = {0};
	struct slu_stripe_request *r = &c->review.request;
	uint64_t top = TOP;
	uint32_t known;

	if (slu_json_u64_opt(ask->args, "top", &top, err) ||
	    slu_stripe_take(ask->args, &nothing, r, err) ||
	    slu_stripe_targets(dir, &c->target, &c->site.n, c->fsname, err))
		return -1;
	known = r->lustre;
	c->review.top = top;
	c->site.target = c->target;
	c->site.access = r->access;
	c->site.readers = r->readers;
	ask_servers(ask, c);
	if (known)
		r->lustre = known;
	if (r->lustre == 0)
		r->lustre = slu_stripe_client_version();
	if (r->lustre == 0)
		r->lustre = OLDEST;
	c->site.disk = r->target_rate;
	c->review.site = &c->site;
	c->walk.review = &c->review;
	c->walk.progress = isatty(2) ? show_progress : NULL;
	return count_targets(c, err);
}

static int run(struct slu_ask *ask, const char *dir, struct check *c,
	       struct slu_err *err)
{
	struct json_object *answer;
	int ret = prepare(ask, dir, c, err);

	if (ret == 0)
		ret = slu_stripe_walk(&c->walk, dir, err);
	if (c->walk.progress)
		fputs("\r\033[K", stderr);
	if (ret)
		return ret;
	if (c->walk.unread > 0 && c->walk.read == 0)
		return slu_err(err, SLU_IO,
			       "nothing could be read, the first: %s",
			       slu_printable(c->walk.first));
	if (c->walk.unread > 0)
		fprintf(stderr,
			"sysquery: %llu files or directories could not be "
			"read, the first: %s\n",
			(unsigned long long)c->walk.unread,
			slu_printable(c->walk.first));
	answer = answer_of(c);
	ask->differs = slu_json_length(slu_json_list_at(answer, "reasons")) > 0;
	ret = slu_ask_present(ask, "layouts", answer, show, err);
	json_object_put(answer);
	return ret;
}

int slu_stripe_check_files(struct slu_ask *ask, const char *dir,
			   struct slu_err *err)
{
	struct check *c = calloc(1, sizeof(*c));
	int ret = c ? run(ask, dir, c, err)
		    : slu_err(err, SLU_NOMEM, "out of memory");

	if (c) {
		slu_review_free(&c->review);
		free(c->target);
		free(c->room);
	}
	free(c);
	return ret;
}
