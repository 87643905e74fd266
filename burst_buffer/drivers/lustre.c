/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver "lustre": gives the job a directory of its own on the parallel file
 * system, ROOT/JOB.BUFFER below a directory of the site's. No server is started
 * and no node's storage is used: every node binds that directory to the place
 * where a file system would be mounted. All nodes try to make it and to remove
 * it, the first one does it, so the loss of a node leaves nothing behind.
 *
 * The parallel file system may hang, so it is touched only in children with
 * time limits. Root must not be squashed there.
 */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/storage/storage.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"
#include "common/str.h"

#define SECONDS	     30.0   /* for a few calls */
#define WIPE_SECONDS 3600.0 /* for a tree */
#define UNTIL	     "until"
#define GONE	     ".gone." /* prefix while it is being removed */
/* file in root: when and by which host expiry last ran */
#define SWEPT ".swept"

static const char *root_of(const struct slu_instance *in)
{
	return slu_plan_option(in->plan, "root", "");
}

/* ROOT/MIDDLEJOB.BUFFER */
static void place(const struct slu_instance *in, const char *middle,
		  char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.3800s/%s%u.%" PRIu64, root_of(in), middle,
		 (unsigned)in->plan->job_id, in->plan->buffer);
}

static int aside(slu_aside_f *fn, const void *arg, double seconds, void *out,
		 struct slu_err *err)
{
	struct slu_aside a = {.fn = fn, .arg = (void *)arg, .seconds = seconds};

	return slu_aside(&a, "the parallel file system", out, err);
}

/* probe */

static int try_root(struct slu_aside *a, void *arg, void *out,
		    struct slu_err *err)
{
	char path[PATH_MAX];

	(void)a, (void)out;
	snprintf(path, sizeof(path), "%.3900s/.sluice-probe.%d",
		 (const char *)arg, (int)getpid());
	if (mkdir(path, 0700) || chown(path, 65534, 65534) || rmdir(path))
		return slu_errno(err, SLU_IO, "%s", path);
	return 0;
}

static int probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	const char *root = slu_fs_option(conf, "root", "");
	struct slu_err err;

	if (geteuid() != 0 || !aside(try_root, root, SECONDS, NULL, &err))
		return 0;
	slu_buf_printf(why,
		       "root=%s cannot be used: %s (root must not be squashed "
		       "there)\n",
		       root, err.text);
	return 1;
}

/* attach */

/* The value of an option as lfs expects it: a size in bytes, as lfs does not
 * know MiB. */
static char *lfs_value(const char *option, const char *value, char bytes[24])
{
	uint64_t size;

	if (strcmp(option, "stripe_size") != 0 ||
	    slu_size_parse(value, &size, NULL))
		return (char *)value;
	snprintf(bytes, 24, "%" PRIu64, size);
	return bytes;
}

/* Sets the directory's default layout, which everything below inherits. */
static int set_stripe(const struct slu_instance *in, char *path,
		      struct slu_err *err)
{
	static const struct {
		const char *option, *flag;
	} flags[] = {{"stripe_count", "-c"},
		     {"stripe_size", "-S"},
		     {"ost_pool", "-p"}};
	char *argv[12] = {(char *)slu_plan_option(in->plan, "lfs", "lfs"),
			  "setstripe"};
	char bytes[24];
	int n = 2;

	for (int i = 0; i < 3; i++) {
		const char *value =
			slu_plan_option(in->plan, flags[i].option, NULL);

		if (value) {
			argv[n++] = (char *)flags[i].flag;
			argv[n++] = lfs_value(flags[i].option, value, bytes);
		}
	}
	if (n == 2)
		return 0;
	argv[n] = path;
	return slu_run(argv, SECONDS, NULL, err);
}

/* Takes over what an early stage-in has copied before the job had nodes, by
 * renaming its directory. The first node that gets here does it; the others
 * find it done. */
static int adopt(const struct slu_instance *in, const char *path,
		 struct slu_err *err)
{
	char from[PATH_MAX];

	snprintf(from, sizeof(from), "%.3800s/%u.%" PRIu64, root_of(in),
		 (unsigned)in->plan->staged_job, in->plan->staged);
	if (!rename(from, path) || !access(path, F_OK))
		return 0;
	return slu_errno(err, SLU_IO, "cannot take over %s", from);
}

static int make_dir(const struct slu_instance *in, char *path,
		    struct slu_err *err)
{
	if (in->plan->staged)
		return adopt(in, path, err);
	if (mkdir(path, 0711) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", path);
	return in->self == 0 ? set_stripe(in, path, err) : 0;
}

static int make_and_bind(struct slu_aside *a, void *arg, void *out,
			 struct slu_err *err)
{
	const struct slu_instance *in = arg;
	char path[PATH_MAX];

	(void)a, (void)out;
	place(in, "", path);
	if (slu_trust_dir(root_of(in), err) || make_dir(in, path, err))
		return -1;
	if (mount(path, in->top, NULL, MS_BIND, NULL))
		return slu_errno(err, SLU_IO, "cannot mount %s", in->top);
	return 0;
}

static int attach(const struct slu_instance *in, const struct slu_pair *attrs,
		  size_t n_attr, const char **root, struct slu_err *err)
{
	(void)attrs, (void)n_attr;
	*root = in->top;
	if (slu_mounted(in->top))
		return 0;
	if ((mkdir(in->top, 0) && errno != EEXIST) || chmod(in->top, 0))
		return slu_errno(err, SLU_IO, "cannot make %s", in->top);
	return aside(make_and_bind, in, SECONDS, NULL, err);
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	if (!slu_mounted(in->top))
		return slu_err(err, SLU_IO,
			       "the job's file system is not mounted");
	return aside(slu_instance_look, in, SECONDS, NULL, err);
}

static int detach(const struct slu_instance *in, struct slu_err *err)
{
	return slu_unmount_below(in->top, in->plan->uid, SECONDS, err);
}

static int stop(const struct slu_instance *in, struct slu_err *err)
{
	(void)in, (void)err;
	return 0;
}

/* wipe and keep: the first node moves it away, and the others find nothing */

static void gone_place(const struct slu_instance *in, char path[PATH_MAX])
{
	char middle[32];

	snprintf(middle, sizeof(middle), GONE "%zu.", in->self);
	place(in, middle, path);
}

/* Renames the directory to one that no user can reach, also not on other hosts.
 */
static int move_away(struct slu_aside *a, void *arg, void *out,
		     struct slu_err *err)
{
	const struct slu_instance *in = arg;
	char from[PATH_MAX], gone[PATH_MAX];

	(void)a, (void)out;
	place(in, "", from);
	gone_place(in, gone);
	if ((rename(from, gone) || chmod(gone, 0700)) && errno != ENOENT)
		return slu_errno(err, SLU_IO, "cannot remove %s", from);
	utimensat(AT_FDCWD, gone, NULL, AT_SYMLINK_NOFOLLOW); /* begun now */
	return 0;
}

static int remove_moved(struct slu_aside *a, void *arg, void *out,
			struct slu_err *err)
{
	char gone[PATH_MAX];

	(void)a, (void)out;
	gone_place(arg, gone);
	return slu_rmtree(AT_FDCWD, gone, err);
}

static int wipe(const struct slu_instance *in, struct slu_err *err)
{
	if (aside(move_away, in, SECONDS, NULL, err))
		return -1;
	return aside(remove_moved, in, WIPE_SECONDS, NULL, err) ? 1 : 0;
}

static int look_ran(struct slu_aside *a, void *arg, void *out,
		    struct slu_err *err)
{
	char path[PATH_MAX];

	(void)a, (void)err;
	place(arg, "", path);
	*(bool *)out = slu_storage_has_mark(path, SLU_RAN_MARK);
	return 0;
}

static int note_ran(struct slu_aside *a, void *arg, void *out,
		    struct slu_err *err)
{
	char path[PATH_MAX];

	(void)a, (void)out;
	place(arg, "", path);
	return slu_storage_mark(path, SLU_RAN_MARK, "", err);
}

static int ran(const struct slu_instance *in, bool note, struct slu_err *err)
{
	_Alignas(16) char out[SLU_ASIDE_OUT];

	if (note)
		return aside(note_ran, in, SECONDS, NULL, err);
	return aside(look_ran, in, SECONDS, out, err) ? -1 : *(bool *)out;
}

struct keeping {
	const struct slu_instance *in;
	int64_t until;
};

static int keep_aside(struct slu_aside *a, void *arg, void *out,
		      struct slu_err *err)
{
	const struct keeping *k = arg;
	char from[PATH_MAX], to[PATH_MAX], path[PATH_MAX], text[32];
	int n = snprintf(text, sizeof(text), "%" PRId64 "\n", k->until);

	(void)a;
	place(k->in, "", from);
	place(k->in, "kept/", to);
	snprintf(path, sizeof(path), "%.4000s/" UNTIL, from);
	if (!access(from, F_OK) &&
	    slu_file_write(AT_FDCWD, path, text, (size_t)n, 0644, true, err) &&
	    access(to, F_OK))
		return -1;
	snprintf(path, sizeof(path), "%.3900s/kept", root_of(k->in));
	if (mkdir(path, 0711) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", path);
	if (rename(from, to) && errno != ENOENT)
		return slu_errno(err, SLU_IO, "cannot move %s", from);
	*(bool *)out = !access(to, F_OK);
	if (!*(bool *)out && errno != ENOENT)
		return slu_errno(err, SLU_IO, "%s", to);
	return 0;
}

static int keep(const struct slu_instance *in, int64_t until, char kept[4096],
		struct slu_err *err)
{
	const struct keeping k = {in, until};
	char path[PATH_MAX], out[SLU_ASIDE_OUT];

	if (aside(keep_aside, &k, SECONDS, out, err))
		return -1;
	place(in, "kept/", path);
	kept[0] = '\0';
	if (*(const bool *)out)
		snprintf(kept, 4096, "%.4080s/data", path);
	return 0;
}

/* expire */

struct expiry {
	const char *root;
	int64_t now;
	const struct slu_uptime *up;
	int64_t least;
};

/* Is kept data to be removed, by both its date and its age? Each call updates
 * the age. */
static bool is_over(const struct expiry *x, int dir, const char *name)
{
	struct slu_buf text = {0};
	char mark[NAME_MAX + 16], path[PATH_MAX];
	bool is;

	snprintf(path, sizeof(path), "%.3800s/kept/%.255s", x->root, name);
	if (slu_kept_age(path, x->up) < x->least)
		return false;
	snprintf(mark, sizeof(mark), "%s/" UNTIL, name);
	is = !slu_file_read(dir, mark, 64, &text, NULL) && text.data &&
	     strtoll(text.data, NULL, 10) < x->now;
	slu_buf_free(&text);
	return is;
}

/* Has the process that was removing it given up? */
static bool is_abandoned(int dir, const char *name, int64_t now)
{
	struct stat st;

	return !strncmp(name, GONE, strlen(GONE)) &&
	       !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode) && st.st_uid == 0 &&
	       st.st_mtime < now - 2 * (int64_t)WIPE_SECONDS;
}

static void sweep(const char *path, int64_t now)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_abandoned(dirfd(d), e->d_name, now))
			slu_rmtree(dirfd(d), e->d_name, NULL);
	if (d)
		closedir(d);
}

/* Is the hourly expiry due? On the host that did the last one after an hour, so
 * that one kernel's clock measures the age of kept data; on other hosts after
 * two, when that host has missed its turn. */
static bool is_due(const struct expiry *x, const char *path)
{
	struct slu_buf who = {0};
	int64_t turn = (int64_t)WIPE_SECONDS;
	struct stat st;

	if (lstat(path, &st) || st.st_mtime > x->now)
		return true;
	if (slu_file_read(AT_FDCWD, path, 64, &who, NULL) || !who.data ||
	    strcmp(slu_trim(who.data), x->up->boot))
		turn *= 2;
	slu_buf_free(&who);
	return st.st_mtime + turn <= x->now;
}

/* Begins expiry, if it is due, by noting time and host in ROOT/.swept; *out:
 * begun. */
static int begin_expiry(struct slu_aside *a, void *arg, void *out,
			struct slu_err *err)
{
	const struct expiry *x = arg;
	const struct timespec now[2] = {{.tv_sec = x->now}, {.tv_sec = x->now}};
	const char *boot = x->up->boot;
	char path[PATH_MAX];
	int fd;

	(void)a;
	*(bool *)out = false;
	if (slu_trust_dir(x->root, err))
		return -1;
	snprintf(path, sizeof(path), "%.3900s/" SWEPT, x->root);
	if (access(x->root, F_OK) || !is_due(x, path))
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0 || slu_write_all(fd, boot, strlen(boot)) < 0 ||
	    futimens(fd, now)) {
		slu_errno(err, SLU_IO, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(fd);
	*(bool *)out = true;
	return 0;
}

/* Removes kept data that is over. Each tree is renamed first, so that after an
 * interruption the rest does not count as kept data any more. */
static int expire_aside(struct slu_aside *a, void *arg, void *out,
			struct slu_err *err)
{
	const struct expiry *x = arg;
	char kept[PATH_MAX], gone[NAME_MAX + 16];
	struct dirent *e;
	DIR *d;

	(void)a, (void)out, (void)err;
	snprintf(kept, sizeof(kept), "%.3900s/kept", x->root);
	d = opendir(kept);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !is_over(x, dirfd(d), e->d_name))
			continue;
		snprintf(gone, sizeof(gone), GONE "%s", e->d_name);
		if (!renameat(dirfd(d), e->d_name, dirfd(d), gone))
			slu_rmtree(dirfd(d), gone, NULL);
	}
	if (d)
		closedir(d);
	sweep(kept, x->now);
	sweep(x->root, x->now);
	return 0;
}

static int expire(const char *root, int64_t now, const struct slu_uptime *up,
		  int64_t least, struct slu_err *err)
{
	const struct expiry x = {root, now, up, least};
	char due[SLU_ASIDE_OUT];

	if (aside(begin_expiry, &x, SECONDS, due, err))
		return -1;
	return *(const bool *)due
		       ? aside(expire_aside, &x, WIPE_SECONDS, NULL, err)
		       : 0;
}

const struct slu_driver slu_driver_lustre = {
	.name = "lustre",
	.shared = true,
	.probe = probe,
	.attach = attach,
	.check = check,
	.counters = slu_instance_no_counters,
	.detach = detach,
	.stop = stop,
	.wipe = wipe,
	.keep = keep,
	.ran = ran,
	.expire = expire,
};
