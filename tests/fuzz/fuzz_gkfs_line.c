/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the parser of the line with which a GekkoFS daemon registers: it is
 * refused, or fits into one line of a hosts file and has an address and a port.
 */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/drivers/gekkofs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_gkfs_line line = {.port = 70000};
	char *text = strndup((const char *)data, size), port[16];

	must(text);
	if (slu_gkfs_line_first(text, &line)) {
		must(line.port == 70000);
	} else {
		must(line.port > 0 && line.port < 65536 && line.address[0]);
		must(!strpbrk(line.text, "|\n") && strchr(line.text, ' '));
		snprintf(port, sizeof(port), "%u", line.port);
		must(strstr(line.text, line.address) &&
		     strstr(line.text, "://"));
	}
	free(text);
	return 0;
}
