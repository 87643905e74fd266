/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PREDICT_NODES_H
#define SLU_SLUICED_PREDICT_NODES_H

/* Predicts again and again where waiting jobs will run, for PrestageTo: one
 * process at a time answers the question "predicted", and the buffers get the
 * result (slu_buffers_predicted()). Without such jobs it does nothing. */

struct slu_daemon;

void slu_predict_nodes_start(struct slu_daemon *d);

#endif
