/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the directories of a job's file system that users see, and binds them
 * to their paths. The file system's root belongs to root and is out of users'
 * reach, as a mount may show its secrets there; users get data/ of it, bound to
 * RunDir/JOB/mnt/data, and, where a job wants it, private/NODE of it, bound to
 * mnt/private of that node. The mount points under both are root's, mode 0000.
 */
#include "config.h"
#include "burst_buffer/node/setup/user_directories.h"

#include "burst_buffer/node/stage/interpose.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/request/request.h"
#include "common/file.h"
#include "common/str.h"
#include "burst_buffer/node/instance_name.h"

#define SECONDS	 30.0
#define LEFT_FOR 3600 /* seconds */

static int in_child(struct slu_node *n, slu_aside_f *fn, struct slu_err *err)
{
	struct slu_aside aside = {.fn = fn, .arg = n, .seconds = SECONDS};

	return slu_aside(&aside, "the job's file system", NULL, err);
}

/* Makes one directory. In a persistent buffer that is set up again it exists,
 * perhaps with modes that its owner chose. The owner is set last, so that an
 * interrupted attempt is repeated. */
static int make_dir(const char *root, const char *name, mode_t mode, uid_t uid,
		    gid_t gid, struct slu_err *err)
{
	char path[PATH_MAX];
	struct stat st;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (!mkdir(path, 0700) || (errno == EEXIST && !lstat(path, &st) &&
				   (st.st_uid != uid || st.st_gid != gid)))
		rc = chmod(path, mode) || chown(path, uid, gid);
	else
		rc = errno != EEXIST;
	if (rc)
		return slu_errno(err, SLU_IO,
				 "cannot make %s in the job's file system",
				 name);
	return 0;
}

static uint64_t manifest_size(const struct slu_node *n)
{
	return slu_manifest_size(n->plan.node[n->self].capacity);
}

uint64_t slu_user_directories_size(const struct slu_node *n)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n->plan.n_stage; i++)
		size += n->plan.stage[i].out ? manifest_size(n) : 0;
	return size;
}

/* A stage-out from a full file system needs space for a manifest, too. */
static void reserve_manifest(struct slu_node *n, size_t r)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/.sluice/out.%zu.claims", n->root, r);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/.sluice/out.%zu", n->root, r);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return; /* there is one, or it has to do without */
	(void)posix_fallocate(fd, 0, (off_t)manifest_size(n));
	close(fd);
}

/* Makes the job's corner: in a persistent buffer every job that uses it has a
 * directory of its own. */
static int make_corner(struct slu_node *n, struct slu_err *err)
{
	if (make_dir(n->top, ".use", 0700, 0, 0, err))
		return -1;
	return make_dir(n->top, n->corner + strlen(n->top) + 1, 0700, 0, 0,
			err);
}

static int remove_corner(struct slu_aside *aside, void *arg, void *out,
			 struct slu_err *err)
{
	const struct slu_node *n = arg;

	(void)aside, (void)out;
	return slu_rmtree(AT_FDCWD, n->corner, err);
}

/* The little that the last node leaves there is removed by the sweep, or with
 * the buffer. */
void slu_user_directories_leave(struct slu_node *n)
{
	struct slu_err err;

	if (n->plan.use && n->self == 0 && slu_mounted(n->top) &&
	    in_child(n, remove_corner, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
}

struct sweep {
	struct slu_node *n;
	const char *users;
};

/* Has the job been missing among the buffer's users for an hour? Not at once,
 * as a sluiced whose database was restored does not know a job until its nodes
 * report it. */
static bool is_left(struct slu_node *n, const char *users, const char *name)
{
	char note[300];
	long age;

	snprintf(note, sizeof(note), "left.%s", name);
	age = slu_note_age(n, note);
	if (slu_has_word(users, name))
		slu_note_drop(n, note);
	else if (age < 0)
		slu_note_put(n, note, 0600, "", NULL);
	else if (age >= LEFT_FOR) {
		slu_note_drop(n, note);
		return true;
	}
	return false;
}

static int sweep(struct slu_aside *aside, void *arg, void *out,
		 struct slu_err *err)
{
	const struct sweep *s = arg;
	struct dirent *e;
	uint32_t job_id;
	uint64_t buffer;
	char path[PATH_MAX];
	int rc = 0;
	DIR *d;

	(void)aside, (void)out;
	snprintf(path, sizeof(path), "%.4000s/.use", s->n->top);
	d = opendir(path);
	while (d && !rc && (e = readdir(d)))
		if (!slu_instance_parse(e->d_name, &job_id, &buffer) &&
		    is_left(s->n, s->users, e->d_name))
			rc = slu_rmtree(dirfd(d), e->d_name, err);
	if (d)
		closedir(d);
	return rc;
}

void slu_user_directories_sweep(struct slu_node *n, const char *users)
{
	struct sweep s = {n, users};
	struct slu_aside aside = {.fn = sweep, .arg = &s, .seconds = SECONDS};
	struct slu_err err;

	if (users && slu_mounted(n->top) &&
	    slu_aside(&aside, "what jobs left in it", NULL, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
}

static int make(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct slu_node *n = arg;

	const mode_t mode = n->plan.group ? 02770 : 0700;

	(void)aside, (void)out;
	if (n->plan.use ? make_corner(n, err)
			: make_dir(n->root, "data", mode, n->plan.uid,
				   n->plan.gid, err))
		return -1;
	if (make_dir(n->root, ".sluice", 0700, 0, 0, err) ||
	    (n->plan.dw_both && make_dir(n->root, "private", 0711, 0, 0, err)))
		return -1;
	for (size_t i = 0; i < n->plan.n_stage; i++)
		if (n->plan.stage[i].out)
			reserve_manifest(n, i);
	return 0;
}

int slu_user_directories_make(struct slu_node *n, struct slu_err *err)
{
	if (n->driver->interposed)
		return slu_interposed_layout(n, err);
	return in_child(n, make, err);
}

static int bind_data(struct slu_aside *aside, void *arg, void *out,
		     struct slu_err *err)
{
	struct slu_node *n = arg;
	char from[PATH_MAX];

	(void)aside, (void)out;
	snprintf(from, sizeof(from), "%.4080s/data",
		 n->plan.use ? n->top : n->root);
	if (mount(from, n->data, NULL, MS_BIND, NULL))
		return slu_errno(err, SLU_IO, "cannot mount %s", n->data);
	return 0;
}

static int bind_private(struct slu_aside *aside, void *arg, void *out,
			struct slu_err *err)
{
	const struct slu_node *n = arg;
	char name[300], from[PATH_MAX], to[PATH_MAX];

	(void)aside, (void)out;
	snprintf(name, sizeof(name), "private/%.280s", n->name);
	snprintf(from, sizeof(from), "%.3700s/%s", n->root, name);
	slu_note_path(n, "mnt/private", to);
	if (make_dir(n->root, name, 0700, n->plan.uid, n->plan.gid, err))
		return -1;
	if (mount(from, to, NULL, MS_BIND, NULL))
		return slu_errno(err, SLU_IO, "cannot mount %s", to);
	return 0;
}

/* Without its library a file system of interposition is an empty directory. */
static int show(struct slu_node *n, const char *at, slu_aside_f *bind,
		struct slu_err *err)
{
	const mode_t mode = n->driver->interposed ? 0555 : 0;

	if (slu_mounted(at))
		return 0;
	if ((mkdir(at, mode) && errno != EEXIST) || chmod(at, mode))
		return slu_errno(err, SLU_IO, "cannot make %s", at);
	return n->driver->interposed ? 0 : in_child(n, bind, err);
}

int slu_user_directories_show(struct slu_node *n, struct slu_err *err)
{
	char mnt[PATH_MAX], private[PATH_MAX];

	slu_note_path(n, "mnt", mnt);
	slu_note_path(n, "mnt/private", private);
	if (slu_mkdirs(mnt, 0711, err) || show(n, n->data, bind_data, err))
		return -1;
	return n->plan.dw_both ? show(n, private, bind_private, err) : 0;
}

static int unbind(struct slu_aside *aside, void *arg, void *out,
		  struct slu_err *err)
{
	struct slu_node *n = arg;
	struct slu_buf who = {.max = 400};
	char private[PATH_MAX];
	int rc;

	(void)aside, (void)out;
	slu_note_path(n, "mnt/private", private);
	rc = slu_unmount_report(n->data, n->plan.uid, 3, &who, err) ||
	     (n->plan.dw_both &&
	      slu_unmount_report(private, n->plan.uid, 3, &who, err));
	if (who.data) /* they may belong to other jobs of the owner */
		slu_node_log(n, SLU_WARN,
			     "ended, as they used the job's file system when "
			     "it went: %s",
			     who.data);
	slu_buf_free(&who);
	return rc ? -1 : 0;
}

/* If it cannot be unmounted it is removed all the same: with the client, where
 * the file system has one; else processes that use it keep it until they
 * end. */
int slu_user_directories_hide(struct slu_node *n, struct slu_err *err)
{
	char private[PATH_MAX];

	slu_note_path(n, "mnt/private", private);
	if (!in_child(n, unbind, err))
		return 0;
	slu_node_log(n, SLU_WARN, "%s; %s", err->text,
		     n->driver->abort ? "its client is ended"
				      : "it is detached");
	if (n->driver->abort && n->driver->abort(&n->in, err))
		return -1;
	return slu_unmount_lazily(n->data, err) ||
			       (n->plan.dw_both &&
				slu_unmount_lazily(private, err))
		       ? -1
		       : 0;
}
