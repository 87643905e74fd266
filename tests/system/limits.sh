# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For system tests of limits: jobs that are tightened. Sourced after lib.sh.

short() { # SECONDS SBATCH-OPTION...: asks for 10 minutes, is given 1
	printf '#!/bin/sh\nsleep %s\n' "$1" |
		submit -N1 -t10 -J short "${@:2}" 2>/dev/null
}

# Forty jobs of alice's that took 20 s.
history() {
	local uid at day
	uid=$(on ctl id -u alice)
	day=$(date -d '3 days ago' +%F)
	echo 'JobID|User|UID|Partition|Submit|Eligible|Start|End|State|NNodes|Timelimit|JobName'
	for i in {10..49}; do
		at=${day}T11:$i
		echo "$i|alice|$uid|main|$at:00|$at:00|$at:00|$at:20|COMPLETED|1|00:10:00|short"
	done
}
