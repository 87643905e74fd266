#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts as people write them, in both languages: what is wrong in them is
# told at submission, all of it with its line; what is right works.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"

says() { # TEXT OUTPUT REGEX...
	local text=$1 said=$2
	shift 2
	for words in "$@"; do
		check "$text: $words" matches "$said" "$words"
	done
}

test_lines() {
	local said
	said=$(submit -N1 2>&1 <<-'EOT'
		#!/bin/bash
		# BB jobfs capacity=20MiB
		#BB jobfs capacity=20MiB
		#BB stage_in soruce=/pfs/alice/in destination=$BB_JOBFS
		cd /tmp
		cat >other.sh <<END
		#BB jobfs capacity=1GiB
		END
		#BB stage_out source=$BB_JOBFS/ destination=/pfs/alice/lost
		x #DW jobdw capacity=1GiB
	EOT
	)
	says "each mistake is named with its line" "$said" \
		'line 4: stage_in: unknown key "soruce"; did you mean source \(column 14\)' \
		'line 2: "# BB jobfs.*is a comment: write #BB' \
		'line 9: "#BB stage_out.* behind the first command \(line 5\)' \
		'line 10: "#DW jobdw.*no effect behind a command'
	check "a here-document's #BB lines are ignored" equal \
		"$(grep 'line 7' <<<"$said")" ""
	said=$(submit -N1 2>&1 <<-'EOT'
		#!/bin/bash
		#DW jobdw capacity=20MiB access_mode=private
		#DW stage_in type=file source=/pfs/alice/in/0/f0 destination=$DW_JOB_STRIPED/x
		#DW stage_out type=file source=$DW_JOB_PRIVATE/x destination=/pfs/$USER/x
		cd "$DW_JOB_STRIPED/"
	EOT
	)
	says "unknown variables are named" "$said" \
		'line 3: .*no \$DW_JOB_STRIPED; its file system is \$DW_JOB_PRIVATE' \
		'line 4: .*\$USER is not known before the job runs; write %u'
	said=$(submit -N1 2>&1 <<-'EOT'
		#!/bin/bash
		#BB jobfs capacty=20MiB
		#BB stage_in source=$HOME/in destination=$BB_JOBFS/
		true
	EOT
	)
	says "all mistakes are named" "$said" \
		'line 2: .*did you mean capacity \(column 11\)' \
		'line 3: .*\$HOME is not known .*%u is the user, %j the job'
	check "a variable that the job will not have is named with its line" matches \
		"$(submit -H -N1 2>&1 <<-'EOT'
			#!/bin/bash
			#DW jobdw capacity=20MiB type=scratch access_mode=private
			cd $DW_JOB_STRIPED
		EOT
		)" 'line 3: this job has no \$DW_JOB_STRIPED; .*\$DW_JOB_PRIVATE'
	as_alice scancel -u alice
	printf '# BB limit tighten=no\n#BB capacity=20MiB\n' >"$PFS/alice/bbf"
	says "srun --bbf" "$(as_alice srun -N1 --bbf=/pfs/alice/bbf true 2>&1)" \
		'line 1: "# BB limit.*is a comment'
	says "salloc --bb" "$(as_alice salloc -N1 \
		--bb='capacity=20MiB; stage_in source=/pfs/$HOME destination=$BB_JOBFS' true 2>&1)" \
		'\$HOME is not known before the job runs'
	echo 'jobfs capacity=20MiB' >"$PFS/alice/bbf"
	says "sbatch --bbf" "$(submit -N1 --bbf=/pfs/alice/bbf 2>&1 \
		<<<$'#!/bin/bash\ntrue')" 'line 2: "jobfs.*is a command here'
	says "capacity of a line" "$(submit -N1 2>&1 <<-'EOT'
		#!/bin/bash
		#
		#BB jobfs capacity=20EiB
	EOT
	)" 'line 3: jobfs'
}

preview() { # SBATCH-OPTION...: of a script in a file, held
	as_alice sbatch -H "$@" /pfs/alice/seen.sh 2>&1
}

# Who reads all that sbatch says waits for its end.
preview_captured() {
	local said
	said=$(preview -N1) && matches "$said" 'Submitted batch job'
}

# On the submit host sources are looked at, which warns and no more.
test_preview() {
	local said
	head -c 30M /dev/zero >"$PFS/alice/big"
	chown --reference="$PFS/alice" "$PFS/alice/big"
	cat >"$PFS/alice/seen.sh" <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=20MiB
		#BB stage_in source=/pfs/alice/none destination=$BB_JOBFS/
		#BB stage_in source=/pfs/%u/big destination=$BB_JOBFS/
		true
	EOT
	check "sources are not checked without CliFilterPlugins=sluice" fails matches \
		"$(preview -N1)" warning
	cluster conf slurm.conf CliFilterPlugins=sluice
	said=$(preview -N1)
	says "preview of sources" "$said" \
		'warning: line 3: .*/pfs/alice/none cannot be read on this host: No such' \
		'warning: 30MiB to stage into 20MiB: ' 'Submitted batch job'
	sed -i 's/capacity=20MiB/type=scratch capacity=40MiB/' \
		"$PFS/alice/seen.sh"
	says "preview for two nodes" "$(preview -N2)" \
		'warning: 30MiB to stage into 20MiB: '
	check "input that fits on one node gives no warning" \
		fails matches "$(preview -N1)" 'to stage into'
	says "preview of --bb" "$(as_alice sbatch -H -N1 --wrap=true --bb='capacity=20MiB; stage_in source=/pfs/alice/big destination=$BB_JOBFS/' 2>&1)" \
		'warning: 30MiB to stage into 20MiB: ' 'Submitted batch job'
	says "preview by srun" "$(as_alice srun -N1 --bb='capacity=20MiB; stage_in source=/pfs/alice/none destination=$BB_JOBFS/' true 2>&1)" \
		'warning: stage_in: /pfs/alice/none cannot be read on this host'
	printf '#!/bin/sh\nexec tail -f /dev/null\n' >"$PFS/hangs"
	chmod 755 "$PFS/hangs"
	on ctl mount --bind /pfs/hangs /opt/sluice/bin/sluice-preview
	check "a sluice-preview that hangs does not block sbatch" \
		quietly preview_captured
	check "sluice-preview was hanging indeed" quietly on ctl pkill -x tail
	on ctl umount /opt/sluice/bin/sluice-preview
	on ctl scancel -u alice
	sed -i '/^CliFilterPlugins/d' \
		"/run/sluice-clusters/$CLUSTER/etc/slurm/slurm.conf"
}

late_line() {
	printf '#!/bin/bash\ntrue\n#BB jobfs capacity=20MiB\n' |
		submit -N1 >"$PFS/alice/said" 2>&1
}

test_warned() {
	cluster conf sluice.conf Stray=warn
	on ctl scontrol reconfigure
	check_within 20 "with Stray=warn a late #BB line is accepted" late_line
	check "with Stray=warn a late #BB line is named" \
		matches "$(cat "$PFS/alice/said")" \
		'sluice: line 3: "#BB jobfs.*behind the first command'
	check_within 40 "with Stray=warn the job completes" \
		job_is "$(tail -1 "$PFS/alice/said")" \
		COMPLETED
}

# Each node has files of its own, or they share them.
test_names() { # TYPE KEY=VALUE NODE...
	local job type=$1 how=$2 node
	shift 2
	job=$(submit -N2 -w 'n[1-2]' <<-EOT
		#!/bin/bash
		#DW jobdw $how capacity=60MiB name=-x_0
		#DW copy_in source=/pfs/alice/in/0/f0 destination=\${DW_JOB__x_0}in profile=any
		#DW copy_out source="\$DW_JOB_-x_0"/in destination=/pfs/alice/$type.\$SLURM_JOB_ID/as
		#DW copy_out source=\$DW_JOB_-x_0 destination=/pfs/alice/$type.%j/all
		srun cmp /pfs/alice/in/0/f0 "\${DW_JOB__x_0}in"
		srun sh -c 'echo x >"\${DW_JOB__x_0}"out'
	EOT
	)
	check_within 60 "$type: the job ends" job_is "$job" COMPLETED
	for node in "$@"; do
		check "$type: a file is copied to the requested name" cmp \
			"$PFS/alice/in/0/f0" "$PFS/alice/$type.$job/${node}as"
		check "$type: the other files are copied out" test -e \
			"$PFS/alice/$type.$job/all/${node}out"
	done
}

# A directory for all nodes, and one for each, as Cray's own examples ask for.
test_both() { # TYPE
	local job
	job=$(submit -N2 -w 'n[1-2]' <<-EOT
		#!/bin/bash
		#DW jobdw type=$1 capacity=60MiB access_mode=striped,private
		#DW stage_out type=directory source=\$DW_JOB_STRIPED destination=/pfs/alice/both.%j
		srun sh -c 'hostname >"\${DW_JOB_PRIVATE}me"'
		srun sh -c 'cp "\${DW_JOB_PRIVATE}me" "\${DW_JOB_STRIPED}\$SLURM_PROCID"
			ls "\$DW_JOB_PRIVATE" >"\${DW_JOB_STRIPED}ls.\$SLURM_PROCID"'
	EOT
	)
	check_within 60 "$1: a job with access_mode=striped,private completes" \
		job_is "$job" COMPLETED
	check "$1: each node has its own private directory" equal \
		"$(sort "$PFS/alice/both.$job/"[01])" "$(printf 'n1\nn2')"
	check "$1: a private directory has no other files" equal \
		"$(cat "$PFS/alice/both.$job/"ls.[01])" "$(printf 'me\nme')"
	check "$1: private directories are not staged out" equal \
		"$(cd "$PFS/alice/both.$job" && echo *)" '0 1 ls.0 ls.1'
	check_within 40 "$1: nothing is left" nothing_left n1 n2
}

reserve() { # NAME BURST-BUFFER NODES START
	on ctl scontrol create reservation ReservationName="$1" Users=alice \
		Nodes="$3" StartTime="$4" Duration=60 BurstBuffer="$2"
}

waits_for_reserved() { # JOB
	on ctl scontrol show job "$1" | tr _ ' ' |
		grep -qE 'waits for 60MiB of pool nodes: .*, reservations 100GiB'
}

# Storage that is reserved is kept from jobs that would run into that time, but
# for those that are in the reservation.
test_reservation() {
	local other in before
	reserve r 100G n1 now
	other=$(submit -N1 -w n2 -t 10 --bb='capacity=60MiB' \
		<<<$'#!/bin/bash\ntrue')
	check_within 20 "a job outside of the reservation waits for reserved storage" \
		waits_for_reserved "$other"
	in=$(submit -N1 -w n1 -t 10 --reservation=r --bb='capacity=60MiB' \
		<<<$'#!/bin/bash\ntrue')
	check_within 60 "a job in the reservation gets reserved storage" \
		job_is "$in" COMPLETED
	check "the job outside of the reservation still waits" job_is "$other" PENDING
	on ctl scontrol delete ReservationName=r
	check_within 90 "it runs when the reservation is deleted" \
		job_is "$other" COMPLETED
	reserve r 100G n1 now+2hours
	before=$(submit -N1 -w n2 -t 10 --bb='capacity=60MiB' \
		<<<$'#!/bin/bash\ntrue')
	check_within 60 "a job that ends before the reservation begins runs" \
		job_is "$before" COMPLETED
	check "bbstat shows reserved storage" matches "$(bbstat)" \
		'BurstBuffer=100G.* is kept from jobs that are not in them'
	on ctl scontrol delete ReservationName=r
	reserve r nosuch:1G n1 now+2hours
	check "bbstat shows a BurstBuffer= of a reservation without effect" matches \
		"$(bbstat)" 'BurstBuffer=nosuch:1G.* no effect'
	check "slurmctld logs a BurstBuffer= of a reservation without effect" grep -q \
		'sluice: a reservation has BurstBuffer=nosuch:1G, which has no effect' \
		"/run/sluice-clusters/$CLUSTER/log/ctl/slurmctld.log"
	on ctl scontrol delete ReservationName=r
}

cluster_up --nodes 2 --ions 0
make_input in 10 1
test_lines
test_preview
test_warned
test_names scratch access_mode=private n1/ n2/
test_names glusterfs type=glusterfs ""
test_both glusterfs
test_reservation
check "no node was drained" no_node_drained
check "the database is sound" database_sound
finish
