/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_SEQLOCK_H
#define SLU_JOB_SUBMIT_PREDICTOR_SEQLOCK_H

/*
 * Shares some words between one writing thread and any number of readers, none
 * of which waits: a seqlock. The writer makes `seq` odd, writes the words,
 * makes it even again; a reader that saw the same even number before and after
 * copying the words has a consistent copy. All words are atomic. The writer
 * stores them with release and readers load them with acquire, so a reader that
 * got a word of a newer version also sees that version's odd number when it
 * looks at `seq` again.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SLU_SEQ_TRIES  64 /* of a reader while a write is in progress */

#define SLU_SEQ_INLINE static inline __attribute__((always_inline))

SLU_SEQ_INLINE uint32_t slu_seq_before_read(const _Atomic uint32_t *seq)
{
	return atomic_load_explicit(seq, memory_order_acquire);
}

/* True if no write happened since slu_seq_before_read() returned `before`. */
SLU_SEQ_INLINE bool slu_seq_after_read(const _Atomic uint32_t *seq,
				       uint32_t before)
{
	return before % 2 == 0 &&
	       atomic_load_explicit(seq, memory_order_relaxed) == before;
}

SLU_SEQ_INLINE void slu_seq_before_write(_Atomic uint32_t *seq)
{
	uint32_t is = atomic_load_explicit(seq, memory_order_relaxed);

	atomic_store_explicit(seq, is + 1, memory_order_relaxed);
}

SLU_SEQ_INLINE void slu_seq_after_write(_Atomic uint32_t *seq)
{
	uint32_t is = atomic_load_explicit(seq, memory_order_relaxed);

	atomic_store_explicit(seq, is + 1, memory_order_release);
}

/* Each word goes straight to its place: a wider copy would have to wait for the
 * words that it is made of. */
SLU_SEQ_INLINE void slu_words_read(void *to, const _Atomic uint64_t *from,
				   size_t n)
{
#pragma GCC unroll 16
	for (size_t i = 0; i < n; i++) {
		uint64_t word =
			atomic_load_explicit(&from[i], memory_order_acquire);

		memcpy((char *)to + i * sizeof(word), &word, sizeof(word));
	}
}

SLU_SEQ_INLINE void slu_words_write(_Atomic uint64_t *to, const void *from,
				    size_t n)
{
#pragma GCC unroll 16
	for (size_t i = 0; i < n; i++) {
		uint64_t word;

		memcpy(&word, (const char *)from + i * sizeof(word),
		       sizeof(word));
		atomic_store_explicit(&to[i], word, memory_order_release);
	}
}

#endif
