/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drops root's privileges: changes the process from root to SlurmUser. */
#include "sluiced/user.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"

/* Creates a directory for SlurmUser; an existing one is not changed. */
static int own_dir(const char *dir, const struct passwd *pw,
		   struct slu_err *err)
{
	if (access(dir, F_OK) == 0)
		return 0;
	if (slu_mkdirs(dir, 0755, err) < 0)
		return -1;
	if (lchown(dir, pw->pw_uid, pw->pw_gid) < 0)
		return slu_errno(err, SLU_IO, "chown %s", dir);
	return 0;
}

/* Checks, as SlurmUser, that files can be created in the directory. */
static int check_dir(const char *key, const char *dir, const struct slu_conf *c,
		     struct slu_err *err)
{
	struct passwd *owner;
	struct stat st;

	if (access(dir, W_OK | X_OK) == 0)
		return 0;
	if (stat(dir, &st) < 0)
		return slu_errno(err, SLU_IO,
				 "%s: %s (started as root, sluiced makes it)",
				 key, dir);
	owner = getpwuid(st.st_uid);
	return slu_err(err, SLU_DENIED,
		       "%s: SlurmUser=%s cannot write to %s, which belongs to "
		       "%s: name a file in a directory that is %s's",
		       key, c->slurm_user, dir,
		       owner ? owner->pw_name : "another user", c->slurm_user);
}

struct dirs {
	char *database, *socket; /* of which these are the directories: */
	char *database_file, *socket_file;
};

static int dirs_of(const struct slu_conf *conf, struct dirs *dirs,
		   struct slu_err *err)
{
	dirs->database_file = strdup(conf->database);
	dirs->socket_file = strdup(conf->control_socket);
	if (!dirs->database_file || !dirs->socket_file)
		return slu_err(err, SLU_NOMEM, "out of memory");
	dirs->database = dirname(dirs->database_file);
	dirs->socket = dirname(dirs->socket_file);
	return 0;
}

static int drop(const struct dirs *dirs, const struct passwd *pw,
		const char *log_file, struct slu_err *err)
{
	if (log_file && lchown(log_file, pw->pw_uid, pw->pw_gid) < 0)
		return slu_errno(err, SLU_IO, "chown %s", log_file);
	if (own_dir(dirs->database, pw, err) < 0 ||
	    own_dir(dirs->socket, pw, err) < 0)
		return -1;
	if (initgroups(pw->pw_name, pw->pw_gid) < 0 || setgid(pw->pw_gid) < 0 ||
	    setuid(pw->pw_uid) < 0)
		return slu_errno(err, SLU_IO, "becoming %s", pw->pw_name);
	return 0;
}

int slu_user_become(const struct slu_conf *conf, const char *log_file,
		    struct slu_err *err)
{
	struct passwd *pw = getpwnam(conf->slurm_user);
	struct dirs dirs = {0};
	int rc = -1;

	if (!pw)
		return slu_err(err, SLU_INVALID,
			       "SlurmUser=%s: there is no such user",
			       conf->slurm_user);
	if (geteuid() != 0 && geteuid() != pw->pw_uid)
		return slu_err(err, SLU_DENIED,
			       "start it as root or as SlurmUser=%s",
			       conf->slurm_user);
	if (dirs_of(conf, &dirs, err) == 0 &&
	    (geteuid() || drop(&dirs, pw, log_file, err) == 0) &&
	    check_dir("Database", dirs.database, conf, err) == 0 &&
	    check_dir("ControlSocket", dirs.socket, conf, err) == 0)
		rc = 0;
	free(dirs.database_file);
	free(dirs.socket_file);
	return rc;
}
