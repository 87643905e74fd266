#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unmodified programs with libsluice_placed.so, on a client of Lustre that is
# none (fake_lustre_client.c): each file that they make below the directory of
# SLUICE_PLACE has the targets that sluice-place named, and nothing else is
# other than without the library.
top=$PWD
lib=$top/.libs/libsluice_placed.so
fake=$top/tests/fakes/.libs/fake_lustre_client.so
[ -e "$lib" ] || { echo "no $lib" && exit 1; }
if nm -D "$lib" | grep -q __asan; then
	echo "with AddressSanitizer it cannot be preloaded"
	exit 77
fi
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
failed=0
L=$d/lustre O=$d/other
export FAKE_LUSTRE=$L FAKE_LUSTRE_LOG=$d/log FAKE_PLACE=$d/place D=$d L O
export I=$d/input

# In turn two targets a file; of what it was asked for it keeps a note.
cat >"$d/place" <<-'EOT'
	#!/bin/sh
	echo "$@" >>$D/asked
	case $(cat $D/mood 2>/dev/null) in
	dead) echo "sluice-place: nobody answers" && exit 1 ;;
	slow) exec sleep 30 ;;
	meddles) LD_PRELOAD= sh -c 'echo theirs >>$L/f' ;;
	nonsense) echo "x,y" && exit 0 ;;
	esac
	i=0
	while [ $i -lt $2 ]; do
		echo "$((i % 4)),$(((i + 1) % 4))"
		i=$((i + 1))
	done
EOT
chmod 755 "$d/place"

# NAME COMMAND: of a shell with the library; then $d/log is as the rest says,
# sorted, "L" standing for the directory; stderr is in $d/err.
try() {
	local name=$1 command=$2 want
	shift 2
	rm -rf "$L" "$O" "$d/log" "$d/asked" "$d/mood" "$I"*
	mkdir -p "$L" "$O"
	: >"$d/log"
	ln -s "$L" "$O/link"
	seq 20000 >"$I"
	want=$([ $# = 0 ] || printf '%s\n' "$@")
	LD_PRELOAD="$lib $fake" SLUICE_PLACE=/nowhere:$L/ SLUICE_PLACE_STRIPES=2 \
		bash -c "$command" 2>"$d/err" || fail "$name: exit code $?"
	sed "s, $L/, L/,g; s,$L,L,g" "$d/log" | grep -v '^made' | sort >"$d/got"
	[ "$(cat "$d/got")" = "$want" ] ||
		fail "$name: layouts: $(paste -sd';' "$d/got")"
	[ "$(grep -c '^made' "$d/log")" -le "$(grep -vc '^made' "$d/log")" ] ||
		fail "$name: a file was made that has no layout"
}

fail() {
	echo "FAIL: $1"
	sed 's/^/  /' "$d/err"
	failed=1
}

says() { # NAME TEXT
	grep -q "$2" "$d/err" || fail "$1: does not say $2"
}

try "cp" 'cp $I $L/f && cmp $I $L/f' 'list L/f 0,1'
try "each program asks for a few" 'cp $I $L/a; cp $I $L/b' \
	'list L/a 0,1' 'list L/b 0,1'
grep -qx -- '--targets 4 -c 2' "$d/asked" || fail "asked: $(cat "$d/asked")"
# Nobody answers, but the words are right.
understands() {
	# shellcheck disable=SC2046 # words
	SLUICE_CONF=/nosuch/conf "$top/sluice-place" $(head -n 1 "$d/asked") \
		>/dev/null 2>"$d/err"
	[ $? = 1 ] || fail "sluice-place does not understand $(cat "$d/asked")"
}
understands
try "a size and a file system" 'export SLUICE_PLACE_SIZE=1MiB SLUICE_PLACE_FSNAME=fs
	cp $I $L/f' 'list L/f 0,1'
grep -qx -- '--targets 4 -c 2 -s 1MiB -f fs' "$d/asked" ||
	fail "asked: $(cat "$d/asked")"
understands
# As in a job whose request has neither.
try "no size" 'export SLUICE_PLACE_SIZE=0 SLUICE_PLACE_FSNAME=
	cp $I $L/f' 'list L/f 0,1'
grep -qx -- '--targets 4 -c 2' "$d/asked" || fail "asked: $(cat "$d/asked")"
understands
try "one after the other" 'for f in a b c d e; do echo >$L/$f; done' \
	'list L/a 0,1' 'list L/b 1,2' 'list L/c 2,3' 'list L/d 3,0' \
	'list L/e 0,1'
[ "$(cut -d' ' -f2 "$d/asked" | xargs)" = "4 8" ] || fail "asked in twos"
try "elsewhere" 'cp $I $O/f; echo >$O/g; mkdir $L/dir; ln -s x $L/link
	cp $I $L-beside; rm $L-beside'
try "what is there stays" 'unset LD_PRELOAD; cp $I $L/f; : >$D/log
	export LD_PRELOAD="'"$lib $fake"'"
	bash -c "echo more >>\$L/f; cat \$L/f >/dev/null
		dd if=/dev/zero of=\$L/f bs=1 count=1 conv=notrunc status=none"
	! bash -c "set -C; echo >\$L/f" 2>/dev/null'
try "by a link" 'cp $I $O/link/f && cmp $I $L/f' 'list L/f 0,1'
try "where it stands" 'mkdir $L/x && cd $L/x && cp $I f && cd $O/link/x &&
	cp $I g' 'list L/x/f 0,1' 'list L/x/g 0,1'
try "out again" 'mkdir $L/x && cp $I $L/x/../../other/f && cmp $I $O/f'
try "a directory that comes later" 'rmdir $L; mkdir $L; cp $I $O/link/f' \
	'list L/f 0,1'
try "a mode without writing" 'umask 077; python3 -c "
import os
for flags in os.O_RDONLY, os.O_WRONLY, os.O_RDWR:
    p = os.environ[\"L\"] + \"/f%d\" % flags
    fd = os.open(p, flags | os.O_CREAT | os.O_EXCL, 0o444)
    if flags: os.write(fd, b\"x\")
    assert os.stat(p).st_mode & 0o777 == 0o400
    try: os.open(p, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError: pass
    else: raise SystemExit(1)
"' 'list L/f0 0,1' 'list L/f1 1,2' 'list L/f2 2,3'
# Lustre has no files without a name, so that programs make one that has.
try "O_TMPFILE" 'python3 -c "
import errno, os
try: os.open(os.environ[\"L\"], os.O_TMPFILE | os.O_RDWR, 0o600)
except OSError as e: assert e.errno == errno.EOPNOTSUPP, e
else: raise SystemExit(1)
os.write(os.open(os.environ[\"O\"], os.O_TMPFILE | os.O_RDWR, 0o600), b\"x\")
"'
try "streams, temporary files, descriptors of directories" 'python3 -c "
import ctypes, os
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
L = os.environ[\"L\"].encode()
for i, mode in enumerate([b\"w\", b\"a+\", b\"r\"]):
    f = c.fopen(L + b\"/s%d\" % i, mode)
    assert bool(f) == (mode != b\"r\")
    assert not f or c.fclose(ctypes.c_void_p(f)) == 0
assert c.creat(L + b\"/c\", 0o600) >= 0
for call, rest in (\"mkstemp\", ()), (\"mkostemps64\", (1, os.O_APPEND)):
    t = ctypes.create_string_buffer(L + b\"/tXXXXXX\" + b\"s\" * len(rest[:1]))
    fd = getattr(c, call)(t, *rest)
    assert fd >= 0 and os.path.samestat(os.fstat(fd), os.stat(t.value))
    os.rename(t.value, L + b\"/\" + call.encode())
d = os.open(L, os.O_RDONLY)
os.close(os.open(\"at\", os.O_CREAT | os.O_WRONLY, dir_fd=d))
" && test $(ls $L | wc -l) = 6 && sed -i "s,/t[a-z0-9]*s\\? ,/T ," $D/log' \
	'list L/T 0,1' 'list L/T 3,0' 'list L/at 1,2' 'list L/c 2,3' \
	'list L/s0 0,1' 'list L/s1 1,2'
try "tar" 'mkdir -p $O/t/u; cp $I $O/t/u/a; cp $I $O/t/b; chmod 400 $O/t/b
	tar -C $O/t -cf - b u | tar -C $L -xf - && diff -r $O/t $L' \
	'list L/b 0,1' 'list L/u/a 1,2'
! command -v rsync >/dev/null ||
	try "rsync" 'rsync -a $I $L/ && cmp $I $L/input &&
		sed -i "s,/.input[^ ]* ,/T ," $D/log' 'list L/T 0,1'
try "children make other files" 'python3 -c "
import os, threading
L = os.environ[\"L\"]
open(L + \"/a\", \"x\")
if os.fork() == 0:
    open(L + \"/child\", \"x\")
    os._exit(0)
assert os.wait()[1] == 0
try: os.wait()
except ChildProcessError: pass
else: raise SystemExit(1)
open(L + \"/b\", \"x\")
t = [threading.Thread(target=lambda i=i: open(L + \"/t%d\" % i, \"x\"))
     for i in range(20)]
for x in t: x.start()
for x in t: x.join()
" && test $(grep -c "^list.*/t[0-9]" $D/log) = 20 && sed -i "/\/t[0-9]/d" $D/log' \
	'list L/a 0,1' 'list L/b 1,2' 'list L/child 0,1'
try "what is open says nothing of how it was made" 'python3 -c "
import fcntl, os
for d in \"L\", \"O\":
    for flags in os.O_RDWR, os.O_WRONLY | os.O_APPEND:
        p = os.environ[d] + \"/f%d\" % flags
        fd = os.open(p, flags | os.O_CREAT, 0o644)
        plain = os.open(p, flags)
        assert fcntl.fcntl(fd, fcntl.F_GETFL) == fcntl.fcntl(plain, fcntl.F_GETFL)
        os.close(fd), os.close(plain)
"' 'list L/f1025 1,2' 'list L/f2 0,1'
chmod 711 "$d"
try "a stream whose file nobody may open" 'chmod 777 $L; python3 -c "
import ctypes, os
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
os.umask(0o777)
if os.getuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
assert c.fopen(os.environ[\"L\"].encode() + b\"/f\", b\"w\")
"; rc=$?; : >$D/log; exit $rc'
try "a mode that is none" 'python3 -c "
import ctypes, os
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
for mode in b\"\", b\"q\":
    assert not c.fopen(os.environ[\"L\"].encode() + b\"/f\", mode)
" && test ! -e $L/f'
try "a file that stands where standard error was" 'echo dead >$D/mood
	python3 -c "
import os
L = os.environ[\"L\"]
os.close(2)
assert os.open(L + \"/data\", os.O_CREAT | os.O_RDWR) == 2
" && test ! -s $L/data' 'default L/data'
try "standard error that nobody reads" 'echo dead >$D/mood
	python3 -c "
import os, signal
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
r, w = os.pipe()
os.dup2(w, 2)
os.close(w), os.close(r)
os.execvp(\"cp\", [\"cp\", os.environ[\"I\"], os.environ[\"L\"] + \"/f\"])
" && cmp $I $L/f' 'default L/f'
try "who reaps the orphans of others" 'python3 -c "
import ctypes, os, signal
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
signal.signal(signal.SIGCHLD, lambda *a: os._exit(1))
for name in \"a\", \"b\":
    open(os.environ[\"L\"] + \"/\" + name, \"x\").close()
try: os.wait()
except ChildProcessError: pass
else: raise SystemExit(1)
"' 'list L/a 0,1' 'list L/b 1,2'
mkdir "$d/stack"
(export LD_PRELOAD=$lib SLUICE_PLACE=$d/stack && cd "$d/stack" &&
	"$top/tests/unit/select_io/small_stack" file &&
	"$top/tests/unit/select_io/small_stack" ../file) 2>"$d/err" ||
	fail "a handler on a small stack: exit code $?"
# Between its making and its layout: sluice-place is asked meanwhile.
for how in layout nothing; do
	export FAKE_REFUSES=yes
	[ $how = nothing ] || unset FAKE_REFUSES
	try "a file that others write meanwhile ($how)" \
		'echo meddles >$D/mood; echo ours | dd of=$L/f seek=1 bs=9 \
			conv=notrunc status=none
		: >$D/log; [ "$(tr -d "\0" <$L/f)" = "theirs
ours" ]'
done
unset FAKE_REFUSES
try "a target that is refused" 'FAKE_CLOSED=1 cp $I $L/f && cmp $I $L/f' \
	'default L/f'
says "a target that is refused" "targets 0,1 were refused: No buffer space available"
# As without the library, not when it is written (EBADF).
try "no target is left" 'FAKE_CLOSED=01234567 cp $I $L/f 2>$D/said && exit 1
	grep -q "cannot create.*No space left on device" $D/said && : >$D/log'
try "no layout at all" 'FAKE_REFUSES=yes cp $I $L/f && cmp $I $L/f' 'default L/f'
try "nobody to ask" 'echo dead >$D/mood; cp -r $I $I.2 2>/dev/null
	cp $I $I.2 $L/ && cmp $I $L/input' 'default L/input' 'default L/input.2'
says "nobody to ask" "sluice: new files .* nobody answers"
[ "$(wc -l <"$d/err") $(wc -l <"$d/asked")" = "1 1" ] || fail "asked again"
try "not every task says so" 'echo dead >$D/mood; SLURM_PROCID=3 cp $I $L/f' 'default L/f'
[ ! -s "$d/err" ] || fail "task 3 says so"
try "no sense" 'echo nonsense >$D/mood; cp $I $L/f && cmp $I $L/f' \
	'default L/f'
try "no answer" 'echo slow >$D/mood; cp $I $L/f && cmp $I $L/f' 'default L/f'
says "no answer" "no answer"
[ "$failed" = 0 ]
