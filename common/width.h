/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_WIDTH_H
#define SLU_COMMON_WIDTH_H

/*
 * How many columns of a terminal a text takes: wide characters take two, and
 * those that combine with the one before them none. Texts are UTF-8 without
 * control characters, as slu_printable() leaves them. A character that the C
 * library does not know counts as wide, so that a line is never longer than
 * computed. Safe in all threads; the caller's locale is unchanged.
 */

#include <stddef.h>

size_t slu_width(const char *text);

/* Bytes of the longest beginning of the text that takes at most so many
 * columns; no character is divided. */
size_t slu_width_prefix(const char *text, size_t columns);

/* The bytes of slu_width_prefix() before the last blank, if there is one: the
 * first line of a text that is broken. All of it, if not one character fits. */
size_t slu_width_line(const char *text, size_t columns);

/* Cut in place to so many columns: an ellipsis stands for what is lost, and
 * takes one of them. The text has room for its SLU_ELLIPSIS. */
#define SLU_ELLIPSIS "\xe2\x80\xa6"
void slu_width_cut(char *text, size_t columns);

#endif
