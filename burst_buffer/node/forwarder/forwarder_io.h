/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_IO_H
#define SLU_NODE_FORWARDER_IO_H

/*
 * Measures what each job has moved through the forwarding daemons, and reports
 * it to sluiced when the job has left the assignment. Each forwarder writes
 * what went through its own daemon into FILE.io/JOB.HOST; the first member's
 * forwarder adds them up when all exist and reports the sum. If one of them
 * cannot tell, the sum is unknown, never too small: because of a compute node
 * with several jobs, a client without a name, or a forwarder that started after
 * the job or does not report.
 */

#include <stdint.h>
#include "common/hostlist.h"

struct slu_fwd_io;

/* `dir`: MappingDir; file, host and members must outlive the result. NULL: no
 * memory. Where the kernel does not report connections all sums are unknown,
 * and *why gives the reason. */
struct slu_fwd_io *slu_fwd_io_new(const char *dir, const char *file,
				  const char *host,
				  const struct slu_hosts *members,
				  struct slu_err *why);
void slu_fwd_io_free(struct slu_fwd_io *io);
/* Counts connections that have ended and follows changes of the mapping; call
 * it several times a second. own: the hosts line of the daemon. Complete sums
 * are returned by slu_fwd_io_next_sum(). */
void slu_fwd_io_turn(struct slu_fwd_io *io, const char *own, double now);

struct slu_fwd_sum {
	uint32_t job_id;
	double read, written, last; /* Unix time of the last byte */
	bool unknown, any;	    /* some is unknown; a client was seen */
};
/* The next job whose sums are as complete as they will be; false: none. */
bool slu_fwd_io_next_sum(struct slu_fwd_io *io, double now,
			 struct slu_fwd_sum *sum);
/* Report a job's sums to sluiced, in a child, for some minutes. */
void slu_fwd_io_send(const struct slu_fwd_sum *sum, const char *host);

#endif
