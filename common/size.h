/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_SIZE_H
#define SLU_COMMON_SIZE_H

/* Parses and prints sizes and times in the notations of users and Slurm. */

#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

/*
 * Bytes: a decimal number, fraction allowed, and a unit: none or B is bytes;
 * K M G T P and KiB MiB GiB TiB PiB are powers of 1024 (as Slurm prints them),
 * KB MB GB TB PB powers of 1000; case-insensitive, blanks around the unit are
 * fine. "10.1234567MB" is
 * 10123457 (rounded to the nearest byte). Zero, a negative number, an unknown
 * unit or more than 2^63-1 is SLU_INVALID with the text named.
 */
int slu_size_parse(const char *text, uint64_t *bytes, struct slu_err *err);

/* Bytes a second: a size, with or without "/s" behind it. A unit that ends in a
 * small b is refused as well: bits could be meant ("2Gb/s"). */
int slu_rate_parse(const char *text, uint64_t *bytes, struct slu_err *err);

/* "1.5GiB", "200MiB", "17B": the largest binary unit with at most one decimal.
 * Rounded: for people to read, not for slu_size_parse. Returns out. */
#define SLU_SIZE_TEXT 24
const char *slu_size_text(uint64_t bytes, char out[SLU_SIZE_TEXT]);
/* The same of a number from JSON; negative ones count as 0. */
const char *slu_bytes_text(double bytes, char out[SLU_SIZE_TEXT]);

/* "12.3 MB/s": three digits, in powers of 1000. Returns out. */
#define SLU_RATE_TEXT 24
const char *slu_rate_text(double rate, char out[SLU_RATE_TEXT]);

/* Seconds: "90", "30s", "15m", "12h", "2d", and Slurm's MM:SS, HH:MM:SS,
 * D-HH[:MM[:SS]]. A bare number is seconds. Numbers have at most 9 digits;
 * those behind a colon are below 60, hours behind days below 24. */
int slu_seconds_parse(const char *text, int64_t *seconds, struct slu_err *err);

/* "0.35 s", "12.3 s", "3:05", "2:03:04", "1-02:03:04"; "unknown" for what is
 * no time. Returns out. */
#define SLU_TIME_TEXT 32
const char *slu_seconds_text(double seconds, char out[SLU_TIME_TEXT]);

#endif
