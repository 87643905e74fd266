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

mkdir "$dir/data"
"$bin/sluice-node" forwarder --hosts "$dir/hosts" --ions "$me,zz9" -- \
	"$bin/tests/fakes/fake_gkfwd" -r "$dir/data" -H '{hosts}' \
	-l 127.0.0.1 2>"$dir/log" &
forwarder=$!
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
exit $failed
