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

/* A rate in bits is refused: "Gb" could be taken for bytes. */
int slu_conf_read_rate(const char *value, void *field, struct slu_err *err)
{
	size_t len = strlen(value);
	char *size;
	int rc;

	if (len > 2 && strcasecmp(value + len - 2, "/s") == 0)
		len -= 2;
	if (len && value[len - 1] == 'b')
		return slu_err(err, SLU_INVALID,
			       "\"%s\": bytes are B, as in 200GB/s", value);
	size = strndup(value, len);
	if (!size)
		return slu_err(err, SLU_NOMEM, "no memory");
	rc = slu_size_parse(size, field, err);
	free(size);
	return rc < 0 ? slu_err_prefix(err, "such as 200GB/s") : 0;
}

int slu_conf_read_io_metadata(const char *value, void *field,
			      struct slu_err *err)
{
	char *end = NULL;
	unsigned long long n = strtoull(value, &end, 10);

	if (*value < '0' || *value > '9' || n == 0 || n > OPS_MOST ||
	    (*end && strcmp(end, "/s") != 0))
		return slu_err(err, SLU_INVALID,
			       "\"%s\": operations a second, such as 200000/s",
			       value);
	*(uint64_t *)field = n;
	return 0;
}

int slu_conf_read_io_bandwidth(const char *value, void *field,
			       struct slu_err *err)
{
	if (strcasecmp(value, "auto") == 0) {
		*(uint64_t *)field = SLU_IO_AUTO;
		return 0;
	}
	return slu_conf_read_rate(value, field, err) < 0
		       ? slu_err_prefix(err, "auto, or a rate")
		       : 0;
}
