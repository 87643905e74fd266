#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sluice-lustre-check changes no setting that it has not said it would, and puts
# back what it changed, on a server of one target that is a few files.
set -u
check=${srcdir:-.}/tools/lustre-check
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
osp=osp.fake-OST0000-osc-MDT0000
failed=0

fail() {
	echo "$*: $(cat "$dir/out" "$dir/err" "$dir/changed" 2>/dev/null)"
	failed=1
}

mkdir "$dir/bin" "$dir/set" "$dir/lustre"
cat >"$dir/stub" <<'END'
#!/bin/bash
cd "$STUB/set" || exit
case "${0##*/} $1" in
"id -u") echo 0 ;;
"stat -f") echo bd00bd0 ;;
"stat -c") echo "${MODE:-0 755}" ;;
"lfs getname") echo "fake-ffff888100000000${OLD_LFS:+ $2}" ;;
"lfs osts")
	echo "0: fake-OST0000_UUID ACTIVE"
	[ -z "${TWO-}" ] || echo "1: fake-OST0001_UUID ACTIVE"
	;;
"lctl dl") echo "  0 UP obdfilter fake-OST0000 fake-OST0000_UUID 9" ;;
"lctl list_param") echo "$OSP" ;;
"lctl get_param") cat "$3" ;;
"lctl set_param")
	if [ -e "$STUB/kill" ]; then # all of it, its guard first
		for pid in $(pgrep -P "$PPID"); do
			[ "$pid" = $$ ] || kill -KILL "$pid"
		done
		kill -KILL "$PPID"
	fi
	echo "$2" >>"$STUB/changed"
	echo "${2#*=}" >"${2%%=*}"
	# As Lustre's max_create_count_store() does.
	[[ $2 != *.max_create_count=0 ]] || echo 0 >"$OSP.create_count"
	[[ $2 != *.max_create_count=[1-9]* || $(<"$OSP.create_count") != 0 ]] ||
		echo 32 >"$OSP.create_count"
	rm -f "$STUB/kill"
	;;
esac
END
chmod 755 "$dir/stub"
for program in id stat lfs lctl sysmap sysquery sluice-place sluice-tbfd findmnt; do
	ln -s "$dir/stub" "$dir/bin/$program"
done
export STUB=$dir OSP=$osp PATH=$dir/bin:$PATH SLUICE_CHECK_PATIENCE=0
echo disable >"$dir/set/jobid_var"
echo 20000 >"$dir/set/$osp.max_create_count"
echo 1024 >"$dir/set/$osp.create_count"
echo 1 >"$dir/set/$osp.active"
echo 0 >"$dir/set/obdfilter.fake-OST0000.degraded"
printf 'name: %s\nstate: %s\nfallback: %s\n' fifo started yes 'tbf jobid' started no \
	>"$dir/set/ost.OSS.ost_io.nrs_policies"

# Of one directory lfs of 2.13 and later prints the name alone.
for old in '' yes; do
	OLD_LFS=$old "$check" --dry-run --part placement "$dir/lustre" >"$dir/out" \
		2>"$dir/err" || fail "lfs getname, old: $old"
done

# Where others can put a link in the place of our directory, root writes nothing.
for mode in "1000 755" "0 777" "0 775"; do
	MODE=$mode "$check" --write "$dir/lustre" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] && [ "$(cat "$dir/err")" = "sluice-lustre-check: others than root may \
write to $dir/lustre: name a directory of root's (mode 755, or 1777)" ] || fail "$mode"
done
[ -e "$dir/changed" ] && fail "changed in a directory of others"

# What does not get written down is not done: neither what --dry-run would have
# said, nor what is skipped without --write or under a policy of somebody's.
for words in "--dry-run --write" "" "--write --part daemon"; do
	# shellcheck disable=SC2086 # words
	"$check" $words "$dir/lustre" >/dev/full 2>"$dir/err" && fail "$words: full"
	[ "$(cat "$dir/err")" = \
		"sluice-lustre-check: standard output: No space left on device" ] ||
		fail "$words: full"
	[ -e "$dir/changed" ] && fail "$words: changed"
	[ -z "$(ls "$dir/lustre")" ] || fail "$words: left $(ls "$dir/lustre")"
	rm -f "$dir/changed"
done

# A file that is not placed as it should be says why: what the program with the
# library said.
: >"$dir/empty.so"
TWO=yes SLUICE_PLACED=$dir/empty.so "$check" --part preload "$dir/lustre" \
	>"$dir/out" 2>"$dir/err"
grep -q "^fail  preload     a file below SLUICE_PLACE has its own layout: ERROR: \
ld.so: object .* (sluice: 2 stripes; lustre: no stripes)" "$dir/out" ||
	fail "preload does not say why"

# Draining takes create_count along, which does not come back by itself.
before=$(cd "$dir/set" && grep . -- *)
"$check" --write --part placement "$dir/lustre" >"$dir/out" 2>"$dir/err"
grep -q "^$osp.max_create_count=0" "$dir/changed" || fail "not drained"
[ "$(cd "$dir/set" && grep . -- *)" = "$before" ] || fail "left changed"

# Where its guard is killed, too, what the manual page says puts all back.
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"
touch "$dir/kill"
{ ("$check" --write --part placement "$dir/lustre"); } >"$dir/out" 2>"$dir/err"
while [ -e "$dir/kill" ]; do sleep 0.1; done
[ "$(cd "$dir/set" && grep . -- *)" != "$before" ] || fail "not killed"
sed -n '/^When the second process/,/^\.EE/s/^# //p' \
	"${srcdir:-.}/man/sluice-lustre-check.8" |
	sed "s|/tmp/|$TMPDIR/|g; s|DIRECTORY|$dir/lustre|; s|\\\\(aq|'|g; s|\\\\en|\\\\n|; s|\\\\-|-|g" >"$dir/mend"
[ "$(wc -l <"$dir/mend")" = 4 ] || fail "manual: $(cat "$dir/mend")"
bash "$dir/mend" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/mend")"
[ "$(cd "$dir/set" && grep . -- *)" = "$before" ] || fail "manual: left changed"
[ -z "$(ls "$dir/lustre")" ] || fail "left $(ls "$dir/lustre")"
exit $failed
