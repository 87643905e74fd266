/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_RECEIVE_PRIVATE_H
#define SLU_SYSMAP_RECEIVE_PRIVATE_H

/* What receive.c and receive_body.c share. */

#include <stdbool.h>

#define SLU_RECEIVE_NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789_"
#define SLU_RECEIVE_HOST_CHARS \
	SLU_RECEIVE_NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZ-."

/* 1 to 255 of these characters? */
bool slu_receive_is_name(const char *name, const char *characters);

#endif
