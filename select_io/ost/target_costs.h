/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_TARGET_COSTS_H
#define SLU_SELECT_IO_OST_TARGET_COSTS_H

/* Private to choose.c and choose_answer.c: the targets that servers have said
 * (server_report.h), with the costs of choose.h. Strings are the document's. */

#include "select_io/ost/choose.h"

struct slu_ost {
	const char *name, *server, *state;
	const char *domain; /* failure domain of the server; NULL: unknown */
	uint32_t host;	    /* number of the server */
	uint32_t version;   /* of Lustre: 2015; 0: not known */
	uint64_t index;
	double total, available, io_ms; /* KiB; ms, < 0 unknown */
	double recent, promised; /* stripes, KiB; see recent_placements.h */
	double cost, network, traffic; /* bytes a second */
	double moved;		       /* the same, < 0 unknown */
	double peak;		       /* the same, 0 unknown */
	double age;
	const char *left_out;
};

struct slu_osts {
	struct slu_ost *ost;
	size_t n, cap;
	uint32_t n_hosts;
	double median_io; /* ms; 0: nobody knows */
};

/* Add all that the document has; what makes no sense is left out. */
int slu_osts_take(const struct slu_ost_choose_settings *settings,
		  struct slu_osts *list, struct json_object *servers,
		  struct slu_err *err);
/* Keep the targets of one file system (NULL: all); returns how many have
 * some: 0, 1, or 2 for more. */
size_t slu_osts_keep(struct slu_osts *list, const char *fsname);
/* By index. A target that was moved to another server is said by two: the last
 * to speak is right. */
void slu_osts_sort(struct slu_osts *list);
/* Say who is left out for stripes of `kib`; returns how many are not. */
uint32_t slu_osts_leave_out(const struct slu_ost_choose_settings *settings,
			    struct slu_osts *list, double kib);
/* Add to the costs, once, what is relative to the others. */
void slu_osts_compare(const struct slu_ost_choose_settings *settings,
		      struct slu_osts *list);

#endif
