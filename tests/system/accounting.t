#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A cluster with MariaDB and slurmdbd accounts for jobs.
. "$(dirname "$0")/lib.sh"

accounted() { # JOB
	matches "$(on ctl sacct -nP -j "$1" -o jobid,user,account,state)" \
		"^$1\|alice\|users\|COMPLETED"
}

cluster_up --plain --dbd --nodes 1 --ions 0
job=$(printf '#!/bin/sh\nsrun true\n' | submit)
check_within 30 "a job runs" job_is "$job" COMPLETED
check_within 30 "sacct shows it" quietly accounted "$job"
cluster stop ctl slurmdbd
job=$(printf '#!/bin/sh\ntrue\n' | submit)
check_within 30 "one runs without slurmdbd" job_is "$job" COMPLETED
cluster start ctl slurmdbd
check_within 60 "and is accounted for when it is back" quietly accounted "$job"
finish
