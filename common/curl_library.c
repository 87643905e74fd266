/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads libcurl with dlopen(3) and looks up the functions that we call. It is
 * never unloaded, as it may have registered functions that run at exit.
 */
#include "config.h"
#include "common/curl_library.h"

#include <dlfcn.h>
#include <string.h>

int slu_curl_load(struct slu_curl *c, struct slu_err *err)
{
	static const char *const names[] = {"libcurl.so.4",
					    "libcurl-gnutls.so.4", NULL};
	const struct {
		const char *name;
		void *to; /* a pointer to a function, which POSIX allows */
	} symbols[] = {
#define X(name) {"curl_" #name, &c->name},
		SLU_CURL_SYMBOLS(X)
#undef X
	};
	void *symbol;

	for (const char *const *name = names; *name && !c->library; name++)
		c->library = dlopen(*name, RTLD_LAZY | RTLD_NODELETE);
	if (!c->library)
		return slu_err(err, SLU_IO, "libcurl is not installed");
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		symbol = dlsym(c->library, symbols[i].name);
		if (!symbol)
			return slu_err(err, SLU_IO, "libcurl has no %s",
				       symbols[i].name);
		memcpy(symbols[i].to, &symbol, sizeof(symbol));
	}
	return 0;
}
