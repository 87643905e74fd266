#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fakes of lctl and lfs say what the real ones of 2.17.57 and 2.15.8 say, word
# by word and with their exit codes. Run in the build directory.
set -u
top=${srcdir:-.}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export FAKE_LCTL=$dir/server FAKE_LFS_STATE=$dir FAKE_LFS_OSTS=4
failed=0

want() { # EXIT-CODE TEXT COMMAND...: all that it says
	local rc=$1 text=$2 got
	shift 2
	"$@" >"$dir/out" 2>&1
	got=$?
	[ $got = "$rc" ] && [ "$(cat "$dir/out")" = "$text" ] && return
	echo "$*: exit code $got, not $rc: $(diff <(echo "$text") "$dir/out")"
	failed=1
}

lctl=tests/fakes/fake_lctl
lfs=$top/tests/fakes/fake_lfs
rule=ost.OSS.ost_io.nrs_tbf_rule
path=/sys/kernel/debug/lustre/ost/OSS/ost_io/nrs_tbf_rule
start='start j4711 jobid={4711} rate=5'

want 19 "error: read_param: '$path': No such device" $lctl get_param $rule
$lctl set_param ost.OSS.ost_io.nrs_policies='tbf jobid' >/dev/null
want 0 "$rule=$start" $lctl set_param "$rule=$start"
want 17 "error: set_param: setting $path=$start: File exists
error: set_param: setting 'ost/OSS/ost_io/nrs_tbf_rule'='$start': File exists" \
	$lctl set_param "$rule=$start"
want 1 "error: set_param: setting $path=stop default: Operation not permitted
error: set_param: setting 'ost/OSS/ost_io/nrs_tbf_rule'='stop default': Operation not permitted" \
	$lctl set_param "$rule=stop default"
$lctl fake version 2.15
want 17 "error: set_param: setting $path=$start: File exists" \
	$lctl set_param "$rule=$start"

want 19 "error: read_param: '/sys/kernel/debug/lustre/mds/MDS/mdt/nrs_tbf_rule': No such device" \
	env FAKE_LCTL="$dir/mds" sh -c '"$0" fake service mds.MDS.mdt &&
		exec "$0" get_param mds.MDS.mdt.nrs_tbf_rule' $lctl

cd "$dir" || exit 1
case $lfs in /*) ;; *) lfs=$OLDPWD/$lfs ;; esac
want 4 "lfs setstripe: stripe_count(3) != nr_tgts(2)" \
	"$lfs" setstripe -o 1,3 -c 3 bad
want 22 "lfs setstripe: setstripe error for 'bad': Invalid argument" \
	"$lfs" setstripe -o 7 bad
echo 2 >drained
want 105 "lfs setstripe: setstripe error for 'bad': No buffer space available" \
	"$lfs" setstripe -o 2,1 bad
echo 3 >inactive
want 121 "lfs setstripe: setstripe error for 'bad': inactive OST among your specified 2 OST(s)" \
	"$lfs" setstripe -o 3,1 bad
echo 2 0 1 >drained
want 28 "lfs setstripe: setstripe error for 'bad': No space left on device" \
	"$lfs" setstripe -c 1 bad
rm drained inactive
want 0 "bad has no stripe info" "$lfs" getstripe bad
want 0 '' "$lfs" setstripe -o 1,3 bad
want 4 "lfs setstripe setstripe: invalid stripe size '100000'" \
	"$lfs" setstripe -S 100000 bad
want 0 '' "$lfs" setstripe -o 3,1 -S 4M s2
want 17 "lfs setstripe: setstripe error for 's2': stripe already set" \
	"$lfs" setstripe -c 1 s2
want 0 "s2
lmm_stripe_count:  2
lmm_stripe_size:   4194304
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 3
	obdidx		 objid		 objid		 group
	     3	             2	          0x2	   0x300000400
	     1	             3	          0x3	   0x300000400" "$lfs" getstripe s2
want 0 '' "$lfs" setstripe -E 4M -c 1 -S 1M -E -1 -c 4 -S 4M pfl
want 0 "pfl
  lcm_layout_gen:    2
  lcm_mirror_count:  1
  lcm_entry_count:   2
    lcme_id:             1
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   4194304
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: 0
      lmm_objects:
      -   0: { l_ost_idx:   0, l_fid: [0x300000400:0x2:0x0] }

    lcme_id:             2
    lcme_mirror_id:      0
    lcme_flags:          0
    lcme_extent.e_start: 4194304
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  4
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: -1" "$lfs" getstripe pfl
want 0 '' "$lfs" setstripe -N2 -c 1 -S 1M twice
mirror() { # NUMBER ID OBJECT: as 2.17.57 prints it
	echo "  - lcme_id:             $2
    lcme_mirror_id:      $1
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   EOF
    sub_layout:
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: $3
      lmm_objects:
      - l_ost_idx: $3
        l_fid:     0x280000400:0x51:0x0"
}
want 0 "lcm_layout_gen:    2
lcm_mirror_count:  2
lcm_entry_count:   2
components:
$(mirror 1 65537 0)
$(mirror 2 131074 1)" "$lfs" getstripe -y twice
# Data-on-MDT is first, and alone; a component that extends itself is two.
want 4 "Option 'stripe-count' can't be specified with Data-on-MDT component: 1
lfs setstripe: invalid layout" "$lfs" setstripe -E 64K -L mdt -c 1 -E -1 -c 1 dom
want 4 "Option 'pool' can't be specified with Data-on-MDT component: 'flash'
lfs setstripe: invalid layout" "$lfs" setstripe -E 64K -L mdt -p flash -E -1 -c 1 dom
want 22 "error: 'mdt' layout can be only the first one" \
	"$lfs" setstripe -E 64K -c 1 -S 64K -E 1M -L mdt dom
want 27 "error: 'mdt' layout size is too big" \
	"$lfs" setstripe -E 2G -L mdt -E -1 -c 1 dom
want 4 "lfs setstripe setstripe: invalid component end '100000'" \
	"$lfs" setstripe -E 100000 -L mdt -E -1 -c 1 dom
want 22 "Set stripe size 16777216 failed: Invalid argument
error: lfs setstripe: invalid layout" "$lfs" setstripe -E -1 -c 1 -z 16M dom
want 4 "Set stripe size 50331648 failed: Invalid argument
lfs setstripe: invalid layout" \
	"$lfs" setstripe -E 64M -c 1 -S 1M -z 48M -E -1 -c 2 dom
# Of the first, its extension is made at once.
cannot="lfs setstripe: lfs setstripe: cannot create composite file 'dom': Invalid argument (22)"
want 1 "lfs setstripe setstripe: cannot set extent: Invalid argument
error: lfs setstripe: invalid layout" \
	"$lfs" setstripe -E 64M -c 1 -S 1M -z 4G -E -1 -c 2 dom
want 1 "lfs setstripe: Invalid layout: Zero length components must be followed by extension
$cannot" "$lfs" setstripe -E 64M -c 1 -S 1M -z 64M -E -1 -c 2 dom
want 1 "$cannot" "$lfs" setstripe -E 1G -c 4 -S 4M -z 960M -E -1 -c 2 -z 4G dom
want 0 '' "$lfs" setstripe -E 1G -c 1 -S 1M -z 512M -E -1 -c 2 half
want 0 '' "$lfs" setstripe -E 64K -L mdt -E -1 -c 2 -S 1M -p flash -z 64M dom
want 0 "dom
  lcm_layout_gen:    3
  lcm_mirror_count:  1
  lcm_entry_count:   3
    lcme_id:             1
    lcme_mirror_id:      0
    lcme_flags:          init
    lcme_extent.e_start: 0
    lcme_extent.e_end:   65536
      lmm_stripe_count:  0
      lmm_stripe_size:   65536
      lmm_pattern:       mdt
      lmm_layout_gen:    0
      lmm_mdt_index:     0

    lcme_id:             2
    lcme_mirror_id:      0
    lcme_flags:          0
    lcme_extent.e_start: 65536
    lcme_extent.e_end:   65536
      lmm_stripe_count:  2
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: -1

    lcme_id:             3
    lcme_mirror_id:      0
    lcme_flags:          extension
    lcme_extent.e_start: 65536
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  0
      lmm_extension_size: 67108864
      lmm_pattern:       raid0
      lmm_layout_gen:    0
      lmm_stripe_offset: -1" "$lfs" getstripe dom
exit $failed
