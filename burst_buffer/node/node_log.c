/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes lines to the program's log and to the job's, which its user may read.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define JOB_LOG_MAX (256 << 10) /* bytes */

/* Users can cause any number of lines, so the log is limited. Errors have as
 * much space again, so that the reasons of a late failure find room. */
static void job_log(FILE *log, enum slu_level level, const char *line)
{
	struct stat st;
	off_t max = level < SLU_INFO ? 2 * JOB_LOG_MAX : JOB_LOG_MAX;

	if (fstat(fileno(log), &st) || st.st_size >= max)
		return;
	slu_log_to_file(log, level, line);
	if (st.st_size < JOB_LOG_MAX &&
	    st.st_size + (off_t)strlen(line) >= JOB_LOG_MAX)
		slu_log_to_file(log, SLU_WARN,
				"this log is long: more than warnings and "
				"errors is only in the node's log");
}

void slu_node_log(struct slu_node *n, enum slu_level level, const char *fmt,
		  ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n->job_id)
		slu_log(&n->log, level, "JobId=%u %s: %s", (unsigned)n->job_id,
			n->name, text);
	else
		slu_log(&n->log, level, "%s: %s", n->name, text);
	if (n->job_log && level <= SLU_INFO) {
		char line[1400];

		snprintf(line, sizeof(line), "%s: %s", n->name, text);
		job_log(n->job_log, level, line);
	}
}
