/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the facts from a node's documents; without a document some are unknown.
 */
#include "config.h"
#include "sysquery/map/node_facts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"

#define MIB 1048576

int slu_words_add(struct slu_words *words, const char *text)
{
	char *copy = strdup(text), *rest = copy, *one, **more;

	while (copy && (one = strsep(&rest, ","))) {
		one[strcspn(one, "(")] = '\0';
		if (!*one || slu_words_has(words, one))
			continue;
		more = realloc(words->word, (words->n + 1) * sizeof(*more));
		if (!more)
			break;
		words->word = more;
		more[words->n] = strdup(one);
		if (!more[words->n])
			break;
		words->n++;
	}
	free(copy);
	return copy && !rest ? 0 : -1;
}

bool slu_words_has(const struct slu_words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (strcasecmp(words->word[i], word) == 0)
			return true;
	return false;
}

void slu_words_free(struct slu_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->word[i]);
	free(words->word);
}

/* A document of this JSON type; NULL: none. Caller puts. */
static struct json_object *document(struct slu_db *db, const char *host,
				    const char *extractor, json_type type)
{
	struct json_object *obj = NULL;
	struct slu_buf text = {0};

	if (slu_documents_read(db, host, extractor, &text, NULL) == 0)
		obj = slu_json_parse(text.data ? text.data : "", text.len,
				     NULL);
	slu_buf_free(&text);
	if (obj && json_object_is_type(obj, type))
		return obj;
	json_object_put(obj);
	return NULL;
}

static int64_t number(struct json_object *obj, const char *key)
{
	uint64_t value = 0;

	slu_json_u64_opt(obj, key, &value, NULL);
	return value <= INT64_MAX ? (int64_t)value : 0;
}

static void read_cpus(struct slu_db *db, const char *host, struct slu_facts *f)
{
	f->cpuinfo = document(db, host, "cpuinfo", json_type_object);
	if (!f->cpuinfo)
		return;
	f->cpus = number(f->cpuinfo, "CoreCount");
	f->sockets = number(f->cpuinfo, "SocketCount");
	f->cores = number(f->cpuinfo, "CorePerSocket");
	f->threads = number(f->cpuinfo, "ThreadPerCore");
	slu_json_str_opt(f->cpuinfo, "VendorId", &f->vendor, NULL);
	json_object_object_get_ex(f->cpuinfo, "CpuFlags", &f->flags);
	if (!json_object_is_type(f->flags, json_type_array))
		f->flags = NULL;
}

static void read_memory(struct slu_db *db, const char *host,
			struct slu_facts *f)
{
	struct json_object *memory =
		document(db, host, "memoryinfo", json_type_object);

	if (memory)
		f->memory = number(memory, "TotalMemory") / MIB;
	json_object_put(memory);
}

/* Is the path at or below this mount point? */
static bool is_below(const char *path, const char *mountpoint)
{
	return strcmp(mountpoint, "/") == 0 ? path[0] == '/'
					    : slu_is_below(path, mountpoint);
}

/* The size of the file system that contains the path. */
static void read_tmp(struct slu_db *db, const char *host, const char *tmpfs,
		     struct slu_facts *f)
{
	struct json_object *mounts =
		document(db, host, "mountpoints", json_type_array);
	size_t n = mounts ? json_object_array_length(mounts) : 0, longest = 0;
	const char *mountpoint;

	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(mounts, i);

		if (slu_json_str(one, "mountpoint", &mountpoint, NULL) ||
		    !is_below(tmpfs, mountpoint) ||
		    strlen(mountpoint) < longest)
			continue;
		longest = strlen(mountpoint);
		f->tmp = number(one, "size") / MIB;
	}
	json_object_put(mounts);
}

static void read_disks(struct slu_db *db, const char *host, struct slu_facts *f)
{
	struct json_object *disks =
		document(db, host, "disks", json_type_array);
	size_t n = disks ? json_object_array_length(disks) : 0;
	const char *name;
	bool rotational;

	if (!disks)
		return;
	f->nvme = f->ssd = 0;
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(disks, i);

		name = "";
		rotational = true;
		slu_json_str_opt(one, "name", &name, NULL);
		slu_json_bool_opt(one, "rotational", &rotational, NULL);
		f->nvme |= strncmp(name, "nvme", 4) == 0;
		f->ssd |= !rotational;
	}
	json_object_put(disks);
}

/* The number of elements of a document; -1: there is none. */
static int64_t count(struct slu_db *db, const char *host, const char *extractor)
{
	struct json_object *array =
		document(db, host, extractor, json_type_array);
	int64_t n = array ? (int64_t)json_object_array_length(array) : -1;

	json_object_put(array);
	return n;
}

int slu_facts_read(struct slu_db *db, const char *host, const char *tmpfs,
		   struct slu_facts *out, struct slu_err *err)
{
	int64_t id = slu_host_id(db, host, false, err);

	if (id <= 0)
		return (int)id;
	*out = (struct slu_facts){.nvme = -1, .ssd = -1, .ib = -1};
	read_cpus(db, host, out);
	read_memory(db, host, out);
	read_tmp(db, host, tmpfs, out);
	read_disks(db, host, out);
	out->gpus = count(db, host, "gpus");
	out->ib = (int)count(db, host, "infiniband");
	if (out->ib > 0)
		out->ib = 1;
	return 1;
}

void slu_facts_free(struct slu_facts *facts)
{
	json_object_put(facts->cpuinfo);
}

/* Is the word a processor flag: one of this node's, or of a family that only
 * has flags? */
static int has_flag(const struct slu_facts *f, const char *word)
{
	static const char *const families[] = {"avx", "sse", "amx", "sve",
					       NULL};
	size_t n = f->flags ? json_object_array_length(f->flags) : 0;

	if (n == 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *flag = json_object_get_string(
			json_object_array_get_idx(f->flags, i));

		if (flag && strcasecmp(flag, word) == 0)
			return 1;
	}
	for (const char *const *family = families; *family; family++)
		if (strncasecmp(word, *family, 3) == 0)
			return 0;
	return -1;
}

static int is_vendor(const struct slu_facts *f, const char *vendor)
{
	return f->vendor ? strcmp(f->vendor, vendor) == 0 : -1;
}

int slu_facts_feature(const struct slu_facts *f, const char *word)
{
	if (strcasecmp(word, "intel") == 0)
		return is_vendor(f, "GenuineIntel");
	if (strcasecmp(word, "amd") == 0)
		return is_vendor(f, "AuthenticAMD");
	if (strcasecmp(word, "nvme") == 0)
		return f->nvme;
	if (strcasecmp(word, "ssd") == 0)
		return f->ssd;
	if (strcasecmp(word, "gpu") == 0)
		return f->gpus < 0 ? -1 : f->gpus > 0;
	if (strcasecmp(word, "ib") == 0 || strcasecmp(word, "infiniband") == 0)
		return f->ib;
	return has_flag(f, word);
}
