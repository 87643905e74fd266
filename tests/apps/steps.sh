# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# How a job's script runs programs on its nodes. Sourced by job. All of them run
# in $W, the program's own directory in the job's file system; nodes are counted
# from 0, and LAST is the last one.
mapfile -t NODE < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
LAST=$((${#NODE[@]} - 1))
PPN=$((${#NODE[@]} == 1 ? 4 : 2)) # ranks a node

# shellcheck disable=SC2016
step() { # SRUN-OPTION... -- COMMAND...
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1") && shift
	done
	shift
	srun -Q --overlap --overcommit --mpi=none "${options[@]}" \
		sh -c 'cd "${W:-/}" && exec "$@"' sh "$@"
}

on() { # NODE COMMAND...
	local host=${NODE[$1]}
	shift
	step -N1 -n1 -w "$host" -- "$@"
}

# One process a node, at once.
each() { # COMMAND...
	step -N ${#NODE[@]} -n ${#NODE[@]} --ntasks-per-node=1 -- "$@"
}

# As many processes as an MPI program has ranks: $SLURM_PROCID of $SLURM_NTASKS.
tasks() { # COMMAND...
	step -N ${#NODE[@]} -n $((PPN * ${#NODE[@]})) -- "$@"
}

# Debian's Open MPI by its own mpirun, which starts a daemon on each node by a
# step of Slurm's. (Under srun Debian's MPICH waits in MPI_Finalize() for ever,
# one run in four: a rank in UCX, the others in PMI's barrier.)
mpi() { # [-n RANKS] COMMAND...: RANKS in place of PPN on each node
	local ranks=$((PPN * ${#NODE[@]})) ppn=$PPN
	if [ "$1" = -n ]; then
		ranks=$2
		ppn=$(((ranks + LAST) / ${#NODE[@]}))
		shift 2
	fi
	launch -n "$ranks" --map-by "ppr:$ppn:node" "$@"
}

mpi_on() { # NODE COMMAND...: one rank
	local host=${NODE[$1]}
	shift
	launch -n 1 --host "$host" "$@"
}

# Where only programs go that have a library preloaded, MPI's daemons do not:
# ranks get what a step has, and begin in /, where relative names come to
# nothing.
launch() { # MPIRUN-OPTION... COMMAND...
	local dir=$W given=()
	[ -d "$W" ] || {
		dir=/
		mapfile -t given < <(W=/ on 0 env |
			grep -E '^(LD_PRELOAD|LIBGKFS_[A-Z_]*)=' |
			sed 's/^/-x\n/')
	}
	mpirun.openmpi "${given[@]}" --oversubscribe \
		--mca btl self,vader,tcp --mca btl_tcp_if_include eth0 \
		--mca btl_vader_single_copy_mechanism none \
		--mca mpi_yield_when_idle 1 -wdir "$dir" "$@"
}

romio() { # [-n RANKS] COMMAND...
	OMPI_MCA_io=romio321 mpi "$@"
}
