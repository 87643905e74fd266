/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_TARGET_COSTS_H
#define SLU_SELECT_IO_OST_TARGET_COSTS_H

/*
 * Private to select_io/ost: the list of targets in servers' reports
 * (server_report.h), with their costs (choose.h). Strings are borrowed from the
 * servers' documents.
 */

#include <stdbool.h>
#include "select_io/ost/choose.h"

struct slu_ost {
	const char *name, *server, *state;
	const char *closed; /* why, by a metadata server; NULL: it is not */
	const char *domain; /* failure domain of the server; NULL: unknown */
	uint32_t host;	    /* number of the server */
	uint32_t version;   /* of Lustre: 2015; 0: not known */
	uint64_t index;
	double total, available, io_ms; /* KiB; ms, < 0 unknown */
	double recent, promised; /* stripes, KiB; see recent_placements.h */
	double waiting;		 /* seconds; the same */
	uint32_t number;	 /* there; known_targets.c */
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
	double median_io; /* ms; 0: unknown */
};

/* Add the targets of one server; they have the number list->n_hosts, which is
 * one more then. */
int slu_osts_take_server(const struct slu_ost_choose_settings *settings,
			 struct slu_osts *list, const char *name,
			 struct json_object *server, struct slu_err *err);

/* Add all that the document has; what makes no sense is left out. */
int slu_osts_take(const struct slu_ost_choose_settings *settings,
		  struct slu_osts *list, struct json_object *servers,
		  struct slu_err *err);
/* Adds recent placements to the costs; call it once. */
void slu_osts_apply_recent(const struct slu_ost_choose_settings *settings,
			   struct slu_osts *list);
/* Keep the targets of one file system (NULL: all); returns how many have
 * some: 0, 1, or 2 for more. */
size_t slu_osts_keep(struct slu_osts *list, const char *fsname);
/* Sorts by index. A target that was moved to another server is in the reports
 * of both: the row of the later report is kept. */
void slu_osts_sort(struct slu_osts *list);
/* By index, then by name. */
int slu_ost_order(const struct slu_ost *a, const struct slu_ost *b);
/* Median over the targets whose io_ms is known, the lower one of two; 0: there
 * is none. */
double slu_osts_median_io(const struct slu_osts *list);
/* The failure domain of each server, by number (list->n_hosts of them); those
 * without one are each a domain of their own. False: no server has one. */
bool slu_osts_find_domains(const struct slu_osts *list, uint32_t *domain);
/* Leaves out the targets with these indexes, which the client cannot use. */
void slu_osts_leave_out_asked(struct slu_osts *list,
			      struct json_object *without);
/* Marks the targets that are left out for stripes of `kib`; returns how many
 * remain. */
uint32_t slu_osts_leave_out(const struct slu_ost_choose_settings *settings,
			    struct slu_osts *list, double kib);
/* relative_costs.c: adds the terms of the costs that compare a target with the
 * others; call it once. */
int slu_osts_compare(const struct slu_ost_choose_settings *settings,
		     struct slu_osts *list, struct slu_err *err);

/* choose_targets.c: slu_ost_choose() among these, which are sorted and of so
 * many file systems; their costs are changed. brief: without "osts" and
 * "commands". count: stripes of current files on each of them, list->n zeros at
 * first; may be NULL. */
int slu_ost_choose_among(const struct slu_ost_choose_settings *settings,
			 struct slu_osts *list, size_t systems,
			 const struct slu_ost_choose_request *request,
			 bool brief, uint32_t *count, struct json_object **out,
			 struct slu_err *err);

#endif
