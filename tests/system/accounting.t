#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A cluster with MariaDB and slurmdbd accounts for jobs; a history that is lost
# is had again from slurmrestd.
. "$(dirname "$0")/lib.sh"

accounted() { # JOB
	matches "$(on ctl sacct -nP -j "$1" -o jobid,user,account,state)" \
		"^$1\|alice\|users\|COMPLETED"
}

sysquery() {
	on ctl /opt/sluice/bin/sysquery --json "$@"
}

lose_history() {
	cluster stop ctl sluiced
	rm "/var/tmp/sluice-$CLUSTER"/host/ctl/sluice/sluice.db*
	cluster start ctl sluiced
}

stored() { # JOB
	sysquery jobs 2>/dev/null | grep -q "\"job_id\":$1,\"user\":\"alice\""
}

cluster_up --dbd --nodes 1 --ions 0
job=$(printf '#!/bin/sh\nsrun sleep 2\n' | submit)
check_within 30 "a job runs" job_is "$job" COMPLETED
check_within 30 "sacct shows it" quietly accounted "$job"
cluster stop ctl slurmdbd
job=$(printf '#!/bin/sh\nsleep 2\n' | submit)
check_within 30 "one runs without slurmdbd" job_is "$job" COMPLETED
cluster start ctl slurmdbd
check_within 60 "and is accounted for when it is back" quietly accounted "$job"
if ! command -v slurmrestd >/dev/null; then
	note "slurmrestd is not installed: not imported from"
	finish
fi
check_within 30 "it is in our history" stored "$job"
lose_history
wait_for 20 quietly sysquery jobs
check "which is lost" fails stored "$job"
as_alice sh -c 'setsid slurmrestd -a rest_auth/local unix:/pfs/alice/rest \
	>/pfs/alice/rest.log 2>&1 </dev/null &'
wait_for 20 test -S "$PFS/alice/rest"
check "it is had again from slurmrestd" matches \
	"$(sysquery import rest unix:/pfs/alice/rest)" \
	'"jobs":2,"added":2,"skipped":0,"broken":0'
check "with its jobs" stored "$job"
check "and is not doubled" matches \
	"$(sysquery import rest unix:/pfs/alice/rest)" '"jobs":2,"added":0'
check "who is not there is named" fails quietly \
	sysquery import rest unix:/nowhere
finish
