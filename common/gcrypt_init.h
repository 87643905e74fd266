/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_GCRYPT_INIT_H
#define SLU_GCRYPT_INIT_H

#include <gcrypt.h>

/*
 * Initialises libgcrypt. Must be called before any other function of libgcrypt,
 * which complains in syslog otherwise. It may be called again; the first call
 * must not run in two threads at once.
 */
static inline void slu_gcrypt_init(void)
{
	if (gcry_control(GCRYCTL_ANY_INITIALIZATION_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

#endif
