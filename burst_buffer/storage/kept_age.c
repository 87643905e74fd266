/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the age in the file `age` of a kept directory, adds the time since it
 * was written if the node has not been restarted, and writes the sum back. */
#include "config.h"
#include "burst_buffer/storage/kept_age.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "common/file.h"
#include "common/str.h"

int64_t slu_kept_age(const char *dir, const struct slu_uptime *now)
{
	char path[PATH_MAX], text[SLU_AGE_TEXT], line[SLU_AGE_TEXT + 1];
	struct slu_buf was = {0};
	int64_t age;
	int len;

	snprintf(path, sizeof(path), "%s/age", dir);
	slu_file_read(AT_FDCWD, path, sizeof(line), &was, NULL);
	age = slu_age_of(was.data, now);
	slu_buf_free(&was);
	len = snprintf(line, sizeof(line), "%s\n",
		       slu_age_text(now, age, text));
	/* on a full disk the earlier note stays */
	slu_file_swap(AT_FDCWD, path, line, (size_t)len, 0644, NULL);
	return age;
}
