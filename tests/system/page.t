#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of a real site: what it shows is what happened, of each user their
# own; and sluice-web, while sluiced is there and while it is not.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
WEB=$(mktemp)

document() { # USER JQ-EXPRESSION
	bounded_exec -u "$1" ctl sysquery page --json --since 1h | jq -rc "$2"
}

script() {
	cat <<-'EOT'
		#!/bin/bash
		#BB jobfs capacity=100MiB
		#BB stage_in source=/pfs/alice/later destination=$BB_JOBFS/in
		find "$BB_JOBFS/in" -type f -exec cat {} + >/dev/null
		sleep 2 # runs of no whole second are none
	EOT
}

held() { # JOB
	[ "$(job_field "$1" JobState),$(job_field "$1" Priority)" = PENDING,0 ]
}

is_hold() { # JOB
	[ "$(document root '.holds[].job')" = "$1" ]
}

names_her() {
	document bob . | grep -E 'alice|script'
}

test_held() {
	local why
	JOB=$(script | submit -N2 -J '<script>"&' -t5)
	check_within 90 "a job without its input is held" held "$JOB"
	check_within 20 "the page lists the held job" is_hold "$JOB"
	why=$(document root '.holds[0].failure')
	check "the page has the failure of the held job" \
		equal "$why" "$(buffer_failure "$JOB")"
	check "alice's page has her held job" equal \
		"$(document alice '[.own, .holds[0].job, .buffers.total]')" \
		"[true,$JOB,1]"
	check "bob's page has no job of alice" equal \
		"$(document bob '[.own, (.holds | length), .buffers.total]')" \
		'[true,0,0]'
	check "bob's page has neither alice's name nor the job's" fails names_her
	check "bob may not ask for alice's page" fails bounded_exec -u bob ctl \
		sysquery page --user alice
	check "all users see the same pools" equal \
		"$(document bob '[.pools[] | [.name, .total_bytes]]')" \
		"$(document root '[.pools[] | [.name, .total_bytes]]')"
}

test_ran() {
	make_input later 20 1
	on ctl scontrol release "$JOB"
	# Slurm lets what was put back wait for two minutes.
	check_within 300 "the released job completes" \
		job_is "$JOB" COMPLETED
	check_within 60 "its buffer is done" buffer_is "$JOB" DONE
	check "the page lists no held job after that" \
		equal "$(document root .holds)" '[]'
	check "the page counts two buffers, one of them failed" equal \
		"$(document root '[.buffers.total, .buffers.failed]')" '[2,1]'
	check "the page shows the phases in order" equal "$(document root \
		'[.buffers.timeline[1].spans[].state]')" \
		'["SETUP","STAGE_IN","RUNNING","TEARDOWN"]'
	check "the page shows the stage-in's length as in the database" \
		equal "$(document root \
		'.buffers.timeline[1].spans[1] | .to - .from')" \
		"$(query "SELECT CAST((SELECT min(Time) FROM BufferHistory WHERE
			BID = b AND State = 3) AS INTEGER) - CAST(min(Time) AS
			INTEGER) FROM BufferHistory, (SELECT max(BID) AS b FROM
			Buffer) WHERE BID = b AND State = 2")"
	check "alice's page has her job's limit" equal \
		"$(document alice '[.limits.jobs >= 1, .limits.user[0].user]')" \
		'[true,"alice"]'
}

test_file() {
	on ctl sysquery page --since 1h -o /pfs/page
	check "sysquery page -o writes index.html" [ -s "$PFS/page/index.html" ]
	check "the page of a new site begins with its first job" test \
		"$(on ctl sysquery page --json | jq '.now - .since')" -le 7200
	check "the job's name is not interpreted as HTML" fails grep '<script' \
		"$PFS/page/index.html"
	check "the job's name is escaped" \
		grep -q '&lt;script&gt;' "$PFS/page/index.html"
	check "the page compares hosts with slurm.conf" grep -q \
		'hosts are in the resource map' "$PFS/page/index.html"
}

web_says() { # STATUS [CURL-WORD...]
	[ "$(on ctl curl -s -o /dev/null -w '%{http_code}' "${@:2}" \
		http://127.0.0.1:6823/)" = "$1" ]
}

test_web() {
	local token bearer
	LIMIT=600 bounded_exec -u alice ctl sluice-web >"$WEB" &
	check_within 20 "sluice-web prints its address with the token" \
		grep -q token= "$WEB"
	token=$(sed 's/.*token=//' "$WEB")
	bearer="Authorization: Bearer $token"
	check "without the token sluice-web answers 403" web_says 403
	check "with the token sluice-web answers 200" web_says 200 -H "$bearer"
	check "sluice-web shows alice's page" matches "$(on ctl curl -s -H "$bearer" \
		http://127.0.0.1:6823/)" 'only what is yours'
	check "other hosts cannot reach sluice-web" fails on n1 curl -s -m 5 \
		http://ctl:6823/
	cluster kill ctl sluiced
	check_within 30 "without sluiced sluice-web answers 503" \
		web_says 503 -H "$bearer"
	cluster start ctl sluiced
	check_within 60 "sluice-web answers 200 when sluiced is back" \
		web_says 200 -H "$bearer"
}

cluster_up --nodes 2 --ions 0
trap 'cluster_gone; rm -f "$WEB"' EXIT
test_held
test_ran
test_file
test_web
check "the database is sound" database_sound
finish
