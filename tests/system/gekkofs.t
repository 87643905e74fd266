#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# GekkoFS under real Slurm: the stand-ins of tests/fakes, or the real one that
# is installed below $GEKKOFS (tools/test gekkofs). It is there for steps and
# not for batch scripts; what was staged in is read whole on every node, also by
# jobs with I/O nodes; holes; names that it confuses; what its clients meet in
# the environment; forked children.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
FAKES=${FAKES:-$TOP/build-test/plain/tests/fakes}

stand_in() {
	[ -x "$FAKES/fake_gkfs_daemon" ] || skip_all "tests/fakes are not built"
	cp "$FAKES/fake_gkfs_daemon" "$FAKES/.libs/fake_gkfs_intercept.so" \
		"$PFS/"
	install -d -m 1777 "$PFS/store"
	printf '#!/bin/sh\nFAKE_GKFS_STORE=/pfs/store exec %s "$@"\n' \
		/pfs/fake_gkfs_daemon >"$PFS/gkfs_daemon"
	chmod 755 "$PFS/gkfs_daemon"
	SERVER=/pfs/gkfs_daemon LIBRARY=/pfs/fake_gkfs_intercept.so
}

real_one() {
	SERVER=$GEKKOFS/bin/gkfs_daemon
	LIBRARY=$(find "$GEKKOFS"/lib* -name libgkfs_intercept.so | head -n 1)
	[ -x "$SERVER" ] && [ -n "$LIBRARY" ] ||
		skip_all "no GekkoFS below $GEKKOFS"
}

ended() { # JOB
	job_is "$1" COMPLETED FAILED CANCELLED NODE_FAIL TIMEOUT
}

# With a forwarding map where the cluster has I/O nodes; its script is on
# standard input; prints the id.
run_job() { # BB [SBATCH-OPTION...]
	local job
	job=$(submit -N2 -w 'n[1-2]' --bb="jobfs type=gkfs capacity=100MiB; $1" \
		"${@:2}") || return
	wait_for 180 ended "$job"
	wait_for 60 no_buffer_alive
	echo "$job"
}

completed() { # TEXT JOB
	check "$1: the job completes" equal "$(job_field "$2" JobState)" \
		COMPLETED
	check "$1: nothing is left" nothing_left n1 n2
}

make_files() {
	make_input in 20 3
	mkdir -p "$PFS/alice/odd"
	truncate -s 5M "$PFS/alice/odd/sparse"
	dd if="$PFS/alice/in/large0" of="$PFS/alice/odd/sparse" bs=1000 \
		count=9 seek=3000 conv=notrunc status=none
	head -c 9000000 /dev/urandom >"$PFS/alice/new"
	chown -R --reference="$PFS/alice" "$PFS/alice"/{odd,new}
}

test_steps() {
	local job text
	job=$(run_job 'stage_in source=/pfs/alice/in destination=$BB_JOBFS; stage_out source=$BB_JOBFS/in/1 destination=/pfs/alice/gk; stage_out source=$BB_JOBFS/in/1/f1 destination=/pfs/alice/gk.one type=file' <<-'EOT'
		#!/bin/bash
		echo "batch: ${LD_PRELOAD:-nothing}"
		srun bash -c 'cat $BB_JOBFS/in/1/f1; echo $SLURM_PROCID >$BB_JOBFS/in/1/rank.$SLURM_PROCID'
		export LIBGKFS_FORWARDING_MAP_FILE=/nowhere LIBGKFS_LOG=all
		ulimit -Sn 1024
		srun -N1 -n1 sh -c 'echo "led: ${LIBGKFS_FORWARDING_MAP_FILE:-nowhere} $LIBGKFS_LOG $(ulimit -n)"'
		srun -N1 -n1 bash -c '(echo x >$BB_JOBFS/forked) || echo "it goes on"' 2>&1
		srun -N1 -n1 bash -c 'ls $BB_JOBFS/in | wc -l'
	EOT
	)
	completed "steps" "$job"
	text=$(job_output "$job")
	check "the batch script has no GekkoFS library in LD_PRELOAD" matches "$text" \
		'^batch: nothing$'
	check "a step reads what was staged in" matches "$text" '^small file 1$'
	check "a step's client ignores settings from the job's environment" \
		matches "$text" \
		'^led: nowhere none 20000$'
	check "a forked child without exec is refused" matches "$text" \
		'^sluice: .*/forked: a forked process'
	check "the parent of a refused child continues" matches "$text" '^it goes on$'
	check "a program in a pipe reads the file system" matches "$text" '^13$'
	check "what steps wrote is staged out" equal \
		"$(cat "$PFS"/alice/gk/1/rank.*)" "$(printf '0\n1')"
	check "staged-in files are staged out with it" cmp "$PFS/alice/in/1/f1" \
		"$PFS/alice/gk/1/f1"
	check "a single file is staged out" cmp "$PFS/alice/in/1/f1" "$PFS/alice/gk.one"
}

# Clients with a forwarding map would look for all data on one daemon.
test_ions() {
	local job
	job=$(run_job 'stage_in source=/pfs/alice/in destination=$BB_JOBFS; stage_out source=$BB_JOBFS/res destination=/pfs/alice/res; forward pattern=any' <<-'EOT'
		#!/bin/bash
		srun -N1 -n1 sh -c 'echo "map: $SLUICE_IONS $LIBGKFS_FORWARDING_MAP_FILE."; mkdir $BB_JOBFS/res'
		srun --ntasks-per-node=1 cmp /pfs/alice/in/large2 $BB_JOBFS/in/large2 && echo "in: equal"
		srun -N1 -n1 cp /pfs/alice/new $BB_JOBFS/res/new
		srun --ntasks-per-node=1 cmp /pfs/alice/new $BB_JOBFS/res/new && echo "new: equal"
	EOT
	)
	completed "with I/O nodes" "$job"
	check "with I/O nodes: the buffer's clients have no forwarding map" \
		matches "$(job_output "$job")" \
		'^map:  \.$'
	check "with I/O nodes: both nodes read all that was staged in" matches \
		"$(job_output "$job")" '^in: equal$'
	check "with I/O nodes: both nodes read what one has written" \
		matches "$(job_output "$job")" '^new: equal$'
	check "with I/O nodes: a file is staged out whole" cmp "$PFS/alice/new" \
		"$PFS/alice/res/res/new"
	job=$(submit -N1 --bb='forward pattern=any' <<-'EOT'
		#!/bin/bash
		srun sh -c 'echo "map: $LIBGKFS_FORWARDING_MAP_FILE, proxy: $LIBGKFS_PROXY_PID_FILE"'
	EOT
	)
	wait_for 60 ended "$job"
	check "a job without such a buffer has its forwarding map, and no proxy" \
		matches \
		"$(job_output "$job")" \
		'^map: /pfs/.sluice/.+\.map, proxy: /run/sluice/no_proxy$'
}

test_holes() {
	local job
	job=$(run_job 'stage_in source=/pfs/alice/odd destination=$BB_JOBFS; stage_out source=$BB_JOBFS/odd destination=/pfs/alice/oddout; stage_out source=$BB_JOBFS/sp destination=/pfs/alice/spout verify=content' <<-'EOT'
		#!/bin/bash
		srun -N1 -n1 mkdir $BB_JOBFS/sp
		srun -N1 -n1 cp /pfs/alice/new $BB_JOBFS/sp/a_first
		srun -N1 -n1 dd if=/pfs/alice/new of=$BB_JOBFS/sp/hole bs=300K count=2 status=none
		srun -N1 -n1 dd if=/pfs/alice/new of=$BB_JOBFS/sp/hole bs=300K count=9 skip=11 seek=10 conv=notrunc status=none
		srun cmp /pfs/alice/odd/sparse $BB_JOBFS/odd/sparse && echo "sparse: equal"
	EOT
	)
	completed "holes" "$job"
	dd if="$PFS/alice/new" of="$PFS/plain" bs=300K count=2 status=none
	dd if="$PFS/alice/new" of="$PFS/plain" bs=300K count=9 skip=11 seek=10 \
		conv=notrunc status=none
	check "a sparse input is read whole" matches "$(job_output "$job")" \
		'^sparse: equal$'
	check "a sparse file is staged out unchanged" cmp "$PFS/alice/odd/sparse" \
		"$PFS/alice/oddout/odd/sparse"
	check "a hole arrives as zeros" cmp "$PFS/plain" \
		"$PFS/alice/spout/sp/hole"
}

refused() { # JOB TEXT
	job_field "$1" Reason | tr _ ' ' | grep -qF -- "$2"
}

test_colons() {
	local job
	mkdir -p "$PFS/alice/colons/d"
	echo one >"$PFS/alice/colons/d/x"
	echo two >"$PFS/alice/colons/d:x"
	chown -R --reference="$PFS/alice" "$PFS/alice/colons"
	job=$(submit -N2 -w 'n[1-2]' --bb='jobfs type=gkfs capacity=100MiB; stage_in source=/pfs/alice/colons destination=$BB_JOBFS' <<<$'#!/bin/sh\ntrue')
	check_within 60 "a source with ':' in names is refused" \
		refused "$job" "has a ':' in its name"
	as_alice scancel "$job"
	wait_for 60 no_buffer_alive
}

# What a stage-out could not bring away its owner fetches, piece by piece; the
# stand-in keeps no chunks.
test_kept() {
	local job node
	install -d -m 755 "$PFS/closed"
	job=$(run_job 'stage_in source=/pfs/alice/in destination=$BB_JOBFS; stage_out source=$BB_JOBFS/in destination=/pfs/closed/' <<-'EOT'
		#!/bin/bash
		srun -N1 -n1 cp /pfs/alice/new $BB_JOBFS/in/new
	EOT
	)
	check "a failed stage-out says how its owner can fetch the data" refused \
		"$job" "in pieces, which this joins: srun"
	for node in n1 n2; do
		check "the owner fetches the kept data of $node" bounded_exec \
			-u alice "$node" /opt/sluice/bin/sluice-node fetch \
			--job "$job" --to /pfs/alice/fetched
	done
	check "a file that a step wrote is joined from the fetched pieces" \
		cmp "$PFS/alice/new" \
		"$PFS/alice/fetched/in/new"
	rm "$PFS/alice/fetched/in/new"
	check "all staged-in files are joined from the fetched pieces" \
		diff -r "$PFS/alice/in" \
		"$PFS/alice/fetched/in"
}

daemon_of() { # NODE
	on "$1" cat /proc/sys/kernel/hostname >/dev/null &&
		on "$1" sh -c 'cat /run/sluice/*/wd/daemon.0.pid' |
		cut -d' ' -f1
}

is_set_up() { # JOB
	[ "$(buffer_state "$1")" = RUNNING ]
}

test_loss() {
	local job
	job=$(submit -N2 -w 'n[1-2]' --bb='jobfs type=gkfs capacity=100MiB' \
		<<<$'#!/bin/sh\nsleep 600')
	wait_for 60 is_set_up "$job"
	on n2 kill -9 "$(daemon_of n2)"
	check_within 30 "a job whose daemon dies is ended" job_is "$job" FAILED
	check "the job's reason names the daemon that has died" refused "$job" \
		"n2: a daemon of gkfs (GekkoFS) has ended"
	check_within 60 "the buffer of the ended job is removed" no_buffer_alive
}

cluster_up --nodes 2 --ions 1 --disk 1G
if [ -n "${GEKKOFS:-}" ]; then real_one; else stand_in; fi
make_files
cluster conf sluice.conf \
	"FileSystem=gkfs Driver=gekkofs Unauthenticated=accept server=$SERVER library=$LIBRARY"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
wait_for 20 nodes_idle 'n[1-2]'
wait_for 20 knows gkfs
check "the probe runs GekkoFS's programs" matches \
	"$(on n1 /opt/sluice/bin/sluice-node probe)" \
	'^FileSystem gkfs +ok +driver gekkofs 0\.'
test_steps
test_ions
test_holes
test_colons
[ -z "${GEKKOFS:-}" ] || test_kept
[ -n "${GEKKOFS:-}" ] ||
	check "GekkoFS's daemons have ended" equal "$(ls "$PFS/store")" ""
test_loss
finish
