# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 3: predicted run times. Sourced by tools/demo.

show_prediction() {
	local i jobs=$FIRST job
	question 3 "How long will it take this time?"
	for i in 1 2 3; do
		job=$(submit --time=5 -o 'job-%j.out' translate.sh)
		jobs+=" $job"
		watch_job "$job"
	done
	job=$(submit -o 'job-%j.out' translate.sh)
	watch_job "$job"
	jobs+=" $job"
	wait_for 20 history_has "$job"
	ask jobs | jq -r --arg jobs "$jobs" '
		["job", "asked", "predicted", "because of", "took", "limit"],
		(.jobs[] | select(.job_id as $j | $jobs | split(" ") |
			index("\($j)")) |
		 ["\(.job_id)",
		  (if .limit_asked then "\(.limit_asked) min" else "nothing" end),
		  (if .predicted then "\(.predicted) s" else "-" end),
		  .predicted_from // "-", "\(.run) s", "\(.limit) min"]) |
		@tsv' | table
	say "Job $job came without --time: instead of the partition's hour it" \
		"got a careful limit, so that it fits into smaller gaps."
}

history_has() { # JOB
	ask jobs | jq '.jobs[].job_id' | grep -qx "$1"
}
