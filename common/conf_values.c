/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks and converts values of sluice.conf, with one function per kind of
 * value (path, time, size, word of a list, ...). Defaults are text too and go
 * through the same functions.
 */
#include "config.h"
#include "common/conf_values.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/conf_fs.h"
#include "common/size.h"
#include "common/str.h"

#define ROWS_MAX 1000000000

static int no_memory(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "no memory");
}

int slu_conf_read_text(const char *value, void *field, struct slu_err *err)
{
	char *copy = strdup(value);

	if (!copy)
		return no_memory(err);
	*(char **)field = copy;
	return 0;
}

int slu_conf_read_path(const char *value, void *field, struct slu_err *err)
{
	if (value[0] != '/')
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not an absolute path", value);
	return slu_conf_read_text(value, field, err);
}

int slu_conf_read_sacct(const char *value, void *field, struct slu_err *err)
{
	if (strcasecmp(value, "off") == 0)
		return 0;
	if (strcasecmp(value, "sacct") == 0)
		return slu_conf_read_text("sacct", field, err);
	if (value[0] != '/')
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not off, sacct or the path of one",
			       value);
	return slu_conf_read_text(value, field, err);
}

int slu_conf_read_storage(const char *value, void *field, struct slu_err *err)
{
	if (slu_choice_check(value, err))
		return -1;
	return slu_conf_read_text(strcasecmp(value, "auto") ? value : "auto",
				  field, err);
}

int slu_conf_read_devices(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {[SLU_DEVICES_BEST] = "best",
					    [SLU_DEVICES_EACH] = "each",
					    [SLU_DEVICES_ALL] = "all",
					    NULL};
	const int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_node_devices *)field = (enum slu_node_devices)i;
	return 0;
}

/* For a pool: a tier, and no other choice. */
int slu_conf_read_tier(const char *value, void *field, struct slu_err *err)
{
	const int tier =
		slu_conf_read_word(value, slu_tier_names + SLU_TIER_PMEM, err);

	if (tier < 0)
		return -1;
	*(enum slu_tier *)field = (enum slu_tier)(SLU_TIER_PMEM + tier);
	return 0;
}

int slu_conf_read_word(const char *value, const char *const *words,
		       struct slu_err *err)
{
	struct slu_buf known = {0};

	for (int i = 0; words[i]; i++) {
		if (strcasecmp(value, words[i]) == 0) {
			slu_buf_free(&known);
			return i;
		}
		slu_buf_printf(&known, "%s%s", i ? ", " : "", words[i]);
	}
	slu_err(err, SLU_INVALID, "\"%s\" is none of %s", value,
		known.data ? known.data : "the known words");
	slu_buf_free(&known);
	return -1;
}

int slu_conf_read_bool(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {"no", "yes", "false", "true", NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(bool *)field = i & 1;
	return 0;
}

/* A job that has not run may be cancelled. */
int slu_conf_read_on_failure(const char *value, void *field,
			     struct slu_err *err)
{
	static const char *const words[] = {[SLU_REQUEUE] = "requeue",
					    [SLU_HOLD] = "hold",
					    [SLU_FAIL] = "fail",
					    [SLU_CANCEL] = "cancel",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_on_failure *)field = (enum slu_on_failure)i;
	return 0;
}

/* A job that has run may be left as it is. */
int slu_conf_read_on_stage_out(const char *value, void *field,
			       struct slu_err *err)
{
	static const char *const words[] = {"requeue", "hold", "fail",
					    "complete", NULL};
	static const enum slu_on_failure means[] = {SLU_REQUEUE, SLU_HOLD,
						    SLU_FAIL, SLU_COMPLETE};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_on_failure *)field = means[i];
	return 0;
}

/* A job that runs may go on without the server. */
int slu_conf_read_on_server_loss(const char *value, void *field,
				 struct slu_err *err)
{
	static const char *const words[] = {"requeue", "hold", "fail", "leave",
					    NULL};
	static const enum slu_on_failure means[] = {SLU_REQUEUE, SLU_HOLD,
						    SLU_FAIL, SLU_COMPLETE};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_on_failure *)field = means[i];
	return 0;
}

int slu_conf_read_predict_mode(const char *value, void *field,
			       struct slu_err *err)
{
	static const char *const words[] = {[SLU_PREDICT_OFF] = "off",
					    [SLU_PREDICT_ADVISE] = "advise",
					    [SLU_PREDICT_FILL] = "fill",
					    [SLU_PREDICT_TIGHTEN] = "tighten",
					    [SLU_PREDICT_EARLY] = "early",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_predict_mode *)field = (enum slu_predict_mode)i;
	return 0;
}

int slu_conf_read_stray(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {"refuse", "warn", NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(bool *)field = i == 1;
	return 0;
}

int slu_conf_read_placement_cost(const char *value, void *field,
				 struct slu_err *err)
{
	static const char *const words[] = {[SLU_PLACEMENT_CONVEX] = "convex",
					    [SLU_PLACEMENT_LINEAR] = "linear",
					    [SLU_PLACEMENT_RAW] = "linear-raw",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_placement_cost *)field = (enum slu_placement_cost)i;
	return 0;
}

const char *const slu_ion_policy_names[] = {
	[SLU_ION_ZERO] = "ZERO",       [SLU_ION_ONE] = "ONE",
	[SLU_ION_STATIC] = "STATIC",   [SLU_ION_SIZE] = "SIZE",
	[SLU_ION_PROCESS] = "PROCESS", [SLU_ION_ORACLE] = "ORACLE",
	[SLU_ION_MCKP] = "MCKP",       NULL};

int slu_conf_read_ion_policy(const char *value, void *field,
			     struct slu_err *err)
{
	int i = slu_conf_read_word(value, slu_ion_policy_names, err);

	if (i < 0)
		return -1;
	*(enum slu_ion_policy *)field = (enum slu_ion_policy)i;
	return 0;
}

int slu_conf_read_seconds(const char *value, void *field, struct slu_err *err)
{
	return slu_seconds_parse(value, field, err);
}

/* A time limit: not zero. */
int slu_conf_read_timeout(const char *value, void *field, struct slu_err *err)
{
	int64_t seconds;

	if (slu_seconds_parse(value, &seconds, err) < 0)
		return -1;
	if (seconds == 0)
		return slu_err(err, SLU_INVALID, "must not be zero");
	*(int64_t *)field = seconds;
	return 0;
}

/* A bare number is hours. */
int slu_conf_read_hours(const char *value, void *field, struct slu_err *err)
{
	int64_t n;

	if (slu_seconds_parse(value, &n, err) < 0)
		return -1;
	*(int64_t *)field = value[strspn(value, "0123456789")] ? n : n * 3600;
	return 0;
}

int slu_conf_read_size(const char *value, void *field, struct slu_err *err)
{
	return slu_size_parse(value, field, err);
}

/* Lustre's limits: a multiple of 64 KiB, at most 1 GiB. */
int slu_conf_read_data_on_mdt(const char *value, void *field,
			      struct slu_err *err)
{
	uint64_t bytes = 0;

	if (strcasecmp(value, "off") != 0 &&
	    (slu_size_parse(value, &bytes, NULL) || bytes == 0 ||
	     bytes % 65536 != 0 || bytes > (uint64_t)1 << 30))
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not off, or a multiple of 64KiB up "
			       "to 1GiB",
			       value);
	*(uint64_t *)field = bytes;
	return 0;
}

/* "off", "25%" of the disk, or a size. */
int slu_conf_read_cache(const char *value, void *field, struct slu_err *err)
{
	struct slu_cache_budget *budget = field;
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	*budget = (struct slu_cache_budget){0};
	if (!strcasecmp(value, "off"))
		return 0;
	if (isdigit((unsigned char)value[0]) && !strcmp(end, "%")) {
		budget->percent = (unsigned)n;
		if (n >= 1 && n <= 90)
			return 0;
	} else if (!slu_size_parse(value, &budget->bytes, NULL) &&
		   budget->bytes) {
		return 0;
	}
	return slu_err(err, SLU_INVALID,
		       "\"%s\" is not off, a size such as 200GB, or a share "
		       "of the disk from 1%% to 90%%",
		       value);
}

int slu_conf_read_count(const char *value, void *field, struct slu_err *err)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!isdigit((unsigned char)value[0]) || *end || n < 1 ||
	    n > SLU_HOSTS_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 1 to %d", value,
			       SLU_HOSTS_MAX);
	*(uint32_t *)field = (uint32_t)n;
	return 0;
}

/* Also what limits a group; division.h has the same. */
#define IONS_MOST 1000

int slu_conf_read_ions(const char *value, void *field, struct slu_err *err)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!isdigit((unsigned char)value[0]) || *end || n > IONS_MOST)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 0 to %d", value,
			       IONS_MOST);
	*(uint32_t *)field = (uint32_t)n;
	return 0;
}

int slu_conf_read_rows(const char *value, void *field, struct slu_err *err)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end || errno || n < 1 ||
	    n > ROWS_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 1 to %d", value,
			       ROWS_MAX);
	*(int64_t *)field = (int64_t)n;
	return 0;
}

int slu_conf_read_days(const char *value, void *field, struct slu_err *err)
{
	if (!strcasecmp(value, "forever")) {
		*(int64_t *)field = INT64_MAX;
		return 0;
	}
	if (slu_conf_read_rows(value, field, NULL) < 0)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is neither a number of days nor forever",
			       value);
	*(int64_t *)field *= 86400;
	return 0;
}

int slu_conf_read_quantile(const char *value, void *field, struct slu_err *err)
{
	char *end;
	double q = strtod(value, &end);

	if (end == value || *end || !(q > 0.5 && q < 1))
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number above 0.5 and below 1",
			       value);
	*(double *)field = q;
	return 0;
}

int slu_conf_read_weight(const char *value, void *field, struct slu_err *err)
{
	char *end;
	double w = strtod(value, &end);

	if (end == value || *end || !(w >= 0 && w <= 1))
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is not a number from 0 to 1", value);
	*(double *)field = w;
	return 0;
}

int slu_conf_read_hosts(const char *value, void *field, struct slu_err *err)
{
	return slu_hosts_parse(value, field, err);
}

/* A list "a,b" as an owned NULL-ended array, each piece made by `make`, which
 * returns a fresh string or fills in *err. */
static int read_list(const char *value, char ***field,
		     char *(*make)(const char *piece, struct slu_err *err),
		     struct slu_err *err)
{
	size_t n = 0;
	char *copy = strdup(value), *save = NULL;
	char **list = calloc(strlen(value) + 1, sizeof(*list));

	if (!copy || !list) {
		no_memory(err);
		goto fail;
	}
	for (char *p = strtok_r(copy, ",", &save); p;
	     p = strtok_r(NULL, ",", &save))
		if (!(list[n++] = make(slu_trim(p), err)))
			goto fail;
	if (n == 0) {
		slu_err(err, SLU_INVALID, "\"%s\" names nothing", value);
		goto fail;
	}
	free(copy);
	*field = list;
	return 0;
fail:
	free(copy);
	slu_strv_free(list);
	return -1;
}

static char *make_user(const char *piece, struct slu_err *err)
{
	char *name = NULL;

	if (!*piece || strpbrk(piece, " \t:/"))
		slu_err(err, SLU_INVALID, "\"%s\" is no user name", piece);
	else if (!(name = strdup(piece)))
		no_memory(err);
	return name;
}

int slu_conf_read_users(const char *value, void *field, struct slu_err *err)
{
	return read_list(value, field, make_user, err);
}

char *slu_conf_addr(const char *piece, struct slu_err *err)
{
	static const char shape[] = "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)"
				    "(:([0-9]{1,5}))?$";
	char *addr = NULL;
	regmatch_t m[4];
	regex_t re;
	int port = SLU_DAEMON_PORT;
	bool good;

	if (regcomp(&re, shape, REG_EXTENDED) != 0) {
		no_memory(err);
		return NULL;
	}
	good = regexec(&re, piece, 4, m, 0) == 0;
	regfree(&re);
	if (good && m[3].rm_so >= 0)
		port = atoi(piece + m[3].rm_so);
	if (!good || port < 1 || port > 65535)
		slu_err(err, SLU_INVALID, "\"%s\" is not host:port", piece);
	else if (!(addr = slu_asprintf("%.*s:%d", (int)m[1].rm_eo, piece,
				       port)))
		no_memory(err);
	return addr;
}

int slu_conf_read_addrs(const char *value, void *field, struct slu_err *err)
{
	return read_list(value, field, slu_conf_addr, err);
}
