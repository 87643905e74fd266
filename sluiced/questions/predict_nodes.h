/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PREDICT_NODES_H
#define SLU_SLUICED_PREDICT_NODES_H

/* With PrestageTo: where jobs that wait will run is predicted again and again,
 * by one process at a time (the question "predicted"), and told to the buffers
 * (slu_buffers_predicted()). Without jobs that wait for it nothing is done. */

struct slu_daemon;

void slu_predict_nodes_start(struct slu_daemon *d);

#endif
