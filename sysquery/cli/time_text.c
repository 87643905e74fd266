/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses and formats times (time_text.h). */
#include "config.h"
#include "sysquery/cli/time_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "common/size.h"
#include "common/str.h"

static int parse_date(const char *text, int64_t *out)
{
	static const char *const forms[] = {
		"%Y-%m-%d",	     "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", NULL};
	const char *end;
	struct tm tm;
	time_t when;

	for (const char *const *form = forms; *form; form++) {
		tm = (struct tm){.tm_isdst = -1};
		end = strptime(text, *form, &tm);
		if (!end || *end)
			continue;
		when = mktime(&tm);
		*out = when;
		return when == -1 ? -1 : 0;
	}
	return -1;
}

static int parse_number(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno || *end || *text < '0' || *text > '9' ? -1 : 0;
}

int slu_when_parse(const char *text, int64_t now, int64_t *out,
		   struct slu_err *err)
{
	int64_t value, age;
	int ret = text[0] == '@' ? parse_number(text + 1, &value)
				 : parse_date(text, &value);

	if (ret && text[0] != '@' && slu_seconds_parse(text, &age, NULL) == 0) {
		value = now - age;
		ret = 0;
	}
	if (ret || value < 0)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is no time: want 2026-11-20T12:30, "
			       "@SECONDS or an age such as 3d",
			       text);
	*out = value;
	return 0;
}

const char *slu_when_text(double seconds, char out[SLU_WHEN_TEXT])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (seconds <= 0 || !localtime_r(&t, &tm) ||
	    !strftime(out, SLU_WHEN_TEXT, "%Y-%m-%dT%H:%M:%S", &tm))
		slu_copy(out, SLU_WHEN_TEXT, "?");
	return out;
}

int slu_limit_parse(const char *text, int64_t *minutes, struct slu_err *err)
{
	bool none =
		!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE");
	int64_t n = 0;

	if (!none && parse_number(text, &n)) {
		if (slu_seconds_parse(text, &n, NULL))
			return slu_err(err, SLU_INVALID,
				       "\"%s\" is neither minutes, HH:MM:SS "
				       "nor UNLIMITED",
				       text);
		n = (n + 59) / 60;
	}
	*minutes = n;
	return 0;
}
