/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LUSTRE_H
#define SLU_SYSMAP_LUSTRE_H

/* Sources of documents about Lustre (2.10 to 2.17), each a slu_source_f
 * (sysmap/extract.h). They read only this node and contact no server. */

#include <json-c/json.h>
#include "sysmap/root.h"

/* "lustre": file systems that are mounted, with their OSTs; [] when the mount
 * table has none. */
int slu_lustre_mounts(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err);
/* "lustretargets": what this server serves. */
int slu_lustre_targets(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err);

/* "lustrestats": the counters of a server and its targets, {"load","cpu_busy",
 * "cpu_all" (ticks),"memory" (percent),"sent_bytes","received_bytes" (LNet),
 * "osts":[{"name","total_bytes","free_bytes","available_bytes","read_bytes",
 * "written_bytes","requests","io_ms","io_bytes"}],"mdts":[{"name","requests"}]}
 */
int slu_lustre_stats(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err);
/* "lustrejobs": the I/O of each job on each target. */
int slu_lustre_jobs(const struct slu_root *root, struct json_object **out,
		    struct slu_err *err);

/* A line of lov.*.target_obd: "0: scratch-OST0000_UUID ACTIVE". */
struct slu_lustre_ost {
	uint32_t index;
	const char *name; /* scratch-OST0000; borrowed from the text */
	bool active;
};
/* The next one, advancing *rest; other lines are skipped. False at the end. */
bool slu_lustre_ost_next(char **rest, struct slu_lustre_ost *out);

/* The file system's name in "10.0.0.1@o2ib:/scratch/dir"; false: none. */
bool slu_lustre_fsname(const char *device, char out[16]);

#endif
