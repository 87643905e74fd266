/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From root to SlurmUser. */
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

/* The directory of `file`. One that is there stays as it is. */
static int own_dir(const char *file, const struct passwd *pw,
		   struct slu_err *err)
{
	char *copy = strdup(file), *dir;
	int rc = -1;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	dir = dirname(copy);
	if (access(dir, F_OK) == 0)
		rc = 0;
	else if (slu_mkdirs(dir, 0755, err) < 0)
		;
	else if (lchown(dir, pw->pw_uid, pw->pw_gid) < 0)
		slu_errno(err, SLU_IO, "chown %s", dir);
	else
		rc = 0;
	free(copy);
	return rc;
}

int slu_user_become(const struct slu_conf *conf, const char *log_file,
		    struct slu_err *err)
{
	struct passwd *pw = getpwnam(conf->slurm_user);

	if (!pw)
		return slu_err(err, SLU_INVALID,
			       "SlurmUser=%s: there is no such user",
			       conf->slurm_user);
	if (geteuid() != 0 && geteuid() != pw->pw_uid)
		return slu_err(err, SLU_DENIED,
			       "start it as root or as SlurmUser=%s",
			       conf->slurm_user);
	if (geteuid() != 0)
		return 0;
	if (log_file && lchown(log_file, pw->pw_uid, pw->pw_gid) < 0)
		return slu_errno(err, SLU_IO, "chown %s", log_file);
	if (own_dir(conf->database, pw, err) < 0 ||
	    own_dir(conf->control_socket, pw, err) < 0)
		return -1;
	if (initgroups(pw->pw_name, pw->pw_gid) < 0 || setgid(pw->pw_gid) < 0 ||
	    setuid(pw->pw_uid) < 0)
		return slu_errno(err, SLU_IO, "becoming %s", pw->pw_name);
	return 0;
}
