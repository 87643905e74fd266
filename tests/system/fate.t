#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a user looks he reads what became of his data: in the job's output.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

# A job that copies in and out; its output is slurm-N.out, as Slurm calls it.
fate_job() { # WORDS-OF-JOBFS STAGE-OUT-WORDS SBATCH-OPTION...
	local jobfs=$1 out=$2
	shift 2
	printf '%s\n' '#!/bin/bash' "#BB jobfs capacity=20MiB $jobfs" \
		'#BB stage_in source=/pfs/alice/in/ destination=$BB_JOBFS/in' \
		"#BB stage_out source=\$BB_JOBFS/in/ destination=$out" \
		'echo its own words' 'while [ -e /pfs/alice/wait ]; do sleep 0.1; done' |
		as_alice sbatch --parsable "$@"
}

output() { # JOB
	cat "$PFS/alice/slurm-$1.out"
}

has_ended() { # JOB: and its nodes are free
	job_ended "$1" && nodes_idle 'n[1-2]'
}

ends() { # JOB
	wait_for 40 has_ended "$1" || note "job $1 has not ended"
}

test_well() {
	local job
	job=$(fate_job '' '/pfs/alice/out.%j' -N2)
	ends "$job"
	check "a job's output begins with its file system" matches \
		"$(output "$job" | sed -n 1p)" \
		'^sluice: \$BB_JOBFS is /run/sluice/[0-9]+/mnt/data, 20MiB of [a-z]+ on 2 nodes$'
	check "and with what was staged in" matches \
		"$(output "$job" | sed -n 2p)" \
		'^sluice: staged in [0-9]+ files, .*MiB, in [0-9.]+ s$'
	check "then comes its own" equal "$(output "$job" | sed -n 3p)" \
		'its own words'
	check "and what was staged out, verified" matches \
		"$(output "$job" | sed -n 4p)" \
		"^sluice: staged out [0-9]+ files, .*, verified by size and time, to /pfs/alice/out.$job\$"
	check "and nothing more" equal "$(output "$job" | wc -l)" 4
	check "it is still its user's" equal \
		"$(stat -c %U "$PFS/alice/slurm-$job.out")" \
		"$(stat -c %U "$PFS/alice")"
}

test_stage_out_fails() {
	local job
	job=$(fate_job '' /nowhere -N1)
	ends "$job"
	check "a job whose stage-out fails is FAILED" job_is "$job" FAILED
	check "what failed is the last word of its output" matches \
		"$(output "$job" | sed -n 4p)" \
		'^sluice: stage-out failed: n[12]: .*/nowhere.*the data is kept on n[12] for .*, see sluice-node fetch$'
	check "and until when it is kept" matches "$(output "$job" | tail -1)" \
		'^sluice: after 20[-0-9T:]+ what is kept is removed$'
}

test_not_wanted() {
	local job
	job=$(fate_job '' '/pfs/alice/out.%j on=failure' -N1)
	ends "$job"
	check "that nothing was to be staged out is told, and why" matches \
		"$(output "$job" | tail -1)" \
		'^sluice: nothing was staged out: the job has ended well, and on=failure'
}

test_cancelled() {
	local job
	touch "$PFS/alice/wait"
	job=$(fate_job '' '/pfs/alice/out.%j' -N1)
	wait_for 30 buffer_is "$job" RUNNING
	as_alice scancel "$job"
	rm "$PFS/alice/wait"
	ends "$job"
	check "of a cancelled job it is told as well" matches \
		"$(output "$job" | tail -1)" '^sluice: staged out'
}

test_quiet() {
	local job
	job=$(fate_job 'tell=no' '/pfs/alice/out.%j' -N1)
	ends "$job"
	check "tell=no: its output is its own" equal "$(output "$job")" \
		'its own words'
	cluster conf sluice.conf Tell=no >/dev/null
	on ctl scontrol reconfigure
	on ctl pkill -HUP -x sluiced
	sleep 2
	job=$(fate_job '' '/pfs/alice/out.%j' -N1)
	ends "$job"
	check "Tell=no: as well" equal "$(output "$job")" 'its own words'
	job=$(fate_job 'tell=yes' '/pfs/alice/out.%j' -N1)
	ends "$job"
	check "but for a job that wants it" matches \
		"$(output "$job" | tail -1)" '^sluice: staged out'
	cluster conf sluice.conf Tell=yes >/dev/null
	on ctl pkill -HUP -x sluiced
}

# Slurm's names for files, and what is none.
test_named() {
	local job
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 -J named \
		-o 'sub-%x.%j.%N' -e /dev/null)
	ends "$job"
	check "it is told wherever the output is" matches \
		"$(tail -1 "$PFS/alice/sub-named.$job".n?)" '^sluice: staged out'
	as_alice mkfifo /pfs/alice/fifo
	(LIMIT=60 as_alice cat /pfs/alice/fifo >"$PFS/read") &
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 -o /pfs/alice/fifo)
	ends "$job"
	wait $!
	check "who reads a pipe reads the script's words alone" equal \
		"$(cat "$PFS/read")" 'its own words'
}

# What a user puts in its place meanwhile is not written to.
test_replaced() {
	local job
	on ctl install -m 666 /dev/null /pfs/elses
	touch "$PFS/alice/wait"
	job=$(fate_job '' '/pfs/alice/out.%j' -N1)
	wait_for 30 buffer_is "$job" RUNNING
	wait_for 10 grep -q words "$PFS/alice/slurm-$job.out"
	as_alice sh -c "cd /pfs/alice && mv slurm-$job.out moved &&
		ln -s /pfs/elses slurm-$job.out"
	rm "$PFS/alice/wait"
	ends "$job"
	check "what was put in its place is not written to" equal \
		"$(cat "$PFS/elses")" ''
	check "the job has COMPLETED" job_is "$job" COMPLETED
}

cluster_up --nodes 2 --ions 0
make_input in 10 1
test_well
test_stage_out_fails
test_not_wanted
test_cancelled
test_named
test_replaced
test_quiet
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
