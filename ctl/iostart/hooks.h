/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_IOSTART_HOOKS_H
#define SLU_CTL_IOSTART_HOOKS_H

/*
 * Passes IOStart (iostart.h) what libsluice's main thread learns:
 * configuration, history, measured I/O.
 */

#include "wire/control.h"

struct slu_ctl;

/* The objects of a struct slu_ctl from {0}; their first configuration. */
void slu_io_start_init(struct slu_ctl *ctl);
void slu_io_start_configure(struct slu_ctl *ctl);
/* Take over a new configuration. */
void slu_io_start_use(struct slu_ctl *ctl);
/* A row of the history that is replayed, and a row whose I/O has become
 * known. */
void slu_io_start_history(struct slu_ctl *ctl,
			  const struct slu_history_row *row);
void slu_io_start_row(struct slu_ctl *ctl, const struct slu_history_row *row);
/* A row whose operations of metadata have become known. */
void slu_io_start_metadata(struct slu_ctl *ctl,
			   const struct slu_history_row *row);
/* A row of which is known, as far as it ever will be, what went to which file
 * system. */
void slu_io_start_fs_row(struct slu_ctl *ctl,
			 const struct slu_history_row *row);
/* Log what hooks have noted, as hooks must not block. */
void slu_io_start_log(struct slu_ctl *ctl);
/* Send sluiced the state of IOStart, twice a minute. */
void slu_io_start_report(struct slu_ctl *ctl, double now);

#endif
