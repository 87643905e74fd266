/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_ERR_H
#define SLU_COMMON_ERR_H

/*
 * Errors: a kind for the program, a text for people.
 *
 * A function that can fail takes `struct slu_err *err` last, returns -1 (or
 * NULL) on failure with *err filled in, and leaves its outputs untouched.
 * Callers branch on err->kind and show err->text. err may always be NULL.
 */

#define SLU_ERR_TEXT 512

enum slu_kind {
	SLU_NOTFOUND = 1, /* what was asked for does not exist */
	SLU_INVALID,	  /* the input is wrong; the text says what to change */
	SLU_DENIED,	  /* the caller may not do this */
	SLU_BUSY,	  /* not now; the same call may succeed later */
	SLU_TIMEOUT,	  /* a time limit ran out */
	SLU_IO,		  /* the system or a peer failed */
	SLU_NOMEM,	  /* out of memory, or over a configured bound */
	SLU_INTERNAL,	  /* a defect of ours */
};

struct slu_err {
	enum slu_kind kind;
	char text[SLU_ERR_TEXT]; /* one line, no newline */
};

/* Fill in *err and return -1, so that callers write
 * `return slu_err(err, SLU_INVALID, "line %d: ...", n);`. */
int slu_err(struct slu_err *err, enum slu_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the text of errno added. */
int slu_errno(struct slu_err *err, enum slu_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "<fmt>: " before the text that is already there, keeping the kind: each
 * layer adds what it knows. Returns -1. */
int slu_err_prefix(struct slu_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The kind as a stable lower-case word ("notfound", "invalid", ...). */
const char *slu_kind_name(enum slu_kind kind);

#endif
