# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Everyday programs, made to work on one tree or file from several nodes.
# Sourced by job; see programs. Each ends with 0 when all is as it should be.
TREE=/usr/include/asm-generic # some files that every machine here has

say() { # TEXT: why it is wrong
	echo "wrong: $*"
	false
}

same() { # WHAT GOT WANTED
	[ "$2" = "$3" ] || say "$1: '$2', should be '$3'"
}

# The idiom of a hundred scripts: a word in a file, changed in place.
load_state() {
	local i k got
	for i in {1..6}; do
		on $((i % ${#NODE[@]})) sh -c "echo 'step 000$i' >state"
		for ((k = 0; k <= LAST; k++)); do
			got=$(on $k cat state)
			same "step $i on node $k" "$got" "step 000$i" || return
		done
	done
}

# Records of one line each, appended by all: none lost, none torn.
# shellcheck disable=SC2016
load_append() {
	local all
	tasks sh -c 'for i in $(seq 200); do
		echo "$SLURM_PROCID $i the quick brown fox"; done >>log'
	all=$((PPN * ${#NODE[@]} * 200))
	same lines "$(on "$LAST" sh -c 'wc -l <log')" $all &&
		same "whole lines" "$(on 0 grep -cxE \
			'[0-9]+ [0-9]+ the quick brown fox' log)" $all &&
		same "different lines" "$(on 0 sh -c 'sort -u log | wc -l')" $all
}

# All commit rows into one table, each by a connection that stays open.
# shellcheck disable=SC2016
load_sqlite() { # JOURNAL-MODE
	local rows=$((PPN * ${#NODE[@]} * 25)) k
	on 0 sqlite3 db "PRAGMA journal_mode=$1; CREATE TABLE t(r, i)"
	tasks sh -c '{
		echo "SELECT count(*) FROM t;"
		for i in $(seq 25); do
			echo "BEGIN IMMEDIATE; INSERT INTO t VALUES($SLURM_PROCID, $i); COMMIT;"
		done
	} | sqlite3 -bail -cmd ".timeout 60000" db' || say "a commit failed"
	for ((k = 0; k <= LAST; k++)); do
		same "rows on node $k" "$(on $k sqlite3 db 'SELECT count(*)
			FROM t; PRAGMA integrity_check' | paste -sd ' ')" \
			"$rows ok" || return
	done
}

# Two repositories on two nodes that speak by a third.
# shellcheck disable=SC2016
load_git() {
	on 0 sh -ec 'export HOME=$PWD
		git config --global user.name a; git config --global user.email a@b
		git config --global init.defaultBranch main
		git init -q --bare origin; git clone -q origin a 2>&1
		cp -r '$TREE' a/; cd a; git add .; git commit -qm one
		git push -q origin HEAD' || say "node 0 cannot commit"
	on "$LAST" sh -ec 'export HOME=$PWD
		git clone -q origin b; diff -r a/asm-generic b/asm-generic; cd b
		for f in asm-generic/[a-i]*.h; do echo more >>$f; done
		git commit -qam two; git push -q; git gc -q' ||
		say "node $LAST cannot clone, commit, push" || return
	on 0 sh -ec 'export HOME=$PWD
		git -C a pull -q; diff -r a/asm-generic b/asm-generic
		for r in a b origin; do git -C $r fsck --full; done
		test -z "$(git -C a status --porcelain)"' ||
		say "node 0 cannot pull, or git fsck"
}

load_tar() {
	on 0 tar xf "$DIR/tree.tar" || say "tar x" || return
	on "$LAST" tar df "$DIR/tree.tar" || say "tar d on node $LAST" || return
	on "$LAST" tar cf again.tar asm-generic || say "tar c" || return
	on 0 tar df again.tar || say "tar d of what node $LAST packed"
}

# As many names of one file as backups and package caches give it, taken away
# again on another node.
# shellcheck disable=SC2016
load_links() {
	on 0 sh -ec 'echo all >first; mkdir names; for i in $(seq 1000); do
		ln first names/$i; done' || say "ln" || return
	same names "$(on "$LAST" stat -c %h first)" 1001 || return
	on "$LAST" rm -r names || say "rm on node $LAST" || return
	same names "$(on 0 stat -c %h first)" 1 &&
		same content "$(on "$LAST" cat first)" all
}

# The second time in place and with the times of the first: contents differ,
# sizes and times do not.
# shellcheck disable=SC2016
load_rsync() {
	on 0 rsync -a $TREE/ a/ || say "rsync" || return
	on "$LAST" diff -r $TREE a || say "node $LAST" || return
	on 0 sh -ec 'cp -a a b; for f in b/[a-i]*.h; do
			tr a-z A-Z <a/${f#b/} >$f; touch -r a/${f#b/} $f; done
		rsync -a --inplace --checksum b/ a/' || say "rsync" || return
	on "$LAST" diff -r a b || say "in place, on node $LAST"
}

# Written on one node with a checksum in each block, read on another.
load_fio() { # ENGINE FIO-OPTION...
	local engine=$1 option
	shift
	option=(--name=v --filename=f --size=6m --bs=4k --verify=crc32c
		--verify_fatal=1 --verify_state_save=0 --rw=randwrite
		--ioengine="$engine" --fallocate=none --randseed=4711 "$@")
	on 0 fio "${option[@]}" >fio.out 2>&1 ||
		say "$(grep -m1 -iE 'verify|err' fio.out)" || return
	on "$LAST" fio "${option[@]}" --verify_only >fio.out 2>&1 ||
		say "on node $LAST: $(grep -m1 -iE 'verify|err' fio.out)"
}

# All at once, each its own file, in one directory.
# shellcheck disable=SC2016
load_fio_all() {
	tasks sh -c 'fio --name=v --filename=f$SLURM_PROCID --size=4m \
		--bsrange=512-64k --verify=xxhash --verify_fatal=1 --rw=randrw \
		--verify_state_save=0 --fallocate=none --ioengine=psync \
		>fio.$SLURM_PROCID.out 2>&1 || { grep -m1 -iE "verify|err" \
		fio.$SLURM_PROCID.out; false; }' || say "a file is not as written"
}

# One stressor: some of the class need root, or devices.
load_stress() { # STRESSOR
	each sh -c "mkdir \$SLURM_PROCID; exec stress-ng --$1 1 --timeout 1 \
		--verify --temp-path \$SLURM_PROCID --no-rand-seed --oomable" \
		>stress.out 2>&1 || {
		cat stress.out
		grep -m1 'fail:' stress.out || say "stress-ng --$1"
		return 1
	}
	cat stress.out
	! grep -q 'skipped.*: 1' stress.out || return 77
}

# Compiled on one node, run on another, compiled again.
# shellcheck disable=SC2016
load_cc() {
	local i
	for i in 1 2; do
		on 0 sh -ec "echo '#include <stdio.h>
			int main(void) { puts(\"version $i\"); return 0; }' >p.c
			cc -c p.c; ar r libp.a p.o; cc -o p libp.a" || return
		same "program" "$(on "$LAST" ./p)" "version $i" || return
	done
}

load_once() { # link, open, mkdir, symlink, unlink or rename
	on 0 python3 "$DIR/once.py" begin "$1" || return
	tasks python3 "$DIR/once.py" all "$1" || return
	on "$LAST" python3 "$DIR/once.py" look "$1" $((PPN * ${#NODE[@]}))
}

load_pool() {
	on 0 python3 "$DIR/pool.py" one || return
	tasks python3 "$DIR/pool.py" all || return
	on "$LAST" python3 "$DIR/pool.py" look $((PPN * ${#NODE[@]}))
}
