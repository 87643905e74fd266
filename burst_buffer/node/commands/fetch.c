/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node fetch`: copies what a failed stage-out has left on this node to
 * a directory, with the rights of the data's owner. The owner can run it (also
 * as a job on this node), or root. The kept data is not removed, and its time
 * runs on.
 *
 * Run it on every node that has some. Files that lie whole on a node go to
 * DESTINATION if they are of a common name space (to DESTINATION/PART if that
 * was split), and to DESTINATION/NODE if they are of private directories.
 * Pieces of files are written to their offsets in the files at DESTINATION.
 */
#include "config.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/node/kept_data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/commands/commands.h"
#include "burst_buffer/staging/stage.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/size.h"

#define SECONDS (7 * 86400.0)
#define ASK	10.0 /* seconds */

struct fetch {
	const struct slu_node *n;
	char *to;
	char source[4200]; /* KEPT/fs/data/ or KEPT/fs/brick/data/ */
	bool brick;
	/* Of data in pieces: the driver that joins them (else NULL), and its
	 * arguments. */
	const struct slu_driver *driver;
	char mark[64];
	char *below;	   /* path below the destination; NULL: none */
	struct stat owner; /* of the data */
};

/* Appends ": the data is kept on n2 ...", from the history of the job's buffer
 * (slu_bb_kept_where()); "" if sluiced does not know or answer. */
static void put_elsewhere(struct slu_node *n, char *out, size_t size)
{
	static const char kept[] = "the data is kept ";
	struct json_object *rows = NULL, *lines = NULL;
	struct slu_buf reply = {0};
	char body[80];

	*out = '\0';
	snprintf(body, sizeof(body), "{\"question\":\"buffers\",\"job_id\":%u}",
		 (unsigned)n->job_id);
	if (!slu_talk_once(n, "/v1/query", body, ASK, &reply, NULL))
		rows = slu_json_parse(reply.data, reply.len, NULL);
	for (size_t i = 0; i < slu_json_length(rows); i++)
		lines = json_object_object_get(
			json_object_array_get_idx(rows, i), "history");
	for (size_t i = 0; i < slu_json_length(lines); i++) {
		const char *text =
			json_object_get_string(json_object_object_get(
				json_object_array_get_idx(lines, i), "text"));

		if (text && !strncmp(text, kept, sizeof(kept) - 1))
			snprintf(out, size, ": %s", text);
	}
	json_object_put(rows);
	slu_buf_free(&reply);
}

/* Kept data of several runs of the job: the last run counts, with all devices
 * on which it lies. Caller frees. */
static int find_kept(struct slu_node *n, struct slu_kept **out, size_t *found,
		     struct slu_err *err)
{
	char elsewhere[300];
	size_t count, first;

	if (slu_kept_list(n->conf, n->job_id, out, &count, err))
		return -1;
	first = count ? count - 1 : 0;
	while (first && (*out)[first - 1].buffer == (*out)[first].buffer)
		first--;
	*found = count - first;
	if (count) {
		memmove(*out, *out + first, *found * sizeof(**out));
		return 0;
	}
	free(*out);
	put_elsewhere(n, elsewhere, sizeof(elsewhere));
	return slu_err(err, SLU_NOTFOUND, "%s keeps no data of job %u%s",
		       n->name, (unsigned)n->job_id, elsewhere);
}

/* After a reboot an image is not mounted. */
static int ensure_mounted(const char *dir, struct slu_err *err)
{
	char image[4200], fs[4200];

	snprintf(image, sizeof(image), "%s/image", dir);
	snprintf(fs, sizeof(fs), "%s/fs", dir);
	if (access(image, F_OK) || slu_mounted(fs))
		return 0;
	if (geteuid() != 0)
		return slu_err(err, SLU_DENIED,
			       "%s is not mounted since the node was started; "
			       "ask the administrator to run this as root",
			       fs);
	return slu_storage_remount(dir, err);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Are these pieces of files whose other pieces are on other nodes? Data that
 * was kept by releases without the mark is recognised by a piece in it. */
static bool has_shards(const char *brick)
{
	char path[4400];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s/.shard", brick);
	d = opendir(path);
	if (!d)
		return errno != ENOENT;
	while (!found && (e = readdir(d)))
		found = e->d_name[0] != '.';
	closedir(d);
	return found;
}

static bool in_pieces(const char *dir, const char *root)
{
	return slu_storage_has_mark(dir, SLU_PIECES_MARK) || has_shards(root);
}

/* Finds the driver of these pieces, if it can join them. */
static bool find_joiner(struct fetch *f, const char *dir)
{
	struct slu_buf text = {0};
	char path[4200], name[64] = "";

	snprintf(path, sizeof(path), "%s/" SLU_PIECES_MARK, dir);
	if (!slu_file_read(AT_FDCWD, path, sizeof(f->mark) - 1, &text, NULL) &&
	    text.data)
		slu_copy(f->mark, sizeof(f->mark), text.data);
	slu_buf_free(&text);
	if (sscanf(f->mark, "%63s", name) == 1)
		f->driver = slu_driver_find(name);
	if (f->driver && !f->driver->join)
		f->driver = NULL;
	return f->driver;
}

static int look_inside(struct fetch *f, const char *dir, struct slu_err *err)
{
	char root[4150];

	snprintf(root, sizeof(root), "%s/fs/brick", dir);
	f->brick = is_dir(root);
	if (!f->brick)
		snprintf(root, sizeof(root), "%s/fs", dir);
	if (find_joiner(f, dir))
		snprintf(root, sizeof(root), "%s/fs", dir);
	else if (in_pieces(dir, root))
		return slu_err(err, SLU_INVALID,
			       "%s: the job's files are in pieces over all "
			       "nodes and cannot be fetched one node at a "
			       "time",
			       root);
	snprintf(f->source, sizeof(f->source), "%s/%s", root,
		 f->driver ? f->driver->name : "data/");
	if (stat(f->source, &f->owner))
		return slu_errno(err, SLU_NOTFOUND, "%s", f->source);
	if (geteuid() != 0 && geteuid() != f->owner.st_uid)
		return slu_err(err, SLU_DENIED,
			       "the data of job %u is not yours",
			       (unsigned)f->n->job_id);
	return 0;
}

/* Writes this node's pieces of files to DESTINATION; every node does its
 * own. */
static int join(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct fetch *f = arg;
	struct slu_joined sum = {0};
	struct slu_stage_result result = {0};
	char fs[4200];
	int to, rc;

	if (geteuid() == 0 &&
	    slu_aside_become(aside, f->owner.st_uid, f->owner.st_gid, err))
		return -1;
	if (slu_mkdirs(f->to, 0777, err))
		return -1;
	to = open(f->to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0)
		return slu_errno(err, SLU_IO, "cannot open %s", f->to);
	snprintf(fs, sizeof(fs), "%.*s",
		 (int)(strrchr(f->source, '/') - f->source), f->source);
	rc = f->driver->join(fs, f->mark, to, &sum, err);
	close(to);
	result.total_files = sum.pieces;
	result.total_bytes = sum.bytes;
	memcpy(out, &result, sizeof(result));
	return rc;
}

static int copy(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct fetch *f = arg;
	/* other nodes may fetch to the same place */
	char tag[SLU_TEMPORARY_FILE_TAG + 65];
	struct slu_stage_part part = {
		.source = f->source,
		.destination = f->to,
		.below = f->below,
		.beside = tag,
		.bricks = f->brick,
		.n = 1,
		.durable = true,
	};
	struct slu_stage_result result, sum = {0};
	FILE *manifest = tmpfile();

	if (!manifest)
		return slu_errno(err, SLU_IO, "cannot write to /tmp");
	snprintf(tag, sizeof(tag), "%s-%.64s", f->n->beside, f->n->name);
	part.manifest = fileno(manifest);
	if (geteuid() == 0 &&
	    slu_aside_become(aside, f->owner.st_uid, f->owner.st_gid, err))
		return -1;
	for (int act = SLU_PREPARE; act <= SLU_FINISH; act++) {
		if (slu_stage((enum slu_act_name)act, &part, &result, err))
			return -1;
		if (act == SLU_PREPARE)
			sum = result;
	}
	sum.total_files = result.total_files;
	sum.total_bytes = result.total_bytes;
	memcpy(out, &sum, sizeof(sum)); /* it may be unaligned */
	return 0;
}

static int choose_below(struct fetch *f, const char *dir, struct slu_err *err)
{
	struct slu_buf part = {0};
	char path[4200];

	snprintf(path, sizeof(path), "%s/" SLU_PART_MARK, dir);
	if ((f->brick || f->driver) && access(path, F_OK))
		return 0;
	if (!f->brick && !f->driver)
		f->below = strdup(f->n->name);
	else if (slu_file_read(AT_FDCWD, path, 256, &part, err))
		return -1;
	else
		f->below = slu_buf_steal(&part);
	return f->below ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* The child that copies has another working directory. NULL: *err. Caller
 * frees. */
static char *absolute(const char *path, struct slu_err *err)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *to = here ? slu_asprintf("%s/%s", here, path) : strdup(path);

	if (!to || (!here && *path != '/')) {
		slu_errno(err, SLU_IO, "the working directory of --to %s",
			  path);
		free(to);
		to = NULL;
	}
	free(here);
	return to;
}

/* For pieces of files: appends the name of the part to the destination, as the
 * driver writes them to their final files. Other data gets it by part->below.
 */
static int go_below(struct fetch *f, struct slu_err *err)
{
	char *to;

	if (!f->driver || !f->below)
		return 0;
	to = slu_asprintf("%s/%s", f->to, f->below);
	if (!to)
		return slu_err(err, SLU_NOMEM, "out of memory");
	free(f->to);
	f->to = to;
	free(f->below);
	f->below = NULL;
	return 0;
}

static void warn(const struct slu_node *n, const char *dir,
		 const struct slu_stage_result *sum)
{
	if (slu_storage_has_mark(dir, SLU_CUT_MARK))
		fprintf(stderr,
			"sluice-node fetch: %s was restarted while the job "
			"used this: what was written last may be missing or "
			"incomplete\n",
			n->name);
	if (sum->skipped)
		fprintf(stderr,
			"sluice-node fetch: %llu sockets, pipes or devices "
			"were left out, one is %s\n",
			(unsigned long long)sum->skipped, sum->first_skipped);
}

static int fetch_from(struct slu_node *n, const char *dir, struct slu_err *err)
{
	struct fetch f = {.n = n, .to = absolute(n->opt->to, err)};
	struct slu_aside aside = {.fn = copy, .arg = &f, .seconds = SECONDS};
	struct slu_aside pieces = {.fn = join, .arg = &f, .seconds = SECONDS};
	struct slu_stage_result sum;
	char out[SLU_ASIDE_OUT], size[SLU_SIZE_TEXT];

	if (!f.to || ensure_mounted(dir, err) || look_inside(&f, dir, err) ||
	    choose_below(&f, dir, err) || go_below(&f, err) ||
	    slu_aside(f.driver ? &pieces : &aside, "copying", out, err)) {
		free(f.to);
		free(f.below);
		return -1;
	}
	memcpy(&sum, out, sizeof(sum));
	printf("%llu %s, %s, from %s on %s to %s%s%s\n",
	       (unsigned long long)sum.total_files,
	       f.driver ? "pieces of files" : "files",
	       slu_size_text(sum.total_bytes, size), f.source, n->name, f.to,
	       f.below ? "/" : "", f.below ? f.below : "");
	free(f.to);
	free(f.below);
	warn(n, dir, &sum);
	return 0;
}

/* Is a part of the data on a device that is not mounted? Data that older
 * releases kept does not say where its other parts are. */
static bool lacks_devices(const struct slu_kept *kept, size_t count)
{
	const char *name = strrchr(kept->dir, '/');
	char path[4300], *rest = NULL, *at;
	struct slu_buf text = {0};
	bool lacks = false;

	/* one that was kept later than the others has no note */
	for (size_t i = 0; !text.data && i < count; i++) {
		snprintf(path, sizeof(path), "%s/" SLU_DEVICES_MARK,
			 kept[i].dir);
		slu_file_read(AT_FDCWD, path, 1 << 20, &text, NULL);
	}
	at = text.data ? strtok_r(text.data, "\n", &rest) : NULL;
	for (; at; at = strtok_r(NULL, "\n", &rest)) {
		snprintf(path, sizeof(path), "%s/kept%s", at, name);
		if (!access(path, F_OK))
			continue;
		fprintf(stderr,
			"sluice-node fetch: a part of the data was on another "
			"device and is not in %s: is the device mounted?\n",
			path);
		lacks = true;
	}
	slu_buf_free(&text);
	return lacks;
}

/* What cannot be copied from one device does not stop the others. */
int slu_cmd_fetch(struct slu_node *n)
{
	struct slu_kept *kept;
	struct slu_err err;
	size_t count;
	int rc = EXIT_SUCCESS;

	if (find_kept(n, &kept, &count, &err))
		return slu_verb_failed("fetch", &err);
	for (size_t i = 0; i < count; i++)
		if (fetch_from(n, kept[i].dir, &err))
			rc = slu_verb_failed("fetch", &err);
	if (lacks_devices(kept, count))
		rc = EXIT_FAILURE;
	free(kept);
	return rc;
}
