/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles the loop that fills a row of a dynamic program's table for several
 * vector widths, and picks the widest that the processor has. Include it after
 * type fill_f and macro FILL(name, how), which defines the function `name` with
 * the attributes `how`.
 */
FILL(fill_plain, __attribute__((optimize("O3"))))
#ifdef __x86_64__
FILL(fill_avx2, __attribute__((optimize("O3"), target("avx2"))))
FILL(fill_avx512,
     __attribute__((optimize("O3"),
		    target("avx512f,avx512vl,prefer-vector-width=512"))))
#endif

static fill_f *pick_fill(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512vl"))
		return fill_avx512;
	if (__builtin_cpu_supports("avx2"))
		return fill_avx2;
#endif
	return fill_plain;
}
