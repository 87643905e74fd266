/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever a daemon of GekkoFS writes as its line: it is refused, or fits into
 * one line of a hosts file and names an address and a port. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "burst_buffer/drivers/gekkofs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_gkfs_line line = {.port = 70000};
	int fd = memfd_create("line", MFD_CLOEXEC);
	char path[40], port[16];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (slu_gkfs_line_read(path, &line)) {
		must(line.port == 70000);
	} else {
		must(line.port > 0 && line.port < 65536 && line.address[0]);
		must(!strpbrk(line.text, "|\n") && strchr(line.text, ' '));
		snprintf(port, sizeof(port), "%u", line.port);
		must(strstr(line.text, line.address) &&
		     strstr(line.text, "://"));
	}
	close(fd);
	return 0;
}
