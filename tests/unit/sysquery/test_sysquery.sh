#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The sysquery command on databases of its own; asking sluiced is tested with
# sluiced.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sysmap=$PWD/sysmap/sysmap sysquery=$PWD/sysquery/sysquery db=$dir/a.db
failed=0

want() { # TEXT STATUS OUTPUT COMMAND...: all that it says
	local text=$1 status=$2 output=$3 got
	shift 3
	"$@" >"$dir/out" 2>&1
	got=$?
	[ $got = "$status" ] && [ "$(cat "$dir/out")" = "$output" ] && return
	echo "$text: status $got: $(head -c 700 "$dir/out")"
	failed=1
}

mkdir -p "$dir/m/proc"
for i in 1 2 10; do
	echo "MemTotal: $i kB" >"$dir/m/proc/meminfo"
	"$sysmap" --root "$dir/m" --host "n$i" --db "$db" -e memoryinfo || failed=1
done
doc() { # HOST BYTES
	printf '"%s":{"memoryinfo":{"TotalMemory":%s,"LocalMemory":%s,"PageTypes":[{"PageSize":4096,"Count":%s}]}}' \
		"$1" "$2" "$2" $(($2 / 4096))
}

want 'everything' 0 "{$(doc n1 1024),$(doc n2 2048),$(doc n10 10240)}" \
	"$sysquery" -f "$db"
want 'the original form' 0 "{$(doc n1 1024),$(doc n10 10240)}" \
	"$sysquery" -f "$db" -n n10 n1 -e memoryinfo disks
want 'a host list' 0 "{$(doc n1 1024),$(doc n2 2048)}" \
	"$sysquery" -f "$db" -n 'n[1-9]'
want 'unknown host' 0 '{}' "$sysquery" -f "$db" -n nobody
want 'unknown extractor' 0 '{"n1":{}}' "$sysquery" -f "$db" -n n1 -e nope
want 'hosts' 0 $'n1\nn2\nn10' "$sysquery" -f "$db" -l
want 'extractors' 0 'memoryinfo' "$sysquery" -f "$db" -L
want 'as a command' 0 "{\"schema\":\"sluice.resources\",\"version\":1,\"hosts\":{$(doc n2 2048)}}" \
	"$sysquery" resources n2 -f "$db"
want 'as before' 0 "{$(doc n2 2048)}" "$sysquery" resources n2 -f "$db" --json=0
want 'count' 0 '{"schema":"sluice.extractors","version":1,"extractors":[{"extractor":"memoryinfo","documents":3,"hosts":3}]}' \
	"$sysquery" -f "$db" extractors
want 'a list as before' 0 '[{"extractor":"memoryinfo","documents":3,"hosts":3}]' \
	"$sysquery" --json=0 -f "$db" extractors
want 'a table' 0 $'Hosttable\nHostID  Hostname\n     1  n1\n     2  n2\n     3  n10' \
	"$sysquery" -f "$db" dump hosttable --table
want 'sound' 0 '{"schema":"sluice.integrity","version":1,"integrity":"ok"}' "$sysquery" -f "$db" check-integrity
export SLURM_CONF=$dir/slurm.conf # beside which there is no sluice.conf
want 'a backtest of no history' 0 '{"jobs":0,"judged":0,"machine":0,"unit":"nodes"' \
	sh -c "'$sysquery' -f '$db' backtest --json=0 | cut -d, -f1-4"
want 'as a table' 0 '0 ended jobs, none of which can be judged: that takes some that ran and came to their own end, submitted after what --since says (sysquery import has those of before Sluice)' \
	"$sysquery" -f "$db" backtest --mode early --table
want 'a picture of it' 0 '' \
	"$sysquery" -f "$db" backtest -o "$dir/answer" --plot "$dir/plot"
want 'the picture' 0 '1' grep -c '<h1>PredictModes, tried on the past</h1>' "$dir/plot"
want 'a picture nowhere' 3 \
	"sysquery: create $dir/none/plot: No such file or directory" \
	"$sysquery" -f "$db" backtest -o "$dir/answer" --plot "$dir/none/plot"
want 'a mode that is none' 2 \
	'sysquery: mode: "loose": want advise, fill, tighten or early' \
	"$sysquery" -f "$db" backtest --mode loose
want 'a backtest of nothing' 2 \
	'sysquery: this host has no sluice.conf: backtest on the host of sluiced, or with -f DB' \
	"$sysquery" backtest
unset SLURM_CONF
want 'no table of the original form' 2 \
	'sysquery: --table is not an option of this form (see sysquery --help)' \
	"$sysquery" -f "$db" --table -n n1
want 'json and a table' 2 \
	'sysquery: --json and --table: want one of them (see sysquery --help)' \
	"$sysquery" -f "$db" hosts --json --table
want 'a list as JSON' 2 \
	'sysquery: lists are no JSON: want the command hosts (see sysquery --help)' \
	"$sysquery" -f "$db" -l --json
want 'to a file' 0 '' "$sysquery" -f "$db" -n nobody -o "$dir/file"
want 'the file' 0 '{}' cat "$dir/file"
want 'no database' 3 "sysquery: $dir/none: there is no such file" \
	"$sysquery" -f "$dir/none" hosts
want 'no file' 1 "sysquery: $dir: Is a directory" \
	"$sysquery" -f "$dir" hosts
want 'no daemon' 3 \
	"sysquery: open $dir/none: No such file or directory" \
	env SLUICE_CONF="$dir/none" "$sysquery" hosts
want 'not configured' 3 "sysquery: there is no $dir/sluice.conf: name the \
host of sluiced with --server, or a database with -f" \
	env -u SLUICE_CONF SLURM_CONF="$dir/slurm.conf" "$sysquery" osts
want 'no nodes' 2 \
	'sysquery: predict: --nodes 0: a job has one at least' \
	"$sysquery" predict --server n1:1 --nodes 0
want 'a layout without' 0 '{"components":[{"begin":0,"end":67108864,"count":1,"width":1048576,"why":"small files cost one object"},{"begin":67108864,"count":4,"width":1048576,"why":"read one after the other: a few targets"}],"command":"lfs setstripe -E 64M -c 1 -S 1M -E -1 -c 4 -S 1M"}' \
	env -u SLUICE_CONF SLURM_CONF="$dir/slurm.conf" "$sysquery" \
	stripe explain --size 1GiB --json=0
want 'a published one' 0 '{"components":[{"begin":0,"end":8589934592,"count":4,"width":1048576,"why":"first part"},{"begin":8589934592,"end":30064771072,"count":16,"width":2097152,"why":"second part"},{"begin":30064771072,"count":64,"width":4194304,"why":"remainder"}],"command":"lfs setstripe -E 8G -c 4 -S 1M -E 28G -c 16 -S 2M -E -1 -c 64 -S 4M"}' \
	env SLUICE_CONF="$dir/none" "$sysquery" stripe explain \
	--preset blast.18 --json=0
want 'a layout of a site' 3 "sysquery: open $dir/none: No such file or directory" \
	env SLUICE_CONF="$dir/none" "$sysquery" stripe explain --size 1GiB
want 'a strange access' 2 'sysquery: access is sequential or random, not "odd"' \
	env -u SLUICE_CONF SLURM_CONF="$dir/slurm.conf" "$sysquery" \
	stripe explain --access odd
printf '; Version: 2.2\n1 2 3\n' >"$dir/log"
gzip -k "$dir/log"
want 'no job at all' 2 "sysquery: $dir/log: line 2: 3 of 18 columns
{\"schema\":\"sluice.import\",\"version\":1,\"jobs\":0,\"added\":0,\"io\":0,\"io_changed\":0,\"skipped\":0,\"broken\":1,\"old\":0,\"unknown\":0}
sysquery: $dir/log: nothing in it is of the format swf" \
	"$sysquery" import swf "$dir/log"
want 'standard input' 2 'sysquery: -: line 1: 1 of 18 columns
{"schema":"sluice.import","version":1,"jobs":0,"added":0,"io":0,"io_changed":0,"skipped":0,"broken":1,"old":0,"unknown":0}
sysquery: -: nothing in it is of the format swf' \
	"$sysquery" import swf - <<<7
want 'a pipe' 2 'sysquery: /dev/fd/9: line 1: 1 of 18 columns
{"schema":"sluice.import","version":1,"jobs":0,"added":0,"io":0,"io_changed":0,"skipped":0,"broken":1,"old":0,"unknown":0}
sysquery: /dev/fd/9: nothing in it is of the format swf' \
	"$sysquery" import swf /dev/fd/9 9< <(echo 7)
want 'no file' 3 "sysquery: open $dir/nothing: No such file or directory" \
	"$sysquery" import swf "$dir/nothing"
want 'a wrong format' 2 'sysquery: import: format "pbs": it is swf, sacct, json or darshan, or rest and a URL' \
	"$sysquery" import pbs "$dir/nothing"
want 'a wrong port' 2 'sysquery: --server: "n1:99999" is not host:port' \
	"$sysquery" hosts --server n1:99999
want 'a directory' 1 "sysquery: read $dir: Is a directory" \
	"$sysquery" import swf "$dir"
want 'a compressed one' 2 "sysquery: $dir/log.gz is compressed: zcat $dir/log.gz | sysquery import swf -" \
	"$sysquery" import swf "$dir/log.gz"
echo '{"jobs":[{"job_id":"x"}]}' >"$dir/json"
want 'no job in JSON' 2 "sysquery: $dir/json: entry 1: a job without job_id
{\"schema\":\"sluice.import\",\"version\":1,\"jobs\":0,\"added\":0,\"io\":0,\"io_changed\":0,\"skipped\":0,\"broken\":1,\"old\":0,\"unknown\":0}
sysquery: $dir/json: nothing in it is of the format json" \
	"$sysquery" import json "$dir/json"
want 'no JSON' 2 "sysquery: $dir/log: not JSON at byte 0: unexpected character" \
	"$sysquery" import json "$dir/log"
want 'a strange user' 2 'sysquery: --user: there is no user "nosuch" (see sysquery --help)' \
	"$sysquery" jobs --user nosuch
want 'full' 1 'sysquery: /dev/full: No space left on device' \
	"$sysquery" -f "$db" -o /dev/full
want 'help, full' 1 'sysquery: /dev/full: No space left on device' \
	"$sysquery" --help -o /dev/full
want 'no table' 3 'sysquery: there is no table "Hostable"' \
	"$sysquery" -f "$db" dump Hosttable Hostable
: >"$dir/empty"
want 'not ours' 1 "sysquery: $dir/empty: no database of sysmap or sluiced" \
	"$sysquery" -f "$dir/empty" hosts
# shellcheck disable=SC2046
want 'too many words' 2 'sysquery: more than 64 words: 65 (see sysquery --help)' \
	"$sysquery" -f "$db" hosts $(seq 65)
want 'wrong' 2 'sysquery: there is no command "host"; did you mean hosts? (see sysquery --help)' \
	"$sysquery" host
want 'selection' 0 '{"schema":"sluice.select","version":1,"rows":[{"host":"n10"}]}' \
	"$sysquery" -f "$db" sql 'SELECT host FROM v_memoryinfo WHERE TotalMemory >= 10KiB'
want 'numbers' 0 '[{"b":0.1,"c":1e+300}]' \
	"$sysquery" --json=0 -f "$db" sql 'SELECT 9e999 AS a, 0.1 AS b, 1e300 AS c'
want 'large numbers' 0 '[{"a":9007199254740992,"b":"9007199254740993"}]' \
	"$sysquery" --json=0 -f "$db" sql \
	'SELECT 9007199254740992 AS a, 9007199254740993 AS b'
want 'a condition' 0 "{$(doc n2 2048)}" \
	"$sysquery" --json=0 resources -f "$db" --where 'memory = 2KiB'
want 'forbidden' 4 'sysquery: database: not authorized' \
	"$sysquery" -f "$db" sql 'DELETE FROM Hosttable'
want 'difference' 0 $'EXTRACTOR   WHAT           n1    n2\nmemoryinfo  LocalMemory  1024  2048\nmemoryinfo  TotalMemory  1024  2048' \
	"$sysquery" -f "$db" diff n1 n2 --table
printf 'Filename Type Size Used Priority\n/dev/%s partition 1024 0 -2\n' \
	'a\040123456789012345678901234567890123456789é' >"$dir/m/proc/swaps"
"$sysmap" --root "$dir/m" --host n1 --db "$dir/c.db" -e swap || failed=1
"$sysmap" --root "$dir/m" --host n2 --db "$dir/c.db" -e memoryinfo || failed=1
want 'all of a document' 0 $'EXTRACTOR   WHAT   n1                                                              n2\nswap        (all)  [{"device":"/dev/a 123456789012345678901234567890123456789?...  -\nmemoryinfo  (all)  -                                                               {"TotalMemory":10240,"LocalMemory":10240,"PageTypes":[{"Pag...' \
	"$sysquery" -f "$dir/c.db" diff n1 n2 --table
echo 'NodeName=n[1-2,10] RealMemory=1' >"$dir/slurm.conf"
want 'nothing to change' 0 '{"schema":"sluice.check","version":1,"findings":[]}' \
	env SLURM_CONF="$dir/slurm.conf" "$sysquery" -f "$db" check
echo "MemTotal: 2048 kB" >"$dir/m/proc/meminfo"
"$sysmap" --root "$dir/m" --host n1 --db "$dir/b.db" -e memoryinfo || failed=1
echo 'NodeName=n1 RealMemory=3' >"$dir/slurm.conf"
want 'something wrong' 5 $'NODES  SEVERITY  KEY         SLURM.CONF  MAP  CHANGE\nn1     wrong     RealMemory  3           2    RealMemory=2' \
	"$sysquery" -f "$dir/b.db" check "$dir/slurm.conf" --table
"$sysquery" -f "$db" dump | python3 -m json.tool >/dev/null || failed=1
# more than a page of rows, and the table after them
python3 - "$dir/many.db" <<-'EOT'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute("CREATE TABLE A (n INTEGER)")
	db.execute("CREATE TABLE B (n INTEGER)")
	db.executemany("INSERT INTO A VALUES (?)", ((i,) for i in range(2500)))
	db.execute("INSERT INTO B VALUES (7)")
	db.commit()
EOT
"$sysquery" -f "$dir/many.db" dump | python3 -c '
import json, sys
d = json.load(sys.stdin)["tables"]
assert [r["n"] for r in d["A"]] == list(range(2500)), d["A"][-1]
assert d["B"] == [{"n": 7}], d["B"]' || failed=1
[ "$("$sysquery" -f "$dir/many.db" dump --table | grep -c '^ *[0-9][0-9]*$')" = \
	2501 ] || {
	echo "a table of many rows"
	failed=1
}

# documents of more hosts than are asked for at once
cp "$db" "$dir/hosts.db"
python3 - "$dir/hosts.db" <<-'EOT'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	for i in range(100):
	    host = db.execute("INSERT INTO Hosttable (Hostname) VALUES (?)",
	                      (f"k{i}",)).lastrowid
	    db.execute("INSERT INTO Host2Data (HostID, DID) "
	               "SELECT ?, min(DID) FROM Datatable", (host,))
	db.commit()
EOT
"$sysquery" -f "$dir/hosts.db" resources --table -e memoryinfo >"$dir/out"
[ "$(grep -c '^ *\(n\|k\)[0-9]* ' "$dir/out")" = 103 ] || {
	echo "documents of many hosts: $(head -c 700 "$dir/out")"
	failed=1
}

# on a terminal: a table in its width, with colors where they are wanted
cat >"$dir/terminal.py" <<-'EOT'
	import fcntl, os, pty, struct, sys, termios
	columns, argv = int(sys.argv[1]), sys.argv[2:]
	pid, fd = pty.fork()
	if pid == 0:
	    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
	    os.execvp(argv[0], argv)
	text = b""
	try:
	    while piece := os.read(fd, 65536):
	        text += piece
	except OSError:
	    pass
	status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	sys.stdout.write(text.decode().replace("\r\n", "\n").replace("\033", "^"))
	sys.exit(status)
EOT
terminal() { # COLUMNS COMMAND...
	env -u COLUMNS -u NO_COLOR TERM=xterm python3 "$dir/terminal.py" "$@"
}
want 'a terminal' 0 $'^[1mEXTRACTOR^[0m   ^[1mDOCUMENTS^[0m  ^[1mHOSTS^[0m\nmemoryinfo          3    103' \
	terminal 80 "$sysquery" -f "$dir/hosts.db" extractors
want 'without colors' 0 $'EXTRACTOR   DOCUMENTS  HOSTS\nmemoryinfo          3    103' \
	terminal 80 env NO_COLOR=1 "$sysquery" -f "$dir/hosts.db" extractors
want 'a dumb one' 0 $'EXTRACTOR   DOCUMENTS  HOSTS\nmemoryinfo          3    103' \
	terminal 80 env TERM=dumb "$sysquery" -f "$dir/hosts.db" extractors
want 'a narrow one' 0 $'EXTRACTOR   DOCUMENTS\nmemoryinfo          3\n(--wide also shows H…' \
	terminal 21 env NO_COLOR=1 "$sysquery" -f "$dir/hosts.db" extractors
want 'wide' 0 $'EXTRACTOR   DOCUMENTS  HOSTS\nmemoryinfo          3    103' \
	terminal 20 env NO_COLOR=1 "$sysquery" -f "$dir/hosts.db" extractors --wide
want 'a width without a terminal' 0 $'EXTRACTOR   DOCUMENTS\nmemoryinfo          3\n(--wide also shows HO…' \
	env COLUMNS=22 "$sysquery" -f "$dir/hosts.db" extractors --table
want 'fields' 0 $'HOSTS  EXTRACTOR\n  103  memoryinfo' \
	"$sysquery" -f "$dir/hosts.db" extractors -o hosts,extractor
want 'no such field' 2 'sysquery: -o (a file: --output): there is no field "host": they are extractor, documents, hosts' \
	"$sysquery" -f "$dir/hosts.db" extractors -o host
want 'no such state' 2 'sysquery: --state: there is no state "RUNNNG": they are SETUP,STAGE_IN,RUNNING,STAGE_OUT,TEARDOWN,DONE' \
	"$sysquery" -f "$dir/hosts.db" buffers --state DONE,RUNNNG
want 'no such end' 2 'sysquery: --state: there is no state "RUNNING": they are COMPLETED,FAILED,CANCELLED,TIMEOUT,NODE_FAIL,PREEMPTED,BOOT_FAIL,DEADLINE,OUT_OF_MEMORY,REQUEUED,LAUNCH_FAILED,REVOKED' \
	"$sysquery" -f "$dir/hosts.db" jobs --state FAILED,RUNNING
want 'a schema of nothing' 3 'sysquery: there is no schema "host": see sysquery schema' \
	"$sysquery" schema host
[ "$("$sysquery" -f "$db" extractors --table --watch 1 |
	grep -m2 -c '^[0-9-]*T[0-9:]*$')" = 2 ] || {
	echo "--watch does not come again"
	failed=1
}
want 'JSON and wide' 2 \
	'sysquery: --json and --wide: want one of them (see sysquery --help)' \
	"$sysquery" -f "$db" hosts --json --wide

dd if=/dev/urandom of="$db" bs=1024 seek=8 count=8 conv=notrunc status=none
"$sysquery" -f "$db" check-integrity >/dev/null 2>&1
[ $? = 1 ] || {
	echo "rubbish in the file is not found"
	failed=1
}
exit $failed
