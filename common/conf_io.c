/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the values of sluice.conf's keys for IOStart (jobs wait for the
 * bandwidth of the parallel file system) and PrestageTo (inputs are copied to
 * nodes before the job starts).
 */
#include "config.h"
#include "common/conf.h"
#include "common/conf_fs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/size.h"
#include "common/str.h"

#define OPS_MOST 1000000000000ULL

int slu_conf_read_io_start(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {[SLU_IOSTART_OFF] = "off",
					    [SLU_IOSTART_ADVISE] = "advise",
					    [SLU_IOSTART_ON] = "on",
					    NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(enum slu_io_start *)field = (enum slu_io_start)i;
	return 0;
}

int slu_conf_read_prestage(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {"off", "predicted", NULL};
	int i = slu_conf_read_word(value, words, err);

	if (i < 0)
		return -1;
	*(bool *)field = i == 1;
	return 0;
}

int slu_conf_read_io_scope(const char *value, void *field, struct slu_err *err)
{
	static const char *const words[] = {"read", "write", NULL};
	char *copy = strdup(value), *save = NULL;
	unsigned scope = 0;
	int i = 0;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "no memory");
	for (char *word = strtok_r(copy, ",", &save); word && i >= 0;
	     word = strtok_r(NULL, ",", &save)) {
		i = slu_conf_read_word(slu_trim(word), words, err);
		if (i >= 0)
			scope |= i ? SLU_IO_WRITTEN : SLU_IO_READ;
	}
	free(copy);
	if (i < 0)
		return -1;
	if (!scope)
		return slu_err(err, SLU_INVALID, "\"%s\" names nothing", value);
	*(unsigned *)field = scope;
	return 0;
}

int slu_conf_read_rate(const char *value, void *field, struct slu_err *err)
{
	return slu_rate_parse(value, field, err);
}

static int read_metadata(const char *value, uint64_t *out, struct slu_err *err)
{
	char *end = NULL;
	unsigned long long n = strtoull(value, &end, 10);

	if (strcasecmp(value, "auto") == 0) {
		*out = SLU_IO_AUTO;
		return 0;
	}
	if (*value < '0' || *value > '9' || n == 0 || n > OPS_MOST ||
	    (*end && strcmp(end, "/s") != 0))
		return slu_err(err, SLU_INVALID,
			       "\"%s\": operations a second, such as 200000/s, "
			       "or auto",
			       value);
	*out = n;
	return 0;
}

static int read_bandwidth(const char *value, uint64_t *out, struct slu_err *err)
{
	if (strcasecmp(value, "auto") == 0) {
		*out = SLU_IO_AUTO;
		return 0;
	}
	return slu_conf_read_rate(value, out, err) < 0
		       ? slu_err_prefix(err, "auto, or a rate")
		       : 0;
}

static bool is_used(const struct slu_io_limits *io)
{
	return io->bandwidth || io->metadata;
}

/* The limits of a file system, else free ones with its name; NULL: there are
 * too many. */
static struct slu_io_limits *limits_of(struct slu_io_limits io[SLU_IO_FS],
				       const char *fs)
{
	for (int i = 0; i < SLU_IO_FS; i++) {
		if (is_used(&io[i]) && strcmp(io[i].fs, fs) != 0)
			continue;
		slu_copy(io[i].fs, sizeof(io[i].fs), fs);
		return &io[i];
	}
	return NULL;
}

/* "VALUE", or "NAME:VALUE" as one of several. */
static int read_limit(char *word, bool metadata, bool several,
		      struct slu_io_limits io[SLU_IO_FS], struct slu_err *err)
{
	char *colon = strchr(word, ':'), *value = colon ? colon + 1 : word;
	struct slu_io_limits *of;
	uint64_t *out, rate;

	if (colon)
		*colon = '\0';
	if (colon ? !slu_fs_name_is_valid(slu_trim(word)) : several)
		return slu_err(err, SLU_INVALID,
			       "\"%s\": name Lustre's file systems as in "
			       "scratch:%s (fsname, no path)",
			       word, metadata ? "200000/s" : "200GB/s");
	if ((metadata ? read_metadata : read_bandwidth)(slu_trim(value), &rate,
							err) < 0)
		return -1;
	of = limits_of(io, colon ? slu_trim(word) : "");
	if (!of)
		return slu_err(err, SLU_INVALID,
			       "at most %d file systems can be named",
			       SLU_IO_FS);
	out = metadata ? &of->metadata : &of->bandwidth;
	if (*out)
		return slu_err(err, SLU_INVALID, "%s is named twice", of->fs);
	*out = rate;
	return 0;
}

static int read_limits(const char *value, bool metadata,
		       struct slu_io_limits io[SLU_IO_FS], struct slu_err *err)
{
	char *copy = strdup(value), *save = NULL;
	bool several = strchr(value, ',');
	int rc = 0;
	size_t n = 0;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "no memory");
	for (char *word = strtok_r(copy, ",", &save); word && rc == 0;
	     word = strtok_r(NULL, ",", &save), n++)
		rc = read_limit(slu_trim(word), metadata, several, io, err);
	free(copy);
	return n ? rc
		 : slu_err(err, SLU_INVALID, "\"%s\" names nothing", value);
}

int slu_conf_read_io_metadata(const char *value, void *field,
			      struct slu_err *err)
{
	return read_limits(value, true, field, err);
}

int slu_conf_read_io_bandwidth(const char *value, void *field,
			       struct slu_err *err)
{
	return read_limits(value, false, field, err);
}

bool slu_conf_names_fs(const struct slu_conf *conf)
{
	bool names = false;

	for (int i = 0; i < SLU_IO_FS; i++)
		names |= *conf->io[i].fs && is_used(&conf->io[i]);
	return names;
}

bool slu_conf_counts_metadata(const struct slu_conf *conf)
{
	bool counts = false;

	for (int i = 0; i < SLU_IO_FS; i++)
		counts |= conf->io[i].metadata > 0;
	return counts;
}
