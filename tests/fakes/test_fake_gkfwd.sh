#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fakes obey the real client's and daemon's rules.
set -u
dir=$(mktemp -d)
trap 'kill $daemons 2>/dev/null; rm -rf "$dir"' EXIT
bin=$PWD/tests/fakes daemons=''
export LIBGKFS_HOSTS_FILE=$dir/hosts LIBGKFS_FORWARDING_MAP_FILE=$dir/map
me=$(hostname | cut -d. -f1)
failed=0

want() { # TEXT STATUS COMMAND...
	local text=$1 status=$2
	shift 2
	"$@" >"$dir/out" 2>"$dir/err"
	[ $? = "$status" ] || {
		echo "$text: $(cat "$dir/out" "$dir/err")"
		failed=1
	}
}

map() {
	printf '%b' "$1" >"$dir/map"
}

put() {
	timeout 10 "$bin/fake_gkfwd_put" "$@"
}

for address in 127.0.0.2 127.0.0.1; do # not in the order of the sorted list
	mkdir "$dir/$address"
	"$bin/fake_gkfwd" --enable-forwarding -m "$dir/mnt" \
		-r "$dir/$address" -H "$dir/hosts" -l $address &
	daemons+=" $!"
	until grep -qs "$address" "$dir/hosts"; do sleep 0.02; done
done
map "other 1\n$me 0\n"
want "a file goes to the daemon of the map" 0 put one 3000000
[ "$(stat -c %s "$dir/127.0.0.1/one")" = 3000000 ] || failed=1
map "$me 0\n$me 1\n"
want "the last line of a host counts" 0 put two 10
[ "$(stat -c %s "$dir/127.0.0.2/two")" = 10 ] || failed=1
rm "$dir/map"
want "no map" 1 put x 1
map "other 0\n"
want "a host that is not in the map" 1 put x 1
map "$me 0\n\n"
want "a blank line" 1 put x 1
map "$me 0 \n"
want "a trailing blank" 1 put x 1
map "$me zero\n"
want "not a number" 1 put x 1
map "$me 2\n"
want "no such daemon" 1 put x 1
map "$me 0\n"
echo junk >>"$dir/hosts"
want "a malformed hosts file" 1 put x 1
sed -i 's/^junk/#FS_INSTANCE_END\njunk/' "$dir/hosts"
want "the end marker of a hosts file" 0 put x 1
# shellcheck disable=SC2086
kill ${daemons##* } && wait ${daemons##* }
[ ! -e "$dir/hosts" ] || { echo "a clean exit leaves the hosts file" && failed=1; }
exit $failed
