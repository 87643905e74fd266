#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job's glusterfs with shard=, on two nodes, each of which sees times of its
# own of a file in pieces: what is staged in and out arrives byte by byte, and a
# file that is changed meanwhile, in a way that only the node that writes can
# see, is refused.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
SIZES=(0 $((4 * 1048576 - 1)) $((4 * 1048576)) $((4 * 1048576 + 1))
	$((90 * 1048576)))

make_files() {
	mkdir "$PFS/alice/in"
	for size in "${SIZES[@]}"; do
		head -c "$size" /dev/urandom >"$PFS/alice/in/$size"
		touch -d '2001-02-03 04:05:06.7' "$PFS/alice/in/$size"
	done
	chown -R --reference="$PFS/alice" "$PFS/alice/in"
}

# Each node copies all of the input to a directory of its own, the first by
# small writes; then bytes of a later piece of a file are written over.
copier() { # VERIFY
	submit -N2 -w 'n[1-2]' --no-requeue --bb="jobfs profile=sharded capacity=500MiB
stage_in source=/pfs/alice/in/ destination=\$BB_JOBFS/in verify=$1
stage_out source=\$BB_JOBFS/out/ destination=/pfs/alice/out.%j/ verify=$1
stage_out source=\$BB_JOBFS/out/n1/${SIZES[4]} destination=/pfs/alice/big.%j type=file verify=$1" <<-'EOT'
		#!/bin/bash
		set -e
		cd "${BB_JOBFS:?}"
		mkdir out out/n1 out/n2
		srun -n2 sh -ec 'for f in in/*; do
			dd if=$f of=out/$(hostname)/${f#in/} bs=100k status=none
		done'
		for f in in/* out/n1/*; do
			cmp $f /pfs/alice/in/${f##*/}
		done
		big=out/n1/94371840
		dd if=/pfs/alice/in/94371840 of=$big bs=1M skip=50 seek=50 count=1 \
			conv=notrunc status=none
	EOT
}

whole() { # JOB
	diff -r "$PFS/alice/in" "$PFS/alice/out.$1/n1" &&
		diff -r "$PFS/alice/in" "$PFS/alice/out.$1/n2" &&
		cmp "$PFS/alice/in/${SIZES[4]}" "$PFS/alice/big.$1"
}

test_arrives() { # VERIFY
	local job
	job=$(copier "$1")
	check_within 200 "a job with verify=$1 ends" job_ended "$job"
	check_within 200 "its buffer is gone" no_buffer_alive
	check "the job was COMPLETED" equal "$(job_field "$job" JobState)" \
		COMPLETED
	check "all that both nodes wrote has arrived" whole "$job"
	check "it was compared by content" matches "$(job_output "$job")" \
		'staged out .* by content'
	note "$(job_output "$job")"
}

# As root, through a node's mount: a process that has outlived the job.
keep_changing() { # HOST JOB FILE
	on "$1" sh -c "while [ -e /pfs/alice/changing ]; do
		date +%N | dd of=/run/sluice/$2/mnt/data/$3 bs=1 \
			seek=40000000 conv=notrunc status=none
	done" 2>/dev/null
}

test_changed() { # HOST
	local job
	job=$(submit -N2 -w 'n[1-2]' --no-requeue --bb="jobfs profile=sharded capacity=300MiB
stage_out source=\$BB_JOBFS/big destination=/pfs/alice/big.%j type=file" <<-EOT
		#!/bin/bash
		cp /pfs/alice/in/${SIZES[4]} \$BB_JOBFS/big
		touch /pfs/alice/written
		while [ -e /pfs/alice/written ]; do sleep 0.1; done
	EOT
	)
	check_within 60 "a job writes a large file" test -e "$PFS/alice/written"
	touch "$PFS/alice/changing"
	keep_changing "$1" "$job" big &
	rm "$PFS/alice/written"
	check_within 60 "the file that $1 changes meanwhile is refused" \
		prints 'big.* its content differs' job_output "$job"
	rm "$PFS/alice/changing"
	wait
	check "no such file arrives" fails test -e "$PFS/alice/big.$job"
	on n1 sluice-node discard --job "$job" >/dev/null 2>&1
	check_within 100 "its buffer is gone" no_buffer_alive
}

cluster_up --nodes 2 --ions 0 --disk 900M
cluster conf sluice.conf \
	"Profile=sharded type=glusterfs shard=4MiB coherence=private"
cluster stop ctl sluiced
cluster start ctl sluiced
on ctl scontrol reconfigure
make_files
test_arrives size
test_arrives content
test_changed n1
test_changed n2
finish
