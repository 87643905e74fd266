/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CURL_LIBRARY_H
#define SLU_COMMON_CURL_LIBRARY_H

/*
 * Loads libcurl at run time, only in programs that need an HTTP client: it
 * brings two dozen libraries along, which cost more time and memory than most
 * of our programs need altogether. `sysmap` without --push, `sysquery -f` and
 * others do not load it.
 */

#include <curl/curl.h>
#include "common/err.h"

/* The functions of libcurl that we call, without their "curl_". */
#define SLU_CURL_SYMBOLS(X) \
	X(global_init)      \
	X(global_cleanup)   \
	X(easy_init)        \
	X(easy_cleanup)     \
	X(easy_getinfo)     \
	X(easy_perform)     \
	X(easy_setopt)      \
	X(easy_strerror)    \
	X(getdate)          \
	X(slist_append)     \
	X(slist_free_all)

struct slu_curl {
	void *library;
#define X(name) __typeof__(curl_##name) *name;
	SLU_CURL_SYMBOLS(X)
#undef X
};

/* Loads it into *c, which is all 0. After an error c->library may be open. */
int slu_curl_load(struct slu_curl *c, struct slu_err *err);

#endif
