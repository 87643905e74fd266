/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes storage that was wiped while a process still holds it. Each note is a
 * directory STORAGE/held/JOB.BUFFER with small files; it is removed when the
 * loop device is free, or when the quota or the processes' files show that no
 * bytes are left.
 */
#include "config.h"
#include "burst_buffer/storage/held_storage.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/host/loop_device.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/host/file_users.h"
#include "common/file.h"
#include "common/str.h"

#define HELD	"held"
#define DEVICE	"device"
#define PROJECT "project"
#define WHO	"who"

static int put(const char *dir, const char *name, const char *text,
	       struct slu_err *err)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return slu_file_write(AT_FDCWD, path, text, strlen(text), 0644, false,
			      err);
}

static void get(const char *dir, const char *name, char *out, size_t size)
{
	struct slu_buf text = {0};
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	slu_file_read(AT_FDCWD, path, size - 1, &text, NULL);
	slu_copy(out, size, text.data ? text.data : "");
	slu_buf_free(&text);
}

/* Writes the file WHO last: a note without it is incomplete and is ignored. */
int slu_held_storage_note(const char *storage, const char *name,
			  const char *device, uint32_t project, const char *who,
			  struct slu_err *err)
{
	char dir[4096], id[16];

	if ((size_t)snprintf(dir, sizeof(dir), "%s/" HELD "/%s", storage,
			     name) >= sizeof(dir))
		return slu_err(err, SLU_INVALID, "%s: path too long", storage);
	snprintf(id, sizeof(id), "%" PRIu32, project);
	return slu_mkdirs(dir, 0700, err) || put(dir, DEVICE, device, err) ||
			       put(dir, PROJECT, id, err) ||
			       put(dir, WHO, who, err)
		       ? -1
		       : 0;
}

uint64_t slu_held_storage_bytes(const char *storage, const char *name,
				uint32_t project)
{
	char dir[4200];
	uint64_t bytes;

	if (!slu_quota_used(storage, project, &bytes, NULL))
		return bytes;
	snprintf(dir, sizeof(dir), "%s/%s", storage, name);
	return slu_users_bytes(dir);
}

static bool lasts(const char *storage, uint32_t project,
		  struct slu_held_storage *h)
{
	char device[SLU_LOOP_NAME], image[64];

	get(h->dir, DEVICE, device, sizeof(device));
	snprintf(image, sizeof(image), "%s/image", h->name);
	h->bytes = 0;
	if (*device)
		return slu_loop_has_removed(device, image);
	h->bytes = slu_held_storage_bytes(storage, h->name, project);
	return h->bytes > 0;
}

static void forget(const char *storage, uint32_t project,
		   const struct slu_held_storage *h)
{
	if (project)
		slu_quota_clear(storage, project, NULL);
	slu_rmtree(AT_FDCWD, h->dir, NULL);
}

static void look_at(const char *storage, struct slu_held_storage *h,
		    const struct slu_uptime *up, slu_held_storage_f *fn,
		    void *arg)
{
	char id[16];
	uint32_t project;

	get(h->dir, WHO, h->who, sizeof(h->who));
	if (!*h->who)
		return; /* it is being written */
	get(h->dir, PROJECT, id, sizeof(id));
	project = (uint32_t)strtoul(id, NULL, 10);
	if (!lasts(storage, project, h)) {
		if (up)
			forget(storage, project, h);
		return;
	}
	h->age = up ? slu_kept_age(h->dir, up) : 0;
	fn(arg, h);
}

void slu_held_storage_each(const char *storage, const struct slu_uptime *up,
			   slu_held_storage_f *fn, void *arg)
{
	struct slu_held_storage h;
	struct dirent *e;
	char dir[4096];
	DIR *d = NULL;

	snprintf(dir, sizeof(dir), "%.4000s/" HELD, storage);
	if (!slu_trust_dir(dir, NULL))
		d = opendir(dir);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    !slu_copy(h.name, sizeof(h.name), e->d_name))
			continue;
		snprintf(h.dir, sizeof(h.dir), "%.4000s/%s", dir, h.name);
		look_at(storage, &h, up, fn, arg);
	}
	if (d)
		closedir(d);
	if (up)
		rmdir(dir);
}
