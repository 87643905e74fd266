/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_JSON_DIFFERENCES_H
#define SLU_SYSQUERY_MAP_JSON_DIFFERENCES_H

/*
 * Compares two JSON documents leaf by leaf, for people to read. A leaf is a
 * text, number, boolean, null or an empty array or object; its path is its
 * place: "CoreCount", "L3.Size". Elements of an array are matched by a key
 * (name, mountpoint, device, ...: the first of these that all elements have,
 * with unique values), so that an inserted disk does not change all later ones:
 * "[sda].size_bytes"; plain values by themselves: "CpuFlags[avx2]"; else by
 * their position: "[0]".
 */

#include <json-c/json.h>
#include "common/err.h"

/* Add {"path", "old", "new"} to the array `out` for each leaf that differs, in
 * the order of paths; what is absent on one side has no such key. A document
 * that is NULL is absent as a whole: one difference, whose path is "". */
int slu_leaves_diff(struct json_object *old, struct json_object *new,
		    struct json_object *out, struct slu_err *err);

#endif
