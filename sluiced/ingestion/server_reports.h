/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_SERVER_REPORTS_H
#define SLU_SLUICED_SERVER_REPORTS_H

/*
 * Private to sluiced: access to the reports of Lustre's storage servers, for
 * the files that place data by them.
 */

#include "common/conf.h"
#include "select_io/ost/choose.h"

struct slu_daemon;

/* Why nothing can be placed: there is no report of any server. */
#define SLU_OSTS_SILENT                                                \
	"no Lustre server has reported: run sluice-tbfd --publish on " \
	"each"

struct slu_ost_choose_settings
slu_osts_settings_of(const struct slu_conf *conf);
/* The same out of what slu_osts_prepare() gave. */
struct slu_ost_choose_settings slu_osts_settings(struct json_object *live);
/* The arguments of the question "osts"; strings are those of args. */
int slu_osts_take_args(struct json_object *args,
		       struct slu_ost_choose_request *request,
		       struct slu_err *err);
/* sluice.conf has been read again. */
void slu_osts_reload(struct slu_daemon *d);
/* Is the processor of this host busy? Then nothing is predicted. */
bool slu_osts_busy(const struct slu_daemon *d);

/* Evaluate a /proc/stat, unless the last look was a moment ago. now:
 * seconds. */
struct slu_cpu_load;
void slu_busy_look(struct slu_cpu_load *busy, const char *stat, double now);

#endif
