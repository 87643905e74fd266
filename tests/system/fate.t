#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a user looks he reads what became of his data: in the job's output, and
# in the mails that he has asked for.
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
	check "a job's output begins with the place of its file system" matches \
		"$(output "$job" | sed -n 1p)" \
		'^sluice: \$BB_JOBFS is /run/sluice/[0-9]+/mnt/data, 20MiB of [a-z]+ on 2 nodes$'
	check "the output's second line says what was staged in" matches \
		"$(output "$job" | sed -n 2p)" \
		'^sluice: staged in [0-9]+ files, .*MiB, in [0-9.]+ s$'
	check "the output's third line is the job's own" \
		equal "$(output "$job" | sed -n 3p)" \
		'its own words'
	check "the output's last line says what was staged out, and that it is verified" \
		\
		matches \
		"$(output "$job" | sed -n 4p)" \
		"^sluice: staged out [0-9]+ files, .*, verified by size and time( on another node)?, to /pfs/alice/out.$job\$"
	check "the job's AdminComment says what was staged out" matches \
		"$(on ctl scontrol -o show job "$job")" \
		'AdminComment=.*staged out [0-9]+ files, .*, verified by size and time'
	check "the output has four lines" equal "$(output "$job" | wc -l)" 4
	check "the output file still belongs to its user" equal \
		"$(stat -c %U "$PFS/alice/slurm-$job.out")" \
		"$(stat -c %U "$PFS/alice")"
}

test_stage_out_fails() {
	local job
	job=$(fate_job '' /nowhere -N1)
	ends "$job"
	check "a job whose stage-out fails is FAILED" job_is "$job" FAILED
	check "the output says why the stage-out failed and how to fetch the data" \
		matches \
		"$(output "$job" | sed -n 4p)" \
		'^sluice: stage-out failed: n[12]: .*/nowhere.*the data is kept on n[12] for .*: srun -N1 -w n[12] sluice-node fetch [0-9]+ DIR$'
	check "the output says until when the data is kept" \
		matches "$(output "$job" | tail -1)" \
		'^sluice: after 20[-0-9T:]+ what is kept is removed$'
}

test_not_wanted() {
	local job
	job=$(fate_job '' '/pfs/alice/out.%j on=failure' -N1)
	ends "$job"
	check "the output says why nothing was staged out" matches \
		"$(output "$job" | tail -1)" \
		'^sluice: nothing was staged out: stage_out of \$BB_JOBFS/in/ was left out: on=failure, and the job ended COMPLETED$'
}

test_cancelled() {
	local job
	touch "$PFS/alice/wait"
	job=$(fate_job '' '/pfs/alice/out.%j' -N1)
	wait_for 30 buffer_is "$job" RUNNING
	as_alice scancel "$job"
	rm "$PFS/alice/wait"
	ends "$job"
	check "the output of a cancelled job says what was staged out" matches \
		"$(output "$job" | tail -1)" '^sluice: staged out'
}

test_quiet() {
	local job
	job=$(fate_job 'tell=no' '/pfs/alice/out.%j' -N1)
	ends "$job"
	check "jobfs tell=no: nothing is added to the output" equal "$(output "$job")" \
		'its own words'
	cluster conf sluice.conf Tell=no >/dev/null
	on ctl scontrol reconfigure
	on ctl pkill -HUP -x sluiced
	sleep 2
	job=$(fate_job '' '/pfs/alice/out.%j' -N1)
	ends "$job"
	check "sluice.conf Tell=no: nothing is added to the output" \
		equal "$(output "$job")" 'its own words'
	job=$(fate_job 'tell=yes' '/pfs/alice/out.%j' -N1)
	ends "$job"
	check "jobfs tell=yes overrides Tell=no" matches \
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
	check "the output file is found with patterns in its name" matches \
		"$(tail -1 "$PFS/alice/sub-named.$job".n?)" '^sluice: staged out'
	as_alice mkfifo /pfs/alice/fifo
	(LIMIT=60 as_alice cat /pfs/alice/fifo >"$PFS/read") &
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 -o /pfs/alice/fifo)
	ends "$job"
	wait $!
	check "nothing is written to an output that is a pipe" equal \
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
	check "nothing is written to a link that has replaced the output file" equal \
		"$(cat "$PFS/elses")" ''
	check "the job whose output was replaced completes" job_is "$job" COMPLETED
}

# What Slurm and we have it send: "TO: SUBJECT", a line each.
mail_program() {
	cat >"$PFS/mailprog" <<-'END'
		#!/bin/sh
		[ "$1" = -s ] && printf '%s: %s\n' "$3" "$2" >>/pfs/mails
	END
	chmod 755 "$PFS/mailprog"
	install -m 666 /dev/null "$PFS/mails"
	cluster conf slurm.conf MailProg=/pfs/mailprog >/dev/null
	on ctl scontrol reconfigure
}

mails() { # JOB: about it
	grep -E "Job_id=$1 | \($1\) " "$PFS/mails"
}

mailed() { # TEXT JOB EXTENDED-REGULAR-EXPRESSION
	check_within 20 "$1" prints "^alice: Slurm Job_id=$2 Name=.* $3" \
		mails "$2"
}

test_mail_well() {
	local job quiet
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 --mail-type=STAGE_OUT)
	quiet=$(fate_job '' '/pfs/alice/out.%j' -N1)
	ends "$job"
	mailed "STAGE_OUT: the mail says what was staged out" "$job" \
		"Staged out, staged out [0-9]+ files, .*, verified by size and time( on another node)?, to /pfs/alice/out.$job\$"
	ends "$quiet"
	check "a job without --mail-type gets no mail" fails mails "$quiet"
	check "a job with --mail-type=STAGE_OUT gets one mail" \
		equal "$(mails "$job" | wc -l)" 1
}

test_mail_stage_out_fails() {
	local job
	job=$(fate_job '' /nowhere -N1 --mail-type=FAIL)
	ends "$job"
	mailed "FAIL: the mail says what failed and where the data is" \
		"$job" 'Failed, stage-out failed: n[12]: .*/nowhere.*the data is kept on n[12] for '
	job=$(fate_job '' /nowhere -N1 --mail-type=END)
	ends "$job"
	mailed "END: Slurm's mail says that the job completed" "$job" \
		'Ended, .*COMPLETED'
	mailed "END: our mail says that the stage-out failed" "$job" 'Failed, stage-out failed: '
}

is_held() { # JOB
	[ "$(job_field "$1" JobState)" = PENDING ] &&
		[ "$(job_field "$1" Priority)" = 0 ]
}

# As job_field has it, but with the blanks in it.
admin_comment() { # JOB
	on ctl scontrol show job "$1" | sed -n 's/^ *AdminComment=//p'
}

test_mail_held() {
	local job
	mv "$PFS/alice/in" "$PFS/alice/away"
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 --mail-type=ALL)
	check_within 30 "a job whose stage-in fails is held" is_held "$job"
	mailed "ALL: the mail says that the job is held, and why" "$job" \
		'Held, stage-in failed: n[12]: .*/pfs/alice/in/: No such file'
	check "the AdminComment of the held job says why" \
		matches "$(admin_comment "$job")" \
		'held: stage-in failed: n[12]: .*/pfs/alice/in/: No such file'
	mv "$PFS/alice/away" "$PFS/alice/in"
	as_alice scancel "$job"
	ends "$job"
}

test_mail_lost() {
	local job
	touch "$PFS/alice/wait"
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 -w n1 --mail-type=FAIL)
	wait_for 30 buffer_is "$job" RUNNING
	on n1 pkill -KILL -x glusterfsd
	ends "$job"
	rm "$PFS/alice/wait"
	mailed "FAIL: the mail says that a server was lost" "$job" 'Failed, run failed: n1: '
	check "the output says that the run failed" \
		matches "$(output "$job" | tail -2)" \
		'^sluice: run failed: n1: '
}

# Its user had nothing to be staged out, and learns that what is left is kept.
test_lost_without_stage_out() {
	local job
	touch "$PFS/alice/wait"
	job=$(printf '%s\n' '#!/bin/bash' 'echo precious >$BB_JOBFS/file' \
		'while [ -e /pfs/alice/wait ]; do sleep 0.1; done' |
		as_alice sbatch --parsable -N1 -w n2 --bb='capacity=200MiB')
	wait_for 30 buffer_is "$job" RUNNING
	wait_for 10 on n2 grep -qs precious "/run/sluice/$job/mnt/data/file"
	on n2 pkill -KILL -x glusterfsd
	ends "$job"
	rm "$PFS/alice/wait"
	check "a job without stage_out whose server is lost is FAILED" \
		job_is "$job" FAILED
	check "its reason says that the run failed, and where the data is kept" \
		matches "$(on ctl scontrol -o show job "$job")" \
		'run_failed:_n2:_the_server_of_.*the_data_is_kept_on_n2_for_2-00:00:00'
	bounded_exec -u alice n2 sluice-node fetch "$job" \
		/pfs/alice/rescued >/dev/null
	check "what a lost server leaves of a job without stage_out is kept" \
		equal "$(cat "$PFS/alice/rescued/file")" precious
	check "the output says until when the data is kept" \
		matches "$(output "$job" | tail -1)" \
		'^sluice: after 20[-0-9T:]+ what is kept is removed$'
}

test_mail_cancelled() {
	local job
	touch "$PFS/alice/wait"
	job=$(fate_job '' '/pfs/alice/out.%j' -N1 --mail-type=STAGE_OUT)
	wait_for 30 buffer_is "$job" RUNNING
	as_alice scancel "$job"
	rm "$PFS/alice/wait"
	ends "$job"
	mailed "STAGE_OUT: the mail says what a cancelled job staged out" "$job" \
		'Staged out, '
}

test_mail_array() {
	local job
	job=$(fate_job '' /nowhere -N1 --array=1-3 --mail-type=FAIL)
	wait_for 90 not_queued "$job"
	sleep 3
	check "one mail is sent for all tasks of an array" equal \
		"$(grep -c "Job_id=${job}_.* stage-out failed" "$PFS/mails")" 1
}

not_queued() { # JOB
	[ -z "$(as_alice squeue -h -j "$1" -o %i 2>/dev/null)" ]
}

# An address is an argument at most, and what is none not even that.
test_mail_hostile() {
	local job to
	for to in '-Xtouch${IFS}/pfs/alice/pwned' '$(touch /pfs/alice/pwned)' \
		'|touch /pfs/alice/pwned' 'a b' '/pfs/alice/pwned'; do
		: >"$PFS/mails"
		job=$(fate_job '' /nowhere -N1 --mail-type=FAIL \
			-J '$(touch /pfs/alice/pwned)' --mail-user="$to")
		ends "$job"
		check_within 10 "'$to' is logged as no mail address" \
			log_of_slurmctld_says \
			"mail about job $job: .* is not an address"
		check "no mail is sent to '$to'" fails grep -q 'stage-out failed' \
			"$PFS/mails"
	done
	check "no command from a mail address or job name was run" \
		fails ls "$PFS/alice/pwned" 2>/dev/null
}

# slurmctld waits for it neither while it works nor when it ends.
test_mail_hangs() {
	local job
	cat >"$PFS/mailprog" <<-'END'
		#!/bin/sh
		echo "$2" >>/pfs/mails
		exec sleep 100
	END
	: >"$PFS/mails"
	job=$(fate_job '' /nowhere -N1 --mail-type=FAIL)
	ends "$job"
	check_within 20 "MailProg hangs with the mail of a failed job" \
		grep -q "Job_id=$job .*stage-out failed" \
		"$PFS/mails"
	job=$(fate_job '' /nowhere -N1 --mail-type=FAIL)
	ends "$job"
	check "jobs end while MailProg hangs" job_is "$job" FAILED
	check_within 20 "the log says that the hanging MailProg was killed" \
		log_of_slurmctld_says \
		'mail about job [0-9]+: .*/pfs/mailprog did not end'
	fate_job '' /nowhere -N1 --mail-type=FAIL >/dev/null
	wait_for 30 grep -q 'Job_id=.*stage-out failed' "$PFS/mails"
	check "slurmctld stops while MailProg hangs" timeout 60 "$TOP/tools/cluster" \
		stop --name "$CLUSTER" ctl slurmctld
	cluster start ctl slurmctld
	check_within 60 "the nodes are idle after slurmctld was restarted" \
		nodes_idle 'n[1-2]'
}

log_of_slurmctld_says() { # EXTENDED-REGULAR-EXPRESSION
	grep -qE "$1" "/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log"
}

cluster_up --nodes 2 --ions 0
make_input in 10 1
test_well
test_stage_out_fails
test_not_wanted
test_cancelled
test_named
test_replaced
mail_program
test_mail_well
test_mail_stage_out_fails
test_mail_held
test_mail_lost
test_lost_without_stage_out
test_mail_cancelled
test_mail_array
test_mail_hostile
test_quiet
test_mail_hangs
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
