#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What systemd says of the units in etc/. Their programs, and the units of
# others that they need, do not have to be installed. Run in the build directory.
set -u
command -v systemd-analyze >/dev/null || {
	echo 'skipped: no systemd-analyze'
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

verify() { # silent if it is right
	SYSTEMD_UNIT_PATH="$dir:" systemd-analyze verify --man=no "$@" 2>&1 |
		grep -E "(^|/)(sluice|sysmap)"
}

printf '[Service]\nExecStart=/bin/true\n' >"$dir/munge.service"
for unit in etc/*.service "${srcdir:-.}"/etc/*.timer; do
	! grep -E '@[a-z_]+@' "$unit" || failed=1
	sed -E 's,^(Exec[A-Za-z]*=-?)/[^ ]*/(slu|sys)[a-z-]+,\1/bin/true,' \
		"$unit" >"$dir/${unit##*/}"
done
for unit in "$dir"/s*.{service,timer}; do
	verify "$unit" && failed=1
	page=$(sed -n 's/^Documentation=man:\(.*\)(\(.\))/\1.\2/p' "$unit")
	[ -z "$page" ] || [ -e "${srcdir:-.}/man/$page" ] || {
		echo "${unit##*/}: no manual page $page"
		failed=1
	}
done

# How much these may do, from 0 to 100, which is whatever root may.
exposed() {
	systemd-analyze security --offline=true --threshold=30 --no-pager \
		"$dir/$1" 2>&1
}

if systemd-analyze --help | grep -q -- --threshold; then
	for unit in sluiced sluice-tbfd sluice-web; do
		exposed $unit.service >"$dir/log" || {
			tail -n 1 "$dir/log"
			failed=1
		}
	done
	grep -v '^Protect' "$dir/sluiced.service" >"$dir/open.service"
	! exposed open.service >/dev/null || {
		echo 'a unit with less protection is not found'
		failed=1
	}
fi

# It would tell.
sed -i 's/^WatchdogSec=/WatchDogSec=/' "$dir/sluice-tbfd.service"
verify "$dir/sluice-tbfd.service" | grep -q WatchDogSec || {
	echo 'an unknown key is not found'
	failed=1
}
exit $failed
