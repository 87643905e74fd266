/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_GCRYPT_INIT_H
#define SLU_GCRYPT_INIT_H

#include <gcrypt.h>

/* Call it before anything else of libgcrypt, which complains in syslog
 * otherwise. May be called again; the first call must be by one thread. */
static inline void slu_gcrypt_init(void)
{
	if (gcry_control(GCRYCTL_ANY_INITIALIZATION_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

#endif
