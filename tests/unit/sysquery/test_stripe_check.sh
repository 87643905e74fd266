#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sysquery stripe check on files that are there, with an lfs that tells of them
# what the test says; the commands that it prints are run by a shell.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=$(cd "${srcdir:-.}" && pwd)
sysquery=$PWD/sysquery/sysquery
mkdir "$dir/bin" "$dir/state" "$dir/tree" "$dir/tree/sub"
ln -s "$here/tests/fakes/fake_lfs_files" "$dir/bin/lfs"
export FAKE_LFS_LAYOUTS=$dir/state PATH=$dir/bin:$PATH
export SLURM_CONF=$dir/slurm.conf # beside which there is no sluice.conf
unset SLUICE_CONF
failed=0

fail() {
	echo "$*"
	failed=1
}
file() { # NAME SIZE STRIPES [FIRST [LINE]]: a file, and its layout
	local i
	truncate -s "$2" "$dir/tree/$1"
	{
		printf 'lmm_stripe_count:  %s\nlmm_stripe_size:   1048576\n' "$3"
		printf 'lmm_pattern:       raid0\n%slmm_objects:\n' "${5:-}"
		for ((i = 0; i < $3; i++)); do
			printf '      - l_ost_idx: %s\n' $((${4:-0} + i))
		done
	} >"$dir/state/$(stat -c %i "$dir/tree/$1")"
}
check() { # ARGUMENT...: into out and said, its status
	"$sysquery" stripe check "$@" >"$dir/out" 2>"$dir/said"
}

for ((i = 0; i < 64; i++)); do
	printf 'fs-OST%04x_UUID 1000000000 1 999999999 1%% /mnt[OST:%s] \n' $i $i
done >"$dir/state/df"
echo 'lfs 2.15.8' >"$dir/state/version"
evil=$'lmm_stripe_count: 9\nlfs migrate -c 9 \'$(touch gone)\'\033'
file "sub/$evil" 300G 1
file 'sub/-c 7' 200G 1
file good 100G 64
file $'\377' 100G 1
file wide 1M 64
file mirrored 500G 1 0 $'lcm_mirror_count: 2\n'
: >"$dir/tree/empty"
ln -s good "$dir/tree/link"

cd "$dir/tree" || exit 99
check . --json
[ $? = 5 ] || fail "status, $(cat "$dir/said")"
[ -s "$dir/said" ] && fail "said $(cat "$dir/said")"
python3 - "$dir/out" <<-'END' || fail "JSON: $(cat "$dir/out")"
	import json, sys
	out = json.load(open(sys.argv[1]))
	assert out["schema"] == "sluice.layouts", out
	rows = out["files"]
	assert [r["size_bytes"] >> 30 for r in rows] == [300, 200, 100, 0], rows
	assert [r["why"] for r in rows] == ["few targets"] * 3 + ["many stripes"]
	assert all(r["now_seconds"] > 1.25 * r["better_seconds"] for r in rows)
	assert out["seen"] == 7 and out["unread"] == 0, out
	assert out["special"] == 1 and out["no_room"] == 0, out
	assert [(r["why"], r["count"]) for r in out["reasons"]] == [
	    ("few targets", 3), ("many stripes", 1)], out
	END
[ "$(cat "$dir/state/asked")" = 6 ] || fail "lfs was asked $(cat "$dir/state/asked")"

# Commands name the very files, whatever they are called, and nothing else
# happens. None was run before.
[ -e "$dir/state/migrated" ] && fail 'migrated'
check . --table
grep '^lfs migrate ' "$dir/out" >"$dir/commands"
LC_ALL=C grep -q '[^ -~]' "$dir/commands" && fail 'not ASCII'
bash "$dir/commands" || fail "the shell: $(cat "$dir/commands")"
python3 - "$dir/state/migrated" <<-'END' || fail "migrated: $(cat -v "$dir/commands")"
	import os, sys
	names = [n for n in open(sys.argv[1], "rb").read().split(b"\0")
	         if n.startswith(b"./")]
	want = [b"./sub/lmm_stripe_count: 9\nlfs migrate -c 9 '$(touch gone)'\33",
	        b"./sub/-c 7", b"./\xff", b"./wide"]
	assert names == want, names
	assert all(os.path.exists(n) for n in names)
	END
[ -e gone ] && fail 'a name was run'

# As a table, so many files; sums are of all.
COLUMNS=100 check . --table --top 1 --lustre 2.5
diff - "$dir/out" <<-'END' || fail 'a table'
	FILE                                                    SIZE  STRIPES  WHY          TAKES s  WOULD s
	./sub/lmm_stripe_count: 9?lfs migrate -c 9 '$(touch…  300GiB        1  few targets  805.307  111.855

	lfs migrate -c 16 -S 4M $'./sub/lmm_stripe_count: 9\012lfs migrate -c 9 \'$(touch gone)\'\033'

	WHY           FILES  COST s
	few targets       3  1386.9
	many stripes      1  0.0252
	# of 7 files; left as they are: 1 that are mirrored, archived or otherwise special, 0 for which
	there is no room
END

# One that goes while it looks, and one without objects: the others are not
# mistaken for them.
rm "$dir/state/$(stat -c %i good)"
: >"$dir/state/$(stat -c %i wide)"
check . --json
[ $? = 5 ] || fail "a file went: $(cat "$dir/said")"
grep -q '"unread":2' "$dir/out" || fail "unread: $(cat "$dir/out")"
grep -q '2 files or directories could not be read, the first: ./' "$dir/said" ||
	fail "unread: $(cat "$dir/said")"
grep -q '"count":3' "$dir/out" || fail "the others: $(cat "$dir/out")"

# Where nothing can be read nothing is said to be well.
mkdir "$dir/unread"
: >"$dir/unread/a"
echo 1 >"$dir/unread/b"
check "$dir/unread"
[ $? = 1 ] || fail "nothing read: $(cat "$dir/out")"
grep -q "nothing could be read, the first: $dir/unread/b" "$dir/said" ||
	fail "nothing read: $(cat "$dir/said")"

# More than are asked for at once.
mkdir "$dir/many"
for ((i = 0; i < 300; i++)); do
	file "../many/$i" 1M 1
done
: >"$dir/state/asked"
check "$dir/many/" --json || fail "nothing to mend: $? $(cat "$dir/said")"
grep -q '"seen":300' "$dir/out" || fail "many: $(cat "$dir/out")"
[ "$(sort -n "$dir/state/asked" | tr '\n' ' ')" = '44 128 128 ' ] ||
	fail "asked $(cat "$dir/state/asked")"

# A file of several names is one file.
mkdir -p "$dir/tree/-y/sub"
file -y/a 300G 1
ln "$dir/tree/-y/a" "$dir/tree/-y/b"
ln "$dir/tree/-y/a" "$dir/tree/-y/sub/c"
rm -f "$dir/state/migrated"
check --json ./-y
[ $? = 5 ] || fail "links: $? $(cat "$dir/said")"
grep -q '"seen":1,' "$dir/out" || fail "links: $(cat "$dir/out")"
check --table ./-y
grep '^lfs migrate ' "$dir/out" >"$dir/commands"
[ "$(wc -l <"$dir/commands")" = 1 ] || fail "links: $(cat "$dir/commands")"
bash "$dir/commands" || fail "a dash: $(cat "$dir/commands")"
rm -r "$dir/tree/-y"

# A directory of which only a part can be listed is told of.
mkdir -p "$dir/torn/here"
if ! nm -D "$sysquery" | grep -q __asan; then # which nothing can precede
	LD_PRELOAD=${sysquery%/*/*}/tests/fakes/.libs/fake_lustre_client.so \
		FAKE_TORN=$dir/torn/here check "$dir/torn" --json
	grep -q "the first: $dir/torn/here: Input/output error" "$dir/said" ||
		fail "a torn directory: $(cat "$dir/said" "$dir/out")"
fi

# So long paths that lfs does not take them all at once: others are looked at.
mkdir "$dir/deep"
file ../deep/short 300G 1
(
	cd "$dir/deep" || exit
	name=$(printf 'd%.0s' {1..250})
	for ((i = 0; i < 80; i++)); do mkdir "$name" && cd -P "$name" 2>/dev/null; done
	for i in {1..8}; do echo >"$i"; done
) || fail 'a deep tree'
(ulimit -s 512 && check "$dir/deep" --json)
[ $? = 5 ] || fail "long paths: $(cut -c 1-200 "$dir/said")"
grep -q '"seen":9,"unread":8' "$dir/out" || fail "long paths: $(cat "$dir/out")"

# Everything that can be wrong with the question.
want() { # STATUS TEXT ARGUMENT...
	local status=$1 text=$2
	shift 2
	"$sysquery" stripe "$@" >"$dir/out" 2>&1
	[ $? = "$status" ] && grep -qF -e "$text" "$dir/out" ||
		fail "$*: $(cat "$dir/out")"
}
want 2 'write: stripe explain, or stripe check DIRECTORY' check
want 2 'write: stripe explain, or stripe check DIRECTORY' mend .
want 2 'it looks at what there is' check . --size 1G
want 2 'it looks at what there is' check . --tasks 2
want 2 '--top belongs to stripe check' explain --top 3
want 2 'access is sequential or random' check . --access odd
want 3 "$dir/none: No such file" check "$dir/none"
want 1 'Not a directory' check good
rm "$dir/state/df"
want 1 'lfs df (is it on Lustre?)' check .
PATH=${PATH#*:}
command -v lfs >"$dir/out" && exit $failed # of a real Lustre
want 1 'lfs of Lustre is not to be found' check .
exit $failed
