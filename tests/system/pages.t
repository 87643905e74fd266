#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pages, line by line: each file of theirs is written, each command run as alice
# in /pfs/alice, and what it prints is what the page says. A page is a sequence of
#     <!-- file: NAME -->  and a code block: that file's content
#     ```console           a line "$ COMMAND", then what it prints
#     <!-- run -->         and a code block: commands, each of which succeeds.
# Seconds and dates may be others, "..." stands for any words of a line, alone
# in a line for any lines. A page begins with job 1. A command that only looks is
# asked again for a while, as one who reads would.
. "$(dirname "$0")/lib.sh"

# Writes STEPS/NNN.file (its first line is the name) or NNN.run and NNN.want.
parse() { # PAGE DIRECTORY
	awk -v dir="$2" '
	function step(kind) { return sprintf("%s/%03d.%s", dir, n, kind) }
	/^<!-- file: / { name = $3; next }
	/^<!-- run -->/ { run = 1; next }
	/^```/ && code { code = ""; next }
	/^```/ {
		code = name ? "file" : run ? "run" : /console/ ? "console" : "other"
		if (name) { n++; print name >step("file") }
		name = run = ""
		next
	}
	code == "run" {
		n++
		print >step("run")
		print "..." >step("want")
	}
	code == "file" { print >step("file") }
	code == "console" && /^\$ / {
		n++
		print substr($0, 3) >step("run")
		printf "" >step("want")
		next
	}
	code == "console" { print >step("want") }' "$1"
}

# A page's text as an extended regular expression.
pattern() {
	sed 's/  */ /g' | sed -zE 's/[][\\.^$*+?(){}|]/\\&/g; s/(^|\n)\\\.\\\.\\\.\n/\1(.*\n)?/g
		s/\\\.\\\.\\\./[^\n]*/g; s/[0-9]+\\\.[0-9]+ s\b/[0-9.]+ m?s/g
		s/[0-9]{4}-[0-9-]+T[0-9:]+/[0-9T:-]+/g'
}

as_wanted() { # OUTPUT-FILE WANT-FILE
	local want
	want=$(pattern <"$2" && echo .)
	[[ $(sed 's/  *$//; s/  */ /g' "$1" && echo .) =~ ^${want%.}\.$ ]]
}

only_looks() { # COMMAND
	[[ $1 =~ ^(cat|ls|squeue|scontrol\ show|sysquery|tar\ -t) ]]
}

# slurmctld reads sluice.conf when it is back at work. What is asked for too
# long is refused in any case, and takes no number of a job.
knows_persistent() {
	as_alice sbatch --wrap=true \
		--bb='persistent_create name=a capacity=1MiB lifetime=9999d' 2>&1 |
		grep -q PersistentLifetime
}

# What goes on for ever does so for three seconds.
command_of() { # STEP
	grep -q -- --watch "$1.run" || { cat "$1.run" && return; }
	echo "timeout 3 $(<"$1.run")"
	echo '[ $? = 124 ]'
}

# Fails where the page does not show an error and there was one.
run_once() { # STEP
	LIMIT=90 bounded_exec -u alice ctl bash -c "cd /pfs/alice && $(command_of "$1")" \
		>"$1.got" 2>&1 || grep -q 'error: ' "$1.want"
}

run_step() { # STEP: without its ending
	if only_looks "$(<"$1.run")"; then
		wait_for 30 is_right "$1"
	else
		is_right "$1"
	fi || { note "wanted:"$'\n'"$(<"$1.want")"$'\n'"got:"$'\n'"$(<"$1.got")" && false; }
}

is_right() { # STEP
	run_once "$1" && as_wanted "$1.got" "$1.want"
}

write_file() { # FILE
	local to
	to=$PFS/alice/$(head -n 1 "$1")
	tail -n +2 "$1" >"$to"
	chown --reference="$PFS/alice" "$to"
}

run_page() { # PAGE
	local dir step
	dir=$(mktemp -d)
	parse "$TOP/doc/$1.md" "$dir"
	check "$1: the page has at least two commands" \
		test "$(find "$dir" -name '*.run' | wc -l)" -ge 2
	find "$dir" -name '*.file' -o -name '*.run' | LC_ALL=C sort >"$dir/order"
	while read -r step <&3; do
		case $step in
		*.file) write_file "$step" ;;
		*.run) check "$1: $(<"$step")" run_step "${step%.run}" ;;
		esac
	done 3<"$dir/order"
	rm -r "$dir"
}

serve() { # HOST
	on "$1" sh -c 'setsid sluice-node serve --period 0.5 \
		--log /var/log/serve.log >/dev/null 2>&1 </dev/null & '
}

# What the page says that the site has.
prepare() { # PAGE
	case $1 in
	recipes | persistent) ;;
	sysquery)
		submit -N1 --bb='capacity=20MiB' --wrap=true >/dev/null
		wait_for 60 job_ended 1
		return
		;;
	*) return ;;
	esac
	cluster conf sluice.conf PersistentNodes=n3
	cluster stop ctl sluiced
	cluster start ctl sluiced
	on ctl scontrol reconfigure
	serve n3
	wait_for 20 knows_persistent
}

# Each page from its first line on, with job numbers from 1.
for page in ${PAGES:-INSTALL tutorial sysquery recipes persistent forwarding}; do
	cluster_up --nodes 3 --ions "$([ "$page" = forwarding ] && echo 4 || echo 0)"
	prepare "$page"
	on ctl scontrol update PartitionName=main Nodes='n[1-2]'
	run_page "$page"
	cluster down | sed 's/^/# /'
done
finish
