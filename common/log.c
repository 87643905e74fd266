/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes log lines. A line is formatted on the stack, stays one line, and is
 * passed to the sink in one call, so that lines of several threads do not mix.
 */
#include "config.h"
#include "common/log.h"

#include <stdarg.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include "common/str.h"

#define LINE_MAX_BYTES 2048

static const char *const level_name[] = {
	[SLU_ERROR] = "error",
	[SLU_WARN] = "warn",
	[SLU_INFO] = "info",
	[SLU_DEBUG] = "debug",
};

void slu_log(const struct slu_log *log, enum slu_level level, const char *fmt,
	     ...)
{
	char line[LINE_MAX_BYTES];
	va_list ap;
	int len;

	if (!log || !log->fn || level > log->max)
		return;
	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	log->fn(log->arg, level, slu_one_line(line));
}

void slu_log_to_file(void *file, enum slu_level level, const char *line)
{
	char out[LINE_MAX_BYTES + 64], stamp[24];
	struct timespec now;
	struct tm tm;
	int len;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	len = snprintf(out, sizeof(out), "%s.%03ld %s %s", stamp,
		       now.tv_nsec / 1000000, level_name[level], line);
	if (len < 0)
		return;
	if ((size_t)len > sizeof(out) - 2)
		len = sizeof(out) - 2;
	out[len++] = '\n';
	fwrite(out, 1, (size_t)len, file);
	fflush(file);
}

void slu_log_to_syslog(void *arg, enum slu_level level, const char *line)
{
	static const int priority[] = {
		[SLU_ERROR] = LOG_ERR,
		[SLU_WARN] = LOG_WARNING,
		[SLU_INFO] = LOG_INFO,
		[SLU_DEBUG] = LOG_DEBUG,
	};

	(void)arg;
	syslog(priority[level], "%s", line);
}
