# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What came of the programs, held against limits; tables. Sourced by run.
#
# A result: program, file system, nodes, result, seconds, starts, why, what was
# expected, the reason for a "no" that was, verdict; separated by tabs.

# expected FS PROGRAM NODES RESULT: sets WANTED and REASON.
expected() {
	local fs program nodes
	while read -r fs program nodes WANTED REASON; do
		# shellcheck disable=SC2053 # patterns
		[[ $1 = $fs && $2 = $program && $3 = $nodes ]] && return
	done < <(grep -v '^#' "$APPS/limits")
	WANTED=ok REASON=''
}

# Reads a job's lines.
judge() { # FILE-SYSTEM NODES
	local program got seconds starts why verdict IFS=$'\t'
	while read -r program got seconds starts why; do
		IFS=$' \t' expected "$1" "$program" "$2"
		case $got,$WANTED in
		skipped,*) verdict=skipped ;;
		"$WANTED,$WANTED") verdict=expected ;;
		ok,maybe | wrong,maybe) verdict=expected ;;
		*) verdict=unexpected ;;
		esac
		[ "$got" = ok ] || [ -n "$why" ] || why="no word"
		echo "$program	$1	$2	$got	$seconds	$starts	${why:--}	$WANTED	${REASON:--}	$verdict"
	done
}

progress() {
	awk -F '\t' '$10 == "unexpected" {
		printf "  %-24s %-10s %s: %s, not %s: %s\n", $1, $2, $3, $4, $8, $7
	}' >&2
}

# A line for each program; in each column what it came to on 1, 2 and 4 nodes:
# "y" as it should be, "n" known not to work, "-" not run, "!" unexpected. One
# with parts is "n" where one of them is.
matrix() {
	awk -F '\t' '
	{ sub("/.*", "", $1) }
	!($1 in seen) { seen[$1] = ++rows; name[rows] = $1 }
	!($2 in column) { column[$2] = ++columns; fs[columns] = $2 }
	{
		key = $1 SUBSEP $2 SUBSEP $3
		if (!(key in mark)) {
			nodes[$1, $2] = nodes[$1, $2] " " $3
			mark[key] = $4 == "skipped" ? "-" : "y"
		}
		if ($4 != "ok" && $4 != "skipped")
			mark[key] = "n"
		if ($10 == "unexpected")
			odd[key] = "!"
	}
	function cell(name, fs,    n, i, each, text) {
		n = split(nodes[name, fs], each, " ")
		for (i = 1; i <= n; i++) {
			key = name SUBSEP fs SUBSEP each[i]
			text = text " " each[i] ":" mark[key] odd[key]
		}
		return substr(text, 2)
	}
	END {
		printf "%-28s", "program"
		for (c = 1; c <= columns; c++)
			printf " %-14s", fs[c]
		print ""
		for (r = 1; r <= rows; r++) {
			printf "%-28s", name[r]
			for (c = 1; c <= columns; c++)
				printf " %-14s", cell(name[r], fs[c])
			print ""
		}
	}' "$OUT/results" | sed 's/ *$//'
}

# Of programs with parts, how many of these came to what.
parts_counted() {
	awk -F '\t' '
	sub("/.*", "", $1) {
		key = $1 ", " $2 ", " $3 " nodes"
		if (!n[key]++)
			order[++keys] = key
		yes[key] += $4 == "ok"
		not_run[key] += $4 == "skipped"
	}
	END {
		for (i = 1; i <= keys; i++) {
			key = order[i]
			printf "%s: %d parts right, %d not, %d not run\n", key,
				yes[key], n[key] - yes[key] - not_run[key],
				not_run[key]
		}
	}' "$OUT/results"
}

# Each "no", and each surprise, with its reason.
noes() {
	awk -F '\t' '$4 == "skipped" { skip[$7] = skip[$7] " " $1; next }
	$4 != "ok" || $10 == "unexpected" || $6 > 1 {
		printf "%s, %s, %d nodes: %s%s", $1, $2, $3, $4,
			($6 > 1 ? " at its second start" : "")
		if ($7 != "-") printf " (%s)", $7
		printf "\n    %s\n", ($10 == "unexpected" ? "UNEXPECTED" : $9)
	}
	END {
		for (why in skip) {
			n = split(skip[why], names, " ")
			printf "not run, %s: %d\n", why, n
		}
	}' "$OUT/results"
}

FIELDS='["program","file_system","nodes","result","seconds","starts","why","expected","reason","verdict"]'

as_json() {
	jq -Rn "[inputs | split(\"\\t\") as \$row | $FIELDS |
		with_entries({key: .value, value: \$row[.key]}) |
		.nodes |= tonumber | .seconds |= tonumber |
		.starts |= tonumber]" <"$OUT/results"
}

as_csv() {
	jq -Rrn "$FIELDS, (inputs | split(\"\\t\")) | @csv" <"$OUT/results"
}

report() {
	{
		matrix
		echo
		parts_counted
		noes
	} >"$TABLE"
	as_csv >"${TABLE%.txt}.csv"
	as_json >"${TABLE%.txt}.json"
	case $SHOW in
	table) cat "$TABLE" ;;
	*) cat "${TABLE%.txt}.$SHOW" ;;
	esac
	[ "$SHOW" = table ] || exec >&2
	awk -F '\t' '{ n[$10]++ } $6 > 1 { late++ } END {
		if (late) printf "%d programs did not start at once\n", late
		printf "%d passed, %d failed, %d skipped\n", n["expected"],
			n["unexpected"], n["skipped"]
		exit n["unexpected"] > 0 || !NR
	}' "$OUT/results"
}
