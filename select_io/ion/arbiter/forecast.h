/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_FORECAST_H
#define SLU_ION_FORECAST_H

/*
 * The bandwidth that was predicted for a run, to be compared with what it
 * reached (gain.h): means over its run time, MB/s.
 */

/* The bandwidth that was predicted for a run, for comparison with the measured
 * one: means over its run time, MB/s. */
struct slu_ion_forecast {
	double predicted; /* with the I/O nodes that it had */
	double fixed;	  /* with those that STATIC would have given it */
	double alone;	  /* with the best number of the pool for itself */
	double error;	  /* standard error of `fixed` */
};

#endif
