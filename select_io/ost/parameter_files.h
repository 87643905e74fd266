/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_PARAMETER_FILES_H
#define SLU_SELECT_IO_OST_PARAMETER_FILES_H

/*
 * Reads Lustre's parameter files whole. A read(2) of most of them ends at a
 * record, after at most a page, so each is read to its end. A server of Lustre
 * 2.17 loses a reference, and panics later, when a read of job_stats has less
 * room than what is ready for it (see select_io/tbfd/lustre/lustre_access.h):
 * every read here has room for 64 KiB.
 *
 * One thread at a time: there is one buffer.
 */

#include <stddef.h>

#define SLU_OST_TEXT (1u << 20)

/* What a file has, up to a mebibyte; it lasts until the next call. NULL: it is
 * not there, or cannot be read. */
const char *slu_ost_text(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#endif
