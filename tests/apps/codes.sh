# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Parallel libraries and applications. Sourced by job; see programs.

# Of a directory that was given: the suites of others.
have() { # FILE
	[ -x "$1" ] || { echo "no $1" && exit 77; }
}

# MPICH's programs say how it went, whatever they end with.
code_romio() { # [-n RANKS] NAME ARGUMENT...
	local out rc ranks=()
	[ "$1" != -n ] || { ranks=(-n "$2") && shift 2; }
	have "$ROMIO_TESTS/$1"
	out=$(romio "${ranks[@]}" "$ROMIO_TESTS/$1" -fname "$W/f" "${@:2}" 2>&1)
	rc=$?
	echo "$out"
	[ $rc = 0 ] && ! grep -qE 'Found [0-9]+ error|^ *Error' <<<"$out"
}

code_hdf5() { # NAME ARGUMENT...
	have "$HDF5_TESTS/$1"
	HDF5_PARAPREFIX=$W romio "$HDF5_TESTS/$1" "${@:2}"
}

# The first one ends without closing its file; the second one reads it.
code_hdf5_two() { # NAME NAME
	code_hdf5 "$1"
	code_hdf5 "$2"
}

code_pnetcdf() { # NAME
	have "$PNETCDF_TESTS/$1"
	romio "$PNETCDF_TESTS/$1" "$W/f.nc"
}

code_ior() { # ARGUMENT...
	have "$IOR/bin/ior"
	mpi "$IOR/bin/ior" -o "$W/f" -e -w -r -W -R -q -C -Q "$PPN" "$@"
}

code_mdtest() { # ARGUMENT...
	have "$IOR/bin/mdtest"
	mpi "$IOR/bin/mdtest" -d "$W/m" -n 60 -i 2 -w 2000 -e 2000 -X \
		-N "$PPN" "$@"
}

# HDF5's own example, from Debian's documentation of it.
code_ph5example() {
	local from=/usr/share/doc/libhdf5-doc/examples/ph5example.c.gz out
	[ -r $from ] || { echo "no $from" && exit 77; }
	zcat $from >ph5example.c && h5pcc.openmpi -w -o ph5example ph5example.c ||
		return
	out=$(OMPI_MCA_io=$1 mpi "$PWD/ph5example" -f "$W" 2>&1)
	echo "$out"
	grep -q 'All tests PASSED\|tests finished with no errors' <<<"$out"
}

H5PY=/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi/tests

# What h5py has for several ranks; the rest of its tests, on one node.
code_h5py_mpi() {
	[ -d $H5PY ] || { echo "no $H5PY" && exit 77; }
	OMPI_MCA_io=$1 mpi env TMPDIR="$W" python3 -m pytest -q --color=no \
		-p no:cacheprovider --with-mpi -k TestMPI $H5PY/test_file.py
}

code_h5py() {
	[ -d $H5PY ] || { echo "no $H5PY" && exit 77; }
	on "$LAST" env TMPDIR="$W" PYTHONDONTWRITEBYTECODE=1 python3 -m pytest \
		-p no:cacheprovider -q --color=no -k 'not ros3' \
		${H5PY/mpi/serial}
}

# Made on one node, compared by all ranks, judged on another.
code_pnetcdf_tools() {
	local format
	for format in 1 2 5; do
		mpi_on 0 ncmpigen -v $format -o a.nc "$DIR/weather.cdl" &&
			mpi_on "$LAST" ncmpigen -v $format -o b.nc \
				"$DIR/weather.cdl" &&
			mpi ncmpidiff a.nc b.nc &&
			on "$LAST" ncvalidator a.nc &&
			on 0 ncvalidator b.nc || return
	done
}

# Two runs that should come to the same: numbers, to within a tolerance.
near() { # NODE FILE FILE TOLERANCE
	# shellcheck disable=SC2016
	on "$1" awk -v file="$3" -v most="$4" '{
		if ((getline other <file) <= 0) { bad++; next }
		n = split(other, b)
		if (n != NF) bad++
		for (i = 1; i <= NF; i++) {
			d = $i - b[i]
			if ($i + 0 == $i ? d > most || d < -most : $i != b[i])
				bad++
		}
	} END {
		if ((getline other <file) > 0) bad++
		if (bad || !NR) printf "wrong: %d of %d lines differ\n", bad, NR
		exit bad > 0 || !NR
	}' "$2"
}

# Checkpoints of all ranks in three forms, and a run that goes on from each.
code_lammps() {
	local form
	mpi lmp -log none -screen none -in "$DIR/lammps.first" || return
	for form in one.restart each.%.restart all.restart.mpiio; do
		mpi lmp -log none -screen none -var from "$form" \
			-in "$DIR/lammps.again" || return
		near "$LAST" whole.dump again.dump 0.001 ||
			say "after $form" || return
	done
}

code_gromacs() {
	local run=(gmx_mpi mdrun -ntomp 1 -pin off -dlb no -reprod -notunepme)
	on 0 sh -ec 'gmx -quiet solvate -cs spc216.gro -box 3 -o conf.gro
		{ cat '"$DIR"'/gromacs.top; echo "SOL $(($(sed -n 2p conf.gro) / 3))"
		} >topol.top
		gmx -quiet grompp -f '"$DIR"'/gromacs.mdp -c conf.gro -p topol.top \
			-o half.tpr -po out.mdp -maxwarn 5
		gmx -quiet convert-tpr -s half.tpr -nsteps 40 -o whole.tpr' ||
		return
	mpi "${run[@]}" -s whole.tpr -deffnm whole || return
	mpi "${run[@]}" -s half.tpr -deffnm half || return
	mpi "${run[@]}" -s whole.tpr -cpi half.cpt -deffnm again -noappend ||
		return
	# shellcheck disable=SC2016
	on "$LAST" sh -c 'for f in whole.gro again.part*.gro; do
		sed "1d" "$f" | cut -c21-44 >"coordinates.${f%%.*}"; done' &&
		near "$LAST" coordinates.whole coordinates.again 0.002
}
