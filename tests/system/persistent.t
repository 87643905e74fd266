#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Persistent buffers: made by one job, used by others, ended by a third or by
# time; on a node of their own, as a directory of the parallel file system and as a
# file system with servers. And what the same service does for jobs that wait:
# stage-in before they have nodes.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

asks() { # REQUESTS SBATCH-OPTION...: a job that needs no more
	submit --bb="$1" -N1 "${@:2}" <<<$'#!/bin/bash\ntrue'
}

as_bob() {
	bounded_exec -u bob ctl "$@"
}

bob_asks() { # REQUESTS
	as_bob sbatch --parsable -o /dev/null -N1 --bb="$1" --wrap=true 2>&1
}

shows() { # WORDS
	matches "$(on ctl scontrol -o show burst)" "$1" >/dev/null
}

waits_for() { # JOB WORDS
	on ctl scontrol show job "$1" | grep -qE "BurstBufferState=.*$2"
}

held_with() { # JOB WORDS
	on ctl scontrol show job "$1" | tr _ ' ' | grep -qE "Reason=.*held: .*$2"
}

is_empty() { # DIRECTORY
	[ -z "$(ls "$1")" ]
}

persistent_is() { # NAME STATE
	[ "$(query "SELECT State FROM Buffer WHERE Name = '$1' AND
		JobID > 4000000000 AND Plan NOT LIKE '%\"ahead\":true%' ORDER BY BID DESC LIMIT 1")" = "$2" ]
}

serve() {
	on n3 sh -c 'setsid sluice-node serve --period 0.5 \
		--log /var/log/serve.log >/dev/null 2>&1 </dev/null & '
}

offered() { # slurmctld has read its configuration
	! asks 'persistent_create name=x capacity=1PiB lifetime=3d' 2>&1 |
		grep -q 'this site has no nodes'
}

test_refused() {
	check "a persistent buffer of a type that ends with its job is refused" \
		matches \
		"$(asks 'persistent_create name=x type=scratch capacity=10MiB' 2>&1)" \
		'lives and ends with a job'
	check "a lifetime above PersistentLifetime is refused" matches \
		"$(asks 'persistent_create name=x type=dir capacity=10MiB lifetime=3d' 2>&1)" \
		'PersistentLifetime'
	check "use and destruction in one job are refused" matches \
		"$(asks 'persistent name=x; persistent_destroy name=x' 2>&1)" \
		'by a job of its own'
}

# A job that uses it waits for it. Then one stages in and writes, on two nodes,
# another stages out what was written.
test_transitions() {
	local early job
	early=$(submit --bb='persistent name=camp' -N1 <<<$'#!/bin/bash\nls -d ${BB_camp:?}')
	check_within 20 "a job waits for a persistent buffer that does not exist" \
		waits_for "$early" 'waits.for.a.persistent.buffer.camp'
	job=$(asks 'persistent_create name=camp type=dir capacity=10MiB')
	check_within 60 "a job creates a persistent buffer" job_is "$job" COMPLETED
	check "the creating job's BurstBufferState is empty at its end" equal \
		"$(job_field "$job" BurstBufferState)" ''
	check "scontrol show burst lists the buffer by name" shows \
		'Name=camp CreateTime=[^ ]* Pool=[^ ]* Size=10MiB State=allocated UserID=alice'
	check "sysquery buffers lists the buffer" matches \
		"$(on ctl sysquery buffers --table)" ' camp +alice '
	check "bbstat shows the buffer's expiry" matches \
		"$(bbstat)" 'camp .* strict .*expires 20'
	check_within 60 "the job that waited for the buffer completes" \
		job_is "$early" COMPLETED
	job=$(submit -N2 --bb='persistent name=camp; stage_in source=/pfs/alice/in/ destination=$BB_camp/in' <<-'EOT'
		#!/bin/bash
		srun sh -c 'cp $BB_camp/in/0/f0 $BB_camp/r$SLURM_PROCID'
	EOT
	)
	check_within 60 "a job on two nodes uses the buffer" job_is "$job" COMPLETED
	job=$(submit -N1 <<-'EOT'
		#!/bin/bash
		#DW persistentdw name=camp
		#DW stage_out source=$DW_PERSISTENT_STRIPED_camp/ destination=/pfs/alice/camp type=directory
		ls "${DW_PERSISTENT_STRIPED_camp}in/.." >/pfs/alice/list
		[ "$DW_PERSISTENT_camp" = "$BB_camp/" ]
	EOT
	)
	check_within 60 "a third job stages out of the buffer" job_is "$job" COMPLETED
	check "the buffer has the files of the second job" equal \
		"$(tr '\n' ' ' <"$PFS/alice/list")" "in r0 r1 "
	check "the staged-in files are staged out" diff -qr "$PFS/alice/in" \
		"$PFS/alice/camp/in"
	check "the written files are staged out" cmp "$PFS/alice/in/0/f0" \
		"$PFS/alice/camp/r1"
}

test_strangers() {
	check "a name that is in use is refused" matches \
		"$(asks 'persistent_create name=camp type=dir capacity=10MiB' 2>&1)" \
		'there is a persistent buffer camp already'
	check "another user may not use the buffer" matches \
		"$(bob_asks 'persistent name=camp')" 'belongs to another user'
	check "another user may not destroy the buffer" matches \
		"$(bob_asks 'persistent_destroy name=camp')" \
		'belongs to another user'
}

waits_for_nothing_of_ours() { # JOB REASON
	local text
	text=$(on ctl scontrol -o show job "$1")
	[[ $text = *"Reason=$2 "* && $text != *'is destroyed'* &&
		$text != *'is made'* ]]
}

# What its job may not start for yet is not done yet.
test_not_yet() {
	local after late job held
	held=$(asks 'persistent name=camp' -H)
	after=$(asks 'persistent_destroy name=camp' -d "afterany:$held")
	late=$(asks 'persistent_destroy name=camp' --begin=now+7days)
	check "a destruction with a dependency does not wait for the buffer" \
		waits_for_nothing_of_ours "$after" Dependency
	check "a destruction with a begin time does not wait for the buffer" \
		waits_for_nothing_of_ours "$late" BeginTime
	job=$(submit --bb='persistent name=camp' -N1 <<<$'#!/bin/bash\nls ${BB_camp:?}/r0')
	check_within 60 "the buffer can be used while destructions are pending" \
		job_is "$job" COMPLETED
	check "the buffer exists while destructions are pending" persistent_is camp 3
	as_alice scancel "$late" "$after" "$held"
}

# Both daemons, and the service, are away meanwhile.
test_destroyed() {
	local user job
	user=$(submit --bb='persistent name=camp' -N1 <<-'EOT'
		#!/bin/bash
		until [ -e "/pfs/alice/go" ]; do sleep 0.2; done
		test -e "$BB_camp/r0"
	EOT
	)
	check_within 40 "a job uses the buffer while daemons are killed" \
		buffer_is "$user" RUNNING
	kill_slurmctld
	cluster kill ctl sluiced
	on n3 pkill -x sluice-node
	cluster start ctl sluiced
	cluster start ctl slurmctld
	serve
	job=$(asks 'persistent_destroy name=camp')
	check_within 40 "a destruction waits for the job that uses the buffer" \
		waits_for "$job" 'used|uses.it'
	check "the buffer exists while it is used" persistent_is camp 3
	touch "$PFS/alice/go"
	check_within 60 "the using job completes after the restarts" \
		job_is "$user" COMPLETED
	check_within 60 "the destruction completes after the use" \
		job_is "$job" COMPLETED
	check_within 10 "the buffer's directory is removed" is_empty "$PFS/jobs"
}

# Its creator would have it made anew if it were destroyed before.
test_destroyed_in_order() {
	local busy made gone
	rm -f "$PFS/alice/go"
	busy=$(submit -w n1 --exclusive <<-'EOT'
		#!/bin/bash
		until [ -e /pfs/alice/go ]; do sleep 0.2; done
	EOT
	)
	check_within 20 "a node is busy" job_is "$busy" RUNNING
	made=$(asks 'persistent_create name=brief type=dir capacity=10MiB' \
		-w n1 --exclusive)
	check_within 20 "a buffer is made for a job that waits for a node" \
		persistent_is brief 3
	gone=$(asks 'persistent_destroy name=brief' -w n2)
	check_within 20 "a destruction waits for the earlier job that creates" \
		waits_for "$gone" "until job $made"
	touch "$PFS/alice/go"
	check_within 60 "the creating job completes" job_is "$made" COMPLETED
	check_within 60 "the destruction completes after it" \
		job_is "$gone" COMPLETED
	check_within 10 "the buffer is gone" persistent_is brief 6
	check "it was made once" equal 1 \
		"$(query "SELECT count(*) FROM Buffer WHERE Name = 'brief'")"
}

# With servers, shared with a group, and with data that cannot be staged out.
test_servers() {
	local job
	job=$(asks 'persistent_create name=gl type=glusterfs coherence=shared capacity=60MiB group=alice lifetime=1h; persistent name=gl')
	check_within 90 "a buffer with servers is created and used" \
		job_is "$job" COMPLETED
	check_within 20 "sysquery buffers shows the used bytes of the buffer" \
		prints 'gl +[0-9]' \
		on ctl sysquery buffers --table -o job_name,used_bytes
	check "a request for strict coherence of a shared buffer is refused" matches \
		"$(asks 'persistent name=gl coherence=strict' 2>&1)" \
		'gl is shared, not strict'
	job=$(bob_asks 'persistent name=gl')
	check_within 20 "a user outside of the group is held, with the reason" \
		held_with "$job" 'belongs to alice'
	as_bob scancel "$job"
	job=$(submit --bb='persistent name=gl; stage_out source=$BB_gl/ destination=/pfs/nowhere/x' -N2 <<-'EOT'
		#!/bin/bash
		srun sh -c 'echo $SLURM_PROCID >$BB_gl/$SLURM_PROCID'
	EOT
	)
	check_within 60 "a job whose stage-out from the buffer fails is FAILED" \
		job_is "$job" FAILED
	check_within 40 "bbstat shows that the buffer has data not staged out" prints \
		"gl .*not staged out \(stage-out of job $job" \
		bbstat
	job=$(asks 'persistent_destroy name=gl')
	check_within 30 "destruction of such a buffer is held" \
		held_with "$job" 'force=yes'
	as_alice scancel "$job"
	job=$(submit --bb='persistent name=gl' -N1 <<<$'#!/bin/bash\ncat $BB_gl/*')
	check_within 60 "a job can read such a buffer" job_is "$job" COMPLETED
	check "such a buffer has all data" \
		equal "$(job_wrote "$job")" "$(printf '0\n1')"
	job=$(asks 'persistent_destroy name=gl force=yes')
	check_within 60 "destruction with force=yes completes" job_is "$job" COMPLETED
}

ahead_job() { # SOURCE SBATCH-OPTION...
	submit --bb="jobfs type=dir capacity=50MiB; stage_in source=$1 destination=\$BB_JOBFS/in; stage_out source=\$BB_JOBFS/in/ destination=/pfs/alice/ahead.%j" "${@:2}" <<-'EOT'
		#!/bin/bash
		srun ls "${BB_JOBFS:?}/in/0"
	EOT
}

reason_is() { # JOB REASON
	[ "$(on ctl squeue -h -j "$1" -o %r)" = "$2" ]
}

# The service is away at first, and slurmctld is killed meanwhile.
test_prestage() {
	local job
	on n3 pkill -x sluice-node
	job=$(ahead_job /pfs/alice/in/ -N2)
	check_within 40 "prestage: a job waits with reason BurstBufferStageIn" \
		reason_is "$job" BurstBufferStageIn
	check_within 20 "prestage: the waiting job has no nodes" has_no_nodes "$job"
	check_within 20 "prestage: BurstBufferState shows the set-up" \
		waits_for "$job" 'setup, 0 of 1 nodes'
	check "prestage: bbstat JOB shows the buffer" matches \
		"$(bbstat "$job")" "^$job +JOBFS +SETUP"
	check "prestage: scontrol show burst shows the job" \
		matches "$(on ctl scontrol -o show burst)" \
		"JobID=$job .*UserID=alice"
	kill_slurmctld
	cluster start ctl slurmctld
	serve
	check_within 90 "prestage: the job runs when its data is staged in" \
		job_is "$job" COMPLETED
	check "prestage: the job's output has all data" diff -qr "$PFS/alice/in" \
		"$PFS/alice/ahead.$job"
	check "prestage: the buffer's history says that it was staged in before" \
		matches \
		"$(on ctl sysquery buffers "$job")" 'staged in before, on n3'
	check_within 20 "prestage: no buffer is alive at the end" no_buffer_alive
	check_within 10 "prestage: the directory is removed" is_empty "$PFS/jobs"
}

has_no_nodes() { # JOB
	on ctl scontrol -o show job "$1" | grep -qE ' NodeList=(\(null\))?( |$)'
}

test_ahead_fails() {
	local job
	job=$(ahead_job /pfs/alice/later/ -N1)
	check_within 40 "prestage: a missing source holds the job" \
		held_with "$job" 'stage-in failed: n3: .*later'
	check "prestage: the held job had no buffer on nodes" equal \
		"$(query "SELECT count(*) FROM Buffer WHERE JobID = $job")" 0
	cp -a "$PFS/alice/in" "$PFS/alice/later"
	as_alice scontrol release "$job"
	check_within 90 "prestage: the released job completes" job_is "$job" COMPLETED
	cluster conf sluice.conf "OnStageInFailure=fail"
	cluster stop ctl sluiced
	cluster start ctl sluiced
	job=$(ahead_job /pfs/alice/nosuch/ -N1)
	check_within 40 "prestage: OnStageInFailure=fail: the job has failed" \
		job_is "$job" FAILED
	check "prestage: OnStageInFailure=fail: the job had no nodes" \
		has_no_nodes "$job"
	check "prestage: OnStageInFailure=fail: the job's record says why" matches \
		"$(on ctl scontrol -o show job "$job")" 'stage-in failed: n3: .*nosuch'
	cluster conf sluice.conf "OnStageInFailure=cancel"
	cluster stop ctl sluiced
	cluster start ctl sluiced
	job=$(ahead_job /pfs/alice/nosuch/ -N1)
	check_within 40 "prestage: OnStageInFailure=cancel: the job is cancelled" \
		job_is "$job" CANCELLED
	check "prestage: OnStageInFailure=cancel: the job had no nodes" \
		has_no_nodes "$job"
}

# All nodes are taken: the data comes all the same.
test_ahead_cancelled() {
	local job other
	other=$(submit -N3 --exclusive <<<$'#!/bin/bash\nsleep 600')
	wait_for 30 job_is "$other" RUNNING
	job=$(ahead_job /pfs/alice/in/ -N1)
	check_within 60 "prestage: data is staged in while all nodes are allocated" \
		matches_bbstat "$job" "staged in, waits for job $job"
	as_alice scancel "$job"
	check_within 40 "prestage: a cancelled job leaves no buffer" no_buffer_alive
	check_within 10 "prestage: a cancelled job leaves no directory" \
		is_empty "$PFS/jobs"
	as_alice scancel "$other"
	wait_for 30 nodes_idle "n[1-3]"
}

array_ids() { # JOB
	on ctl scontrol -o show job "$1" | grep -oE '^JobId=[0-9]+' | cut -d= -f2
}

both_complete() { # JOB
	[ "$(on ctl scontrol -o show job "$1" | grep -c JobState=COMPLETED)" = 2 ]
}

# Slurm gives each task that waits a number of its own.
test_ahead_array() {
	local job id
	job=$(ahead_job /pfs/alice/in/ -N1 --array=1-2)
	check_within 120 "prestage: both tasks of an array complete" \
		both_complete "$job"
	for id in $(array_ids "$job"); do
		check "prestage: task $id was staged in before" matches \
			"$(on ctl sysquery buffers "$id")" 'staged in before'
	done
}

matches_bbstat() { # JOB WORDS
	bbstat "$1" | grep -qE "$2"
}

test_expiry() {
	local job first
	first=$(asks 'persistent name=short' -H)
	job=$(asks 'persistent_create name=short type=dir capacity=10MiB lifetime=8s' \
		-d "afterany:$first")
	check "a creation with a dependency does not begin" \
		waits_for_nothing_of_ours "$job" Dependency
	as_alice scancel "$first"
	check_within 40 "a buffer with a lifetime of 8 s is created" \
		job_is "$job" COMPLETED
	check_within 60 "the buffer is destroyed after its lifetime" \
		persistent_is short 6
}

# The database as it is while a buffer is being made, in $DB.older; a job writes
# into it later.
made_since() { # NAME
	local job
	asks "persistent_create name=$1 type=glusterfs capacity=60MiB coherence=shared" \
		>/dev/null
	LIMIT=30 on n3 sh -c 'until ls /run/sluice/4*/plan.json
		do sleep 0.005; done >/dev/null 2>&1
		pkill -STOP -x sluice-node'
	check "$1: a buffer is in set-up" persistent_is "$1" 1
	rm -f "$DB.older"
	sqlite3 "$DB" "VACUUM INTO '$DB.older'"
	thaw n3
	check_within 120 "$1: the buffer's set-up completes" persistent_is "$1" 3 ||
		note "$(on n3 tail -n 20 /var/log/serve.log)"
	job=$(submit --bb="persistent name=$1" -N1 \
		<<<$'#!/bin/bash\necho precious >"'"\$BB_$1"$'/data"')
	check_within 60 "$1: a job writes to the buffer" job_is "$job" COMPLETED
	check_within 30 "$1: nothing of the buffer is left on the job's nodes" \
		nothing_left n1 n2
}

restore_database() {
	cluster stop ctl sluiced
	rm -f "$DB-wal" "$DB-shm"
	mv "$DB.older" "$DB"
	chown --reference="$(dirname "$DB")" "$DB"
	cluster start ctl sluiced
}

# It is restored. The nodes of the buffer make nothing anew, and go through all
# of it, so that it goes on.
test_older() {
	local job early
	early=$(asks 'persistent name=old coherence=strict')
	made_since old
	check_within 40 "old: a job that wants strict coherence is held" \
		held_with "$early" 'old is shared, not strict'
	as_alice scancel "$early"
	restore_database
	check_within 60 "old: an older database learns the buffer's state from its nodes" \
		\
		persistent_is old 3
	job=$(submit --bb='persistent name=old' -N2 \
		<<<$'#!/bin/bash\nsrun cat "$BB_old/data"')
	check_within 60 "old: a job uses the buffer with the older database" \
		job_is "$job" COMPLETED
	check "old: the buffer has the data written before" \
		equal "$(job_wrote "$job")" \
		"$(printf 'precious\nprecious')"
	job=$(asks 'persistent_destroy name=old')
	check_within 60 "old: the buffer can be destroyed" job_is "$job" COMPLETED
}

# They are not heard in time: sluiced gives it up, which they do not believe.
test_too_late() {
	cluster conf sluice.conf SetupTimeout=15
	cluster stop ctl sluiced
	cluster start ctl sluiced
	made_since late
	on n3 pkill -STOP -x sluice-node
	restore_database
	check_within 60 "late: with the older database the set-up fails after its timeout" \
		\
		\
		prints 1 query "SELECT Failure IS NOT NULL FROM Buffer
			WHERE Name = 'late' ORDER BY BID DESC LIMIT 1"
	thaw n3
	check_within 60 "late: the buffer ends" persistent_is late 6
	check "late: the node keeps the data" on n3 sh -c \
		'grep -rqx precious /local/sluice/kept'
	check "late: the node's log says why" \
		on n3 grep -q 'not know that this buffer was made' \
		/var/log/serve.log
}

cluster_up --nodes 3 --ions 0 --disk 1G
make_input in 40 2
install -d -m 711 "$PFS/jobs"
cluster conf sluice.conf \
	"FileSystem=dir Driver=lustre root=/pfs/jobs lfs=/pfs/lfs" \
	"PersistentNodes=n3" "PersistentLifetime=2d" "StagingNodes=n3"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
serve
wait_for 10 offered
wait_for 20 nodes_idle "n[1-3]"
test_refused
test_transitions
test_strangers
test_not_yet
test_destroyed
test_destroyed_in_order
test_servers
test_expiry
test_prestage
test_ahead_array
test_ahead_fails
test_ahead_cancelled
test_older
test_too_late
on n3 pkill -x sluice-node
check_within 20 "no storage of persistent buffers is left" nothing_left n1 n2 n3
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
