/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures ages by CLOCK_BOOTTIME and the boot id, stored as "BOOT_ID SECONDS
 * AGE".
 */
#include "config.h"
#include "common/uptime.h"

#include <fcntl.h>
#include <inttypes.h>
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

char *slu_age_text(const struct slu_uptime *now, int64_t age,
		   char out[SLU_AGE_TEXT])
{
	snprintf(out, SLU_AGE_TEXT, "%s %" PRId64 " %" PRId64, now->boot,
		 now->seconds, age);
	return out;
}

int64_t slu_age_of(const char *text, const struct slu_uptime *now)
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
