/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_RANDOM_H
#define SLU_TESTS_RANDOM_H

/* Generates random numbers that are the same on every machine. */

#include <stdint.h>

/* 0 .. below - 1 (splitmix64). The seed is any number and moves on. */
static inline uint64_t slu_random(uint64_t *seed, uint64_t below)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % below;
}

#endif
