/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CONF_VALUES_H
#define SLU_COMMON_CONF_VALUES_H

/*
 * Private to the parser of sluice.conf: one function per kind of value, for the
 * table of keys (conf_keys.c). Each sets its field, or writes into *err what
 * the value must be.
 */

#include "common/conf.h"

int slu_conf_read_addrs(const char *value, void *field, struct slu_err *err);
int slu_conf_read_bool(const char *value, void *field, struct slu_err *err);
int slu_conf_read_cache(const char *value, void *field, struct slu_err *err);
int slu_conf_read_count(const char *value, void *field, struct slu_err *err);
int slu_conf_read_data_on_mdt(const char *value, void *field,
			      struct slu_err *err);
int slu_conf_read_days(const char *value, void *field, struct slu_err *err);
int slu_conf_read_devices(const char *value, void *field, struct slu_err *err);
int slu_conf_read_hours(const char *value, void *field, struct slu_err *err);
int slu_conf_read_ion_policy(const char *value, void *field,
			     struct slu_err *err);
int slu_conf_read_ions(const char *value, void *field, struct slu_err *err);
int slu_conf_read_on_failure(const char *value, void *field,
			     struct slu_err *err);
int slu_conf_read_on_server_loss(const char *value, void *field,
				 struct slu_err *err);
int slu_conf_read_on_stage_out(const char *value, void *field,
			       struct slu_err *err);
int slu_conf_read_path(const char *value, void *field, struct slu_err *err);
int slu_conf_read_placement_cost(const char *value, void *field,
				 struct slu_err *err);
int slu_conf_read_predict_mode(const char *value, void *field,
			       struct slu_err *err);
int slu_conf_read_quantile(const char *value, void *field, struct slu_err *err);
int slu_conf_read_rows(const char *value, void *field, struct slu_err *err);
int slu_conf_read_sacct(const char *value, void *field, struct slu_err *err);
int slu_conf_read_seconds(const char *value, void *field, struct slu_err *err);
int slu_conf_read_storage(const char *value, void *field, struct slu_err *err);
int slu_conf_read_stray(const char *value, void *field, struct slu_err *err);
int slu_conf_read_text(const char *value, void *field, struct slu_err *err);
int slu_conf_read_timeout(const char *value, void *field, struct slu_err *err);
int slu_conf_read_weight(const char *value, void *field, struct slu_err *err);

#endif
