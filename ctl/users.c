/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up the user ids of names in sluice.conf. A name service may hang for
 * minutes on each of them, so a thread looks up one after the other and stores
 * each answer in the site. Nothing waits for it; it holds only the site's read
 * lock, so hooks are not delayed while it searches thousands of names. The
 * loop's thread starts it, and again a minute after a look-up has failed.
 */
#include "config.h"
#include "ctl/users.h"

#include "ctl/private.h"
#include "ctl/threads.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define PASSWD_MAX ((size_t)1 << 20) /* of one user */
#define AGAIN	   60.0		     /* s */
#define NEVER	   1e300

/* Looks up a user like getpwnam_r(3), with a buffer as large as needed: 0 and
 * *uid, or ENOENT. */
static int look_up(const char *name, uid_t *uid)
{
	struct passwd pw, *found = NULL;
	char *buf = NULL, *grown;
	int rc = ERANGE;

	for (size_t cap = 4096; rc == ERANGE && cap <= PASSWD_MAX; cap *= 4) {
		grown = realloc(buf, cap);
		if (!grown) {
			rc = ENOMEM;
			break;
		}
		buf = grown;
		rc = getpwnam_r(name, &pw, buf, cap, &found);
	}
	if (found)
		*uid = pw.pw_uid;
	free(buf);
	return rc == ESRCH || (!rc && !found) ? ENOENT : rc;
}

static bool failed(const struct slu_site_user *u)
{
	return u->why_not && u->why_not != ENOENT && u->why_not != SLU_UNASKED;
}

/* Under a read lock of the site. */
static struct slu_site_user *find_unasked(struct slu_site *site)
{
	for (size_t i = 0; i < site->users.n; i++)
		if (site->users.user[i].why_not == SLU_UNASKED)
			return &site->users.user[i];
	return NULL;
}

/* The next name to look up; NULL: none. */
static char *next_name(struct slu_ctl *ctl)
{
	struct slu_site_user *u;
	char *name = NULL;

	pthread_rwlock_rdlock(&ctl->site_lock);
	while (!name && (u = find_unasked(ctl->site))) {
		name = strdup(u->name);
		if (!name)
			u->why_not = ENOMEM;
	}
	pthread_rwlock_unlock(&ctl->site_lock);
	return name;
}

static void *ask(void *arg)
{
	struct slu_ctl *ctl = arg;
	uid_t uid = 0;
	char *name;
	int why;

	while (!ctl->stop && (name = next_name(ctl))) {
		why = look_up(name, &uid);
		pthread_rwlock_rdlock(&ctl->site_lock);
		slu_site_answer(ctl->site, name, why, uid);
		pthread_rwlock_unlock(&ctl->site_lock);
		free(name);
	}
	ctl->asking = false;
	slu_event_queue_wake(&ctl->queue);
	slu_ctl_unref(ctl);
	return NULL;
}

/* Marks failed look-ups to be repeated. Called while no other thread writes or
 * replaces the site. */
static void ask_again(struct slu_ctl *ctl)
{
	struct slu_site_users *users = &ctl->site->users;

	for (size_t i = 0; i < users->n; i++)
		if (failed(&users->user[i]))
			users->user[i].why_not = SLU_UNASKED;
}

/* Logs unknown users, who match no job, and, once, that look-ups fail. Called
 * while no other thread writes. */
static bool tell(struct slu_ctl *ctl)
{
	struct slu_site_users *users = &ctl->site->users;
	struct slu_buf unknown = {0};
	const struct slu_site_user *sick = NULL;
	char text[128];

	for (size_t i = 0; i < users->n; i++) {
		struct slu_site_user *u = &users->user[i];

		if (failed(u) && !sick)
			sick = u;
		if (u->why_not != ENOENT || u->logged)
			continue;
		u->logged = true;
		slu_buf_printf(&unknown, "%s%s", unknown.len ? ", " : "",
			       u->name);
	}
	if (unknown.len)
		ctl_log(ctl, SLU_WARN, "sluice.conf: unknown users: %s",
			unknown.data);
	slu_buf_free(&unknown);
	if (sick && !users->sick_logged)
		ctl_log(ctl, SLU_ERROR,
			"sluice.conf: users cannot be looked up, which is "
			"tried again every minute: %s: %s",
			sick->name,
			strerror_r(sick->why_not, text, sizeof(text)));
	users->sick_logged |= sick != NULL;
	return sick;
}

double slu_users_tick(struct slu_ctl *ctl, double now)
{
	if (ctl->asking)
		return NEVER;
	if (ctl->asked)
		ctl->users_at = tell(ctl) ? now + AGAIN : 0;
	ctl->asked = false;
	if (ctl->users_at && ctl->users_at <= now)
		ask_again(ctl);
	if (!find_unasked(ctl->site)) /* no other thread writes now */
		return ctl->users_at ? ctl->users_at : NEVER;
	ctl->asking = ctl->asked = true;
	if (slu_ctl_detach(ctl, ask))
		return NEVER;
	ctl->asking = ctl->asked = false;
	ctl->users_at = now + AGAIN;
	return ctl->users_at;
}
