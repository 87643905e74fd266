/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_STR_H
#define SLU_COMMON_STR_H

/*
 * Strings: a growing buffer with a maximum length, and the few helpers we need.
 */

#include <stdbool.h>
#include <stddef.h>

/*
 * A growing buffer. Start from {0} (or {.max = N}); data is always
 * NUL-terminated once something was added. Adding beyond max, or without
 * memory, sets `failed` and drops the addition and all later ones, so a
 * sequence of additions is checked once at its end.
 */
struct slu_buf {
	char *data; /* NULL while empty */
	size_t len;
	size_t cap;
	size_t max; /* ceiling for len; 0: 1 GiB */
	bool failed;
};

void slu_buf_add(struct slu_buf *buf, const void *data, size_t len);
void slu_buf_puts(struct slu_buf *buf, const char *text);
void slu_buf_printf(struct slu_buf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends lines of text; one of more than so many bytes is continued on the
 * next line, behind four blanks, if it has a blank to break it at. */
void slu_buf_fold(struct slu_buf *buf, const char *text, size_t columns);
/* Room for n more bytes behind the content; after writing there call
 * slu_buf_cut() with the new length. NULL: failed. */
char *slu_buf_room(struct slu_buf *buf, size_t n);
/* Empties it and keeps the memory. */
void slu_buf_reset(struct slu_buf *buf);
/* Drop the first n bytes (n <= len). */
void slu_buf_drop(struct slu_buf *buf, size_t n);
/* Keep the first n bytes only (n <= len, or behind it what was written into
 * its room). */
void slu_buf_cut(struct slu_buf *buf, size_t n);
/* Free the memory; buf is {0} afterwards. */
void slu_buf_free(struct slu_buf *buf);
/* Hand the string to the caller, who frees it; buf is {0} afterwards. NULL
 * when the buffer failed; "" (allocated) when it is empty. */
char *slu_buf_steal(struct slu_buf *buf);

/* asprintf that returns the string, NULL without memory. Caller frees. */
char *slu_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Copy with termination; returns false when it had to cut. NULL is "". */
bool slu_copy(char *dst, size_t size, const char *src);

/* Length of the mark of UTF-8 that some editors begin a text with; 0: none. */
size_t slu_byte_order_mark(const char *text);

/* Bytes of the UTF-8 character that begins here, if it is a blank outside of
 * ASCII or invisible, as U+00A0 and U+200B; 0: it is another one. */
size_t slu_invisible(const char *text);

/* Cut white space off both ends in place; returns the new start. */
char *slu_trim(char *s);

/* Each byte that is not part of a character in UTF-8 becomes '?', in place:
 * JSON is UTF-8, the names of files are anything. */
void slu_utf8_clean(char *s);

/* Makes s safe for a terminal, in place: bytes that are no UTF-8, control
 * characters (also U+0080 to U+009F), ends of lines and characters that change
 * the direction of writing become '?', byte by byte. Returns s. */
char *slu_printable(char *s);
/* The same, with blanks for ends of lines and all else below ' '. */
char *slu_one_line(char *s);
/* Bytes of the character at `text`, of which len are left, if the two replace
 * it and it is not below ' ' (0: they do not), and its code. */
size_t slu_terminal_control(const char *text, size_t len, unsigned *code);

/* Equal, with NULL equal to "". */
bool slu_eq(const char *a, const char *b);

/* Is this path `dir`, which does not end in "/", or does it lie in it? */
bool slu_is_below(const char *path, const char *dir);

/* Is `word` one of the words of `list`, with blanks between them? "" is none.
 */
bool slu_has_word(const char *list, const char *word);

/* Is `word`, whatever its case, one of those of `list`, which have commas
 * between them? */
bool slu_is_listed(const char *list, const char *word);

/* Split `s` in place at any of `seps`, dropping empty pieces: fills at most
 * max pointers into s, returns their number (max + 1 when there were more). */
size_t slu_split(char *s, const char *seps, char **out, size_t max);

/* Word i of a list with commas, copied to out; false: it has fewer. */
bool slu_list_word(const char *list, size_t i, char *out, size_t size);
/* The word of the NULL-ended list `words` nearest to `word` by edit distance
 * (case-insensitive), or NULL when none is close (distance > 1/2 of its
 * length): for "unknown key X; did you mean Y?". Borrowed from words. */
const char *slu_nearest(const char *word, const char *const *words);

/* A NULL-ended list of strings, owned. */
void slu_strv_free(char **v);
size_t slu_strv_len(char *const *v);

#endif
