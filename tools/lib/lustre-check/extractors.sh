# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: sysmap against lctl. Sourced.

# sysmap's YAML: each item of a list is an object, named by its first keys.
map_values() {
	sysmap -f yaml -e lustre,lustretargets,lustrestats,lustrejobs |
		awk -v OFS='\t' '
		function flush(  i, id) {
			id = v["mountpoint"] "" v["name"] v["target"] \
				(("job" in v) ? " job " v["job"] : "")
			for (i = 1; i <= n; i++)
				print section " " (id == "" ? "server" : id), \
					k[i], v[k[i]]
			n = 0
			split("", v)
		}
		/^[a-z]/ { flush(); sub(":.*", ""); section = $0; next }
		/^ *- / || /^ *[a-z_]*:$/ { flush() }
		{
			sub("^ *(- )?", "")
			at = index($0, ": ")
			if (!at)
				next
			key = substr($0, 1, at - 1)
			value = substr($0, at + 2)
			if (value ~ /^".*"$/) {
				value = substr(value, 2, length(value) - 2)
				gsub(/\\"/, "\"", value)
				gsub(/\\\\/, "\\", value)
			}
			k[++n] = key
			v[key] = value
		}
		END { flush() }' |
		awk -F'\t' '$2 !~ /^(load|cpu_busy|cpu_all|memory)$/'
}

# Three files; a value must be what Lustre said before or after, or, if it is
# a number that moved, between. One line for each object:
# STATUS<TAB>OBJECT<TAB>VALUES[<TAB>WHY<TAB>OURS<TAB>LUSTRE'S]
compare_values() { # BEFORE MAP AFTER
	awk -F'\t' -v OFS='\t' '
		function number(x) { return x ~ /^-?[0-9.]+(e[+-]?[0-9]+)?$/ }
		function close_to(a, b) {
			return a == b || number(a) && number(b) && \
				a - b <= 0.001 && b - a <= 0.001
		}
		function fits(key,  a, m, b) {
			if (!(key in before)) return 0
			a = before[key]; m = map[key]
			b = key in after ? after[key] : a
			return close_to(m, a) || close_to(m, b) || a != b && \
				number(m) && (m - a) * (m - b) <= 0
		}
		function note(object, key, ours, its) {
			why[object] = why[object] (why[object] == "" ? "" : ", ") key
			sluice[object] = sluice[object] (bad[object] ? ", " : "") ours
			lustre[object] = lustre[object] (bad[object] ? ", " : "") its
			bad[object]++
		}
		FILENAME == ARGV[1] { before[$1 FS $2] = $3 }
		FILENAME == ARGV[2] { map[$1 FS $2] = $3 }
		FILENAME == ARGV[3] {
			after[$1 FS $2] = $3
			if (!(($1 FS $2) in before)) before[$1 FS $2] = $3
		}
		!(($1 FS $2) in seen) {
			seen[$1 FS $2]
			key_of[++n] = $1 FS $2
			if (!($1 in count)) object[++m] = $1
			count[$1]++
		}
		END {
			for (i = 1; i <= n; i++) {
				split(key_of[i], w, FS)
				if (!(key_of[i] in map))
					note(w[1], w[2], "nothing", before[key_of[i]])
				else if (!(key_of[i] in before))
					note(w[1], w[2], map[key_of[i]], "nothing")
				else if (!fits(key_of[i]))
					note(w[1], w[2], map[key_of[i]], before[key_of[i]])
			}
			for (i = 1; i <= m; i++)
				if (bad[object[i]])
					print "fail", object[i], count[object[i]], \
						why[object[i]], sluice[object[i]], \
						lustre[object[i]]
				else
					print "pass", object[i], count[object[i]]
		}' "$@"
}

check_extractors() {
	local status object values why ours its
	$dry && would "compare what sysmap's lustre, lustretargets, lustrestats," \
		"lustrejobs say with lctl get_param, lctl dl and lfs osts" && return
	for _ in 1 2 3; do # until nothing moves meanwhile
		lustre_values >"$state/before"
		map_values >"$state/map"
		lustre_values >"$state/after"
		cmp -s "$state/before" "$state/after" && break
	done
	while IFS=$'\t' read -r status object values why ours its; do
		if [ "$status" = pass ]; then
			pass "$object, values: $values"
		else
			fail "$object" "$why" "$ours" "$its"
		fi
	done < <(compare_values "$state/before" "$state/map" "$state/after")
	[ -s "$state/before" ] || skip "this node" "no client and no target"
}
