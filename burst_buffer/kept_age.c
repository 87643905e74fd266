/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burst_buffer/kept_age.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "common/file.h"
#include "common/str.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

int slu_uptime_now(struct slu_uptime *out, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct timespec t;

	if (slu_file_read(AT_FDCWD, BOOT_ID, 64, &text, err) ||
	    clock_gettime(CLOCK_BOOTTIME, &t))
		return -1;
	slu_copy(out->boot, sizeof(out->boot), slu_trim(text.data));
	out->seconds = t.tv_sec;
	slu_buf_free(&text);
	return 0;
}

/* "BOOT SECONDS AGE"; one that cannot be read has not aged. */
static int64_t add_up(const char *text, const struct slu_uptime *now)
{
	char boot[40];
	int64_t at, age;

	if (!text ||
	    sscanf(text, "%39s %" SCNd64 " %" SCNd64, boot, &at, &age) != 3 ||
	    at < 0 || age < 0)
		return 0;
	return strcmp(boot, now->boot) || now->seconds < at
		       ? age
		       : age + now->seconds - at;
}

int64_t slu_kept_age(const char *dir, const struct slu_uptime *now)
{
	struct slu_buf was = {0};
	char path[PATH_MAX], text[100];
	int64_t age;
	int len;

	snprintf(path, sizeof(path), "%s/age", dir);
	slu_file_read(AT_FDCWD, path, sizeof(text), &was, NULL);
	age = add_up(was.data, now);
	slu_buf_free(&was);
	len = snprintf(text, sizeof(text), "%s %" PRId64 " %" PRId64 "\n",
		       now->boot, now->seconds, age);
	/* on a full disk the look before this one stays noted */
	slu_file_swap(AT_FDCWD, path, text, (size_t)len, 0644, NULL);
	return age;
}
