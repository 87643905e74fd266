/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CONF_HOST_H
#define SLU_COMMON_CONF_HOST_H

/*
 * Finds the sluice.conf of a host, which need not have one: (1) a file of its
 * own (slu_conf_path()), (2) the copy that was fetched before, kept in
 * SLU_CONF_KEPT for all users of the host, (3) what the sluiced at
 * $SLUICE_SERVER ("HOST[:PORT],...") sends now. Only text that was
 * authenticated and parsed is kept, by a rename, and only by root. The hosts of
 * slurmctld and sluiced need the file itself. Link with $(libslunet).
 */

#include <stdbool.h>
#include "common/conf.h"
#include "common/err.h"
#include "common/http.h"

#define SLU_CONF_KEPT "/run/sluice/fetched.conf"
#define SLU_CONF_FROM 256

struct slu_conf_origin {
	char path[4096];	  /* of the file; "": it could not be kept */
	char from[SLU_CONF_FROM]; /* its sluiced; "": the host's own */
	char hash[65];		  /* SHA-256 of what it sent */
};

/* seconds: for reaching sluiced, if it has to be asked: no copy is kept, or the
 * copy came from elsewhere than $SLUICE_SERVER. In the latter case it is used
 * if no sluiced answers, and *err says why. origin may be NULL. Errors say
 * where we have looked. Caller frees with slu_conf_free(). */
struct slu_conf *slu_conf_of_host(double seconds,
				  struct slu_conf_origin *origin,
				  struct slu_err *err);
/* Asks whether sluiced still has the one of `origin`, which was fetched. 1: no,
 * *conf (which is freed) and *origin are the new ones; 0: yes; -1: it cannot be
 * fetched, or cannot be used here, and nothing has changed. */
int slu_conf_renew(struct slu_conf **conf, struct slu_conf_origin *origin,
		   double seconds, struct slu_err *err);
/* The host has no file, no copy is kept, and the environment names no
 * sluiced. */
bool slu_conf_of_nobody(void);

/* A client for sluiced of this host's sluice.conf. */
struct slu_http *slu_http_of_host(double seconds, struct slu_err *err);

/* The kept copy: sluiced's text and one more line, which names its origin.
 * Returns -1 if that line is missing or incomplete. */
int slu_conf_kept_parse(const char *text, char from[SLU_CONF_FROM],
			char hash[65]);

/* For tests: where the copy is kept. NULL: SLU_CONF_KEPT. */
void slu_conf_kept_at(const char *path);

#endif
