#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sluice-node forwarder with the stand-in of GekkoFWD's daemon: the hosts file
# is there while all daemons are, a daemon that dies comes back, and SIGTERM
# ends all.
set -u
dir=$(mktemp -d)
me=$(hostname | cut -d. -f1)
bin=$PWD
failed=0
forwarder=
trap 'kill $forwarder 2>/dev/null; wait; rm -rf "$dir"' EXIT

check() { # TEXT COMMAND...: within some seconds
	local text=$1 i
	shift
	for ((i = 0; i < 100; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "$text"
	cat "$dir/log"
	failed=1
}

lines() { # HOW-MANY, in order
	[ -s "$dir/hosts" ] && [ "$(grep -c . "$dir/hosts")" = "$1" ]
}

gone() { # FILE
	[ ! -e "$1" ]
}

fails() {
	! "$@" 2>/dev/null
}

died() { # PID
	! kill -0 "$1" 2>/dev/null
}

daemon() {
	pgrep -P "$forwarder"
}

restarted() { # OLD-PID
	local new
	new=$(daemon) && [ "$new" != "$1" ]
}

start() { # FAULT [OPTION...]
	FAKE_GKFWD=$1 "$bin/sluice-node" forwarder --hosts "$dir/hosts" \
		--ions "$me,zz9" "${@:2}" -- "$bin/tests/fakes/fake_gkfwd" \
		--enable-forwarding -m "$dir/mnt" -r "$dir/data" -i "$dir/meta" \
		-H '{hosts}' -l 127.0.0.1 2>"$dir/log" &
	forwarder=$!
}

ended() { # HOW-OFTEN: so often its daemon has ended by itself
	[ "$(grep -c 'died' "$dir/log")" -ge "$1" ]
}

mkdir "$dir/data"
start ''
check "its line is there" test -s "$dir/hosts.d/$me"
check "no hosts file while one is missing" gone "$dir/hosts"
echo "zz9 127.0.0.9:1" >"$dir/hosts.d/zz9"
check "a hosts file when all are there" lines 2
touch -d '-1 minute' "$dir/hosts.d/zz9"
check "a daemon whose node is silent is missing" gone "$dir/hosts"
touch "$dir/hosts.d/zz9"
check "it is there again" lines 2
old=$(daemon)
kill -KILL "$old"
check "a daemon that died comes back" restarted "$old"
check "and is in the hosts file" lines 2
echo "junk" >"$dir/hosts.d/zz9"
check "a malformed line is no daemon" gone "$dir/hosts"
echo "zz9 127.0.0.9:1" >"$dir/hosts.d/zz9"
check "and then it is one" lines 2
old=$(daemon)
kill "$forwarder"
check "SIGTERM ends the forwarder" died "$forwarder"
check "its daemon" died "$old"
check "its line" gone "$dir/hosts.d/$me"
check "and the hosts file" gone "$dir/hosts"

# What it found is said; a daemon that dies is told of to those who use it.
check "it says which release it has found" grep -q \
	'release 0.9.3; it has enable-forwarding, metadir, enable-collection$' "$dir/log"
mkdir "$dir/map" "$dir/bin"
cat >"$dir/map/mapping.json" <<EOT
{"epoch":1,"time":1,"policy":"MCKP","ions":["$me","zz9"],"jobs":[
{"job_id":17,"shared":false,"ions":["$me"],"nodes":{"n1":"$me"}},
{"job_id":18,"shared":false,"ions":["zz9"],"nodes":{"n2":"zz9"}},
{"job_id":19,"shared":false,"ions":[],"nodes":{}},
{"job_id":20,"shared":true,"ions":["$me","zz9"],"nodes":{"n3":"$me"}}]}
EOT
for word in scontrol scancel; do
	printf '#!/bin/sh\necho "${0##*/} $1 $2" >>%s/told\n' "$dir" \
		>"$dir/bin/$word"
	chmod +x "$dir/bin/$word"
done
told() { # LINE...: exactly these
	[ "$(cat "$dir/told" 2>/dev/null)" = "$(printf '%s\n' "$@")" ]
}
lose() { # ACTION
	rm -f "$dir/told"
	touch "$dir/hosts.d/zz9"
	PATH=$dir/bin:$PATH start '' --mapping "$dir/map" --on-loss "$1"
	check "it is there before it dies ($1)" test -s "$dir/hosts.d/$me"
	kill -KILL "$(daemon)"
}
lose requeue
check "owners are told, jobs put back" told "scontrol notify 17" \
	"scontrol requeue 17" "scontrol notify 20" "scontrol requeue 20"
check "the log names them" grep -q 'now hang: 17,20$' "$dir/log"
check "and those that have names there" grep -q "names this daemon kept: 18\$" \
	"$dir/log"
kill "$forwarder"
check "it ends after a loss" died "$forwarder"
check "nobody is told of a clean end" test "$(wc -l <"$dir/told")" = 4
lose end
check "or ended" told "scontrol notify 17" "scancel 17 " \
	"scontrol notify 20" "scancel 20 "
kill "$forwarder"
check "it ends again" died "$forwarder"
lose tell
check "or only told" told "scontrol notify 17" "scontrol notify 20"
kill "$forwarder"
check "it ends once more" died "$forwarder"
check "another action is refused" fails "$bin/sluice-node" forwarder \
	--hosts "$dir/hosts" --ions "$me" --on-loss panic -- true

# A daemon that cannot start is tried again, later and later.
echo "zz9 127.0.0.9:1" >"$dir/hosts.d/zz9"
start fail
check "one that cannot start is tried again" ended 2
check "and is never in the hosts file" gone "$dir/hosts"
sleep 0.5
check "but not at once" test "$(grep -c died "$dir/log")" -le 3
kill "$forwarder"
check "and the forwarder ends" died "$forwarder"

# One that dies again and again is in the file while it lives.
touch "$dir/hosts.d/zz9"
start die:0
check "one that dies has been there" lines 2
check "has gone" gone "$dir/hosts"
touch "$dir/hosts.d/zz9"
check "and comes again" lines 2
kill "$forwarder"
check "the forwarder ends meanwhile" died "$forwarder"

# A slow one is waited for.
touch "$dir/hosts.d/zz9"
start slow:2
sleep 1
check "one that is slow is not there yet" gone "$dir/hosts"
check "and is waited for" lines 2
kill "$forwarder"
check "it ends" died "$forwarder"

# One that does not end on SIGTERM is killed in the end.
touch "$dir/hosts.d/zz9"
start stuck
check "one that will be stuck is there" lines 2
old=$(daemon)
kill "$forwarder"
sleep 1
check "it is asked first" kill -0 "$old"
ended_at_last() {
	timeout 30 tail --pid="$forwarder" -f /dev/null && died "$old"
}
check "and killed then" ended_at_last
check "its line goes too" gone "$dir/hosts.d/$me"

# Names of files outlive the daemon that knew them: what one without --metadata
# has left, a kill, and a restart of the unit.
old=$(find "$dir/meta" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %f\n' |
	sort -n | tail -1 | cut -d' ' -f2)
echo one >"$dir/meta/$old/metadata/one"
knows() { # NAME
	[ -e "$dir/meta/$(daemon)/metadata/$1" ]
}
touch "$dir/hosts.d/zz9"
start '' --metadata "$dir/meta"
check "what was left before is known" knows one
mkdir "$dir/meta/names/metadata/rocksdb"
touch "$dir/meta/names/metadata/rocksdb/000004.log"
echo two >"$dir/meta/$(daemon)/metadata/two"
old=$(daemon)
kill -KILL "$old"
check "after a kill it comes back" restarted "$old"
check "what it had in memory is told of" grep -q 'may be lost' "$dir/log"
check "and knows all" knows one
check "and all" knows two
check "the link of the one before has gone" gone "$dir/meta/$old"
kill "$forwarder"
check "the unit stops" died "$forwarder"
start '' --metadata "$dir/meta"
check "and starts, and knows all" knows two
echo x >"$dir/meta/names/metadata/rocksdb/000004.log"
old=$(daemon)
kill -KILL "$old"
check "after another kill it comes back" restarted "$old"
check "and has lost nothing that it logs" fails grep 'may be lost' "$dir/log"
kill "$forwarder"
check "it ends, too" died "$forwarder"
check "a relative directory is refused" fails "$bin/sluice-node" forwarder \
	--hosts "$dir/hosts" --ions "$me" --metadata meta -- true
exit $failed
