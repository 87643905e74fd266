/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a sluice.conf that was fetched says whose it is, or is not
 * taken; what is found is in the text. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "common/conf_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char from[SLU_CONF_FROM] = "", hash[65] = "";

	must(text != NULL);
	if (slu_conf_kept_parse(text, from, hash) == 0) {
		must(*from && strlen(hash) == 64 &&
		     strspn(hash, "0123456789abcdef") == 64);
		must(strstr(text, from) && strstr(text, hash));
	} else {
		must(!*from && !*hash);
	}
	free(text);
	return 0;
}
