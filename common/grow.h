/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_GROW_H
#define SLU_COMMON_GROW_H

/* Enlarges an array on the heap. */

#include <stdlib.h>

/* Use SLU_GROW. -1: no memory, and the array is as it was. */
static inline int slu_grow(void *array, size_t n, size_t size)
{
	void *p = realloc(*(void **)array, n * size);

	if (p)
		*(void **)array = p;
	return p ? 0 : -1;
}

/* array, a pointer that is NULL or from malloc, has room for n elements; new
 * ones are not set. 0, or -1 as slu_grow(). */
#define SLU_GROW(array, n) slu_grow(&(array), (n), sizeof(*(array)))

#endif
