/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of the kept copy of a fetched sluice.conf: its origin and
 * hash are found in the text, or both are left empty. */
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
