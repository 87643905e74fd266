/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out which user's files fill the disk of a node's storage, and below
 * which directory most of them are. A child searches level by level for a few
 * seconds at most, as large files are rarely deep.
 */
#include "config.h"
#include "burst_buffer/node/setup/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "common/clock.h"
#include "common/size.h"
#include "common/str.h"
#include "burst_buffer/node/instance_name.h"

#define SECONDS	 3.0	/* to look */
#define PATIENCE 6.0	/* for the child, seconds */
#define ENTRIES	 1000	/* entries between two looks at the clock */
#define DIRS	 200000 /* to remember */

struct dir {
	char *path;
	/* the top-level entry that it is below, borrowed from its dir; */
	char *top;
};

struct owned { /* bytes of one user below one entry */
	uid_t uid;
	const char *top;
	uint64_t bytes;
};

struct looking {
	const char *storage; /* ours */
	unsigned major, minor;
	struct dir *dir;
	size_t n_dir, room;
	struct owned *owned;
	size_t n_owned, last;
	unsigned seen;
	double end;
};

/* From the kernel's cache alone, as a server might not answer. */
static bool stat_at(int fd, const char *name, struct statx *st)
{
	return statx(fd, name,
		     AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
		     STATX_TYPE | STATX_UID | STATX_BLOCKS, st) == 0;
}

static void count(struct looking *l, uid_t uid, const char *top, uint64_t bytes)
{
	struct owned *more;
	size_t i = l->last;

	if (i >= l->n_owned || l->owned[i].uid != uid || l->owned[i].top != top)
		for (i = 0; i < l->n_owned; i++)
			if (l->owned[i].uid == uid && l->owned[i].top == top)
				break;
	if (i == l->n_owned) {
		more = realloc(l->owned, (i + 1) * sizeof(*more));
		if (!more)
			return;
		l->owned = more;
		l->owned[l->n_owned++] = (struct owned){uid, top, 0};
	}
	l->owned[i].bytes += bytes;
	l->last = i;
}

static void add_dir(struct looking *l, char *path, char *top)
{
	struct dir *more;

	if (path && l->n_dir == l->room && l->room < DIRS) {
		more = realloc(l->dir, (2 * l->room + 64) * sizeof(*more));
		if (more) {
			l->dir = more;
			l->room = 2 * l->room + 64;
		}
	}
	if (!path || l->n_dir == l->room)
		free(path);
	else
		l->dir[l->n_dir++] = (struct dir){path, top ? top : path};
}

/* Is it storage of an instance, or kept data? Planning counts that already. */
static bool is_ours(const struct looking *l, const char *dir, const char *name)
{
	uint32_t job_id;
	uint64_t buffer;

	return slu_eq(dir, l->storage) &&
	       (slu_eq(name, "kept") ||
		!slu_instance_parse(name, &job_id, &buffer));
}

static void look_at(struct looking *l, int fd, const struct dir *in,
		    const char *name)
{
	struct statx st;
	char *path = slu_asprintf("%s/%s",
				  strcmp(in->path, "/") ? in->path : "", name);

	if (!path || !stat_at(fd, name, &st) || st.stx_dev_major != l->major ||
	    st.stx_dev_minor != l->minor || is_ours(l, in->path, name)) {
		free(path);
		return;
	}
	if (S_ISDIR(st.stx_mode)) {
		add_dir(l, path, in->top);
		return;
	}
	count(l, st.stx_uid, in->top ? in->top : in->path, st.stx_blocks * 512);
	free(path);
}

static bool look_into(struct looking *l, struct dir in)
{
	int fd = open(in.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool time = true;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && time && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			look_at(l, fd, &in, e->d_name);
		time = ++l->seen % ENTRIES || slu_now_mono() < l->end;
	}
	if (dir)
		closedir(dir);
	return time;
}

/* Shortens `path` to the mount point that it is below. */
static void mount_point(char *path)
{
	char above[PATH_MAX];
	struct stat here, up;

	while (strcmp(path, "/")) {
		slu_copy(above, sizeof(above), path);
		if (stat(dirname(above), &up) ||
		    (!stat(path, &here) && here.st_dev != up.st_dev))
			return;
		memmove(path, above, strlen(above) + 1);
	}
}

static uint64_t of_user(const struct looking *l, uid_t uid)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n_owned; i++)
		sum += l->owned[i].uid == uid ? l->owned[i].bytes : 0;
	return sum;
}

/* "files of bob take 35GiB there, most of it below /scratch/bob" */
static void say(const struct looking *l, char *out, size_t size)
{
	const struct owned *most = NULL, *o;
	char text[SLU_SIZE_TEXT], uid[16];
	struct passwd *pw;

	for (o = l->owned; o < l->owned + l->n_owned; o++)
		if (!most || of_user(l, o->uid) > of_user(l, most->uid) ||
		    (o->uid == most->uid && o->bytes > most->bytes))
			most = o;
	if (!most || !most->bytes)
		return;
	pw = getpwuid(most->uid);
	snprintf(uid, sizeof(uid), "user %u", (unsigned)most->uid);
	snprintf(out, size, "files of %.40s take %s there, most below %.80s",
		 pw ? pw->pw_name : uid,
		 slu_size_text(of_user(l, most->uid), text), most->top);
	slu_printable(out);
}

static int look(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct looking l = {.storage = arg, .end = slu_now_mono() + SECONDS};
	char path[PATH_MAX];
	struct statx st;

	(void)aside;
	(void)err;
	slu_copy(path, sizeof(path), arg);
	mount_point(path);
	if (!stat_at(AT_FDCWD, path, &st))
		return 0;
	l.major = st.stx_dev_major;
	l.minor = st.stx_dev_minor;
	add_dir(&l, strdup(path), NULL);
	if (l.n_dir)
		l.dir[0].top = NULL;
	for (size_t i = 0; i < l.n_dir && look_into(&l, l.dir[i]); i++)
		;
	say(&l, out, SLU_ASIDE_OUT);
	return 0; /* the memory goes with the child */
}

void slu_room_filler(const char *storage, char text[SLU_ROOM_FILLER])
{
	struct slu_aside aside = {.fn = look,
				  .arg = (void *)(uintptr_t)storage,
				  .seconds = PATIENCE};
	_Alignas(16) char out[SLU_ASIDE_OUT];

	*text = '\0';
	if (slu_aside(&aside, storage, out, NULL) == 0)
		slu_copy(text, SLU_ROOM_FILLER, out);
}
