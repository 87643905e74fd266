#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes without a slurm.conf of their own: Slurm sends them its files, into a
# directory where no sluice.conf is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

cluster_up --nodes 2 --ions 0 --configless
make_input in 20 2
check "a node has no slurm.conf" fails on n1 test -e /etc/slurm/slurm.conf
check "yet probe finds what Slurm has sent" matches \
	"$(on n1 sluice-node probe)" '^slurm +ok'
job=$(buffer_script in | submit -N 2 -t 5)
check_within 60 "a job with a file system ends" job_ended "$job"
check "it COMPLETED" job_is "$job" COMPLETED
check "its output is complete" output_complete in "$job"
check "no node is drained" equal "$(on ctl sinfo -hR)" ''
finish
