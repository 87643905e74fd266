/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_FAST_H
#define SLU_COMMON_FAST_H

/*
 * Compiles a file's inner loops for speed. For files that spend their time in
 * short loops over long arrays: include this before all headers but config.h,
 * mark functions with such loops SLU_FAST, and what they call SLU_INLINE. Loops
 * are then unrolled and use the widest vector registers of the processor at run
 * time.
 *
 * No NaN or infinity may occur in such a file (finite-math-only; isnan() does
 * not work). With SLU_ANY_ORDER defined before, sums may be computed in any
 * order, except inside slu_as_written(). With SLU_UNFUSED products are rounded
 * before they are added, on every processor, in the scalar remainder loop too.
 */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3", "vect-cost-model=dynamic", "no-trapping-math", \
		     "finite-math-only", "no-signed-zeros")
#if defined(SLU_ANY_ORDER) && __GNUC__ >= 12
#pragma GCC optimize("associative-math", "unroll-loops")
#endif
#ifdef SLU_UNFUSED
#pragma GCC optimize("fp-contract=off")
#endif
#define SLU_FAST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SLU_FAST
#endif
/* Before a loop: no iteration needs what another one writes. */
#if defined(__GNUC__) && !defined(__clang__)
#define SLU_INDEPENDENT _Pragma("GCC ivdep")
#else
#define SLU_INDEPENDENT
#endif
#if defined(SLU_ANY_ORDER) && defined(__GNUC__) && __GNUC__ >= 12 && \
	!defined(__clang__)
#define slu_as_written(x) __builtin_assoc_barrier(x)
#else
#define slu_as_written(x) (x)
#endif
#define SLU_INLINE static inline __attribute__((always_inline))

#endif
