# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# sluice-lustre-check: what Lustre's own programs say, as lines
# "OBJECT<TAB>KEY<TAB>VALUE" with the names of sysmap(1). Sourced.

tell() { # OBJECT KEY VALUE; nothing where Lustre has no value
	[ -z "$3" ] || printf '%s\t%s\t%s\n' "$@"
}

# Some versions have sizes of a target in the layer below only.
kib() { # PARAMETER: in bytes
	local n
	n=$(get "$1" | head -n 1)
	[ -n "$n" ] || n=$(get "osd-*.${1#*.}" | head -n 1)
	[ -z "$n" ] || echo $((n * 1024))
}

steady() { # BYTES: six leading bits (sizes of ZFS)
	local shift=0
	[ -n "$1" ] || return
	while [ $(($1 >> shift)) -ge 64 ]; do shift=$((shift + 1)); done
	echo $(($1 >> shift << shift))
}

lustre_mounts() {
	local dir device fs lov index name active
	while read -r dir device; do
		[[ $device == *:/* ]] || continue # a server's target
		fs=${device##*:/}
		fs=${fs%%/*}
		lov=$(lctl list_param "lov.$fs-clilov-*" 2>/dev/null | head -n 1)
		tell "lustre $dir" fsname "$fs"
		tell "lustre $dir" mountpoint "$dir"
		tell "lustre $dir" device "$device"
		tell "lustre $dir" version "$(get version | head -n 1)"
		tell "lustre $dir" stripe_count "$(get "$lov.stripecount")"
		tell "lustre $dir" stripe_size "$(get "$lov.stripesize")"
		while read -r index name active; do
			[[ $index == *[0-9]: ]] || continue
			tell "lustre ${name%_UUID}" index "${index%:}"
			tell "lustre ${name%_UUID}" name "${name%_UUID}"
			tell "lustre ${name%_UUID}" active \
				"$([ "$active" = ACTIVE ] && echo true || echo false)"
		done < <(lfs osts "$dir")
	done < <(findmnt -rn -t lustre -o TARGET,SOURCE)
}

targets() { # KIND: of this server, by lctl dl
	awk -v kind="$1" '$3 == kind { print $4 }' "$state/devices" | sort
}

lustre_targets() {
	local kind as name osd bytes
	for kind in obdfilter:ost mdt:mdt mgs:mgt; do
		as=${kind#*:}
		for name in $(targets "${kind%:*}"); do
			tell "lustretargets $name" name "$name"
			tell "lustretargets $name" kind "$as"
			[[ $name != *-*[0-9a-f] ]] || {
				tell "lustretargets $name" fsname "${name%-*}"
				tell "lustretargets $name" index $((16#${name: -4}))
			}
			osd=$(awk -v n="$name-osd" '$4 == n { print $3 }' \
				"$state/devices")
			[ -n "$osd" ] || continue
			tell "lustretargets $name" backend "${osd#osd-}"
			tell "lustretargets $name" device "$(get "$osd.$name.mntdev")"
			bytes=$(kib "$osd.$name.kbytestotal")
			[ "$osd" != osd-zfs ] || bytes=$(steady "$bytes")
			tell "lustretargets $name" size_bytes "$bytes"
		done
	done
}

requests() { # of a stats file: samples of all that is not counted in bytes
	awk '$3 == "samples" && $4 != "[bytes]" { n += $2 }
		END { if (NR) printf "%.0f\n", n }'
}

sum_of() { # ROW
	awk -v row="$1" '$1 == row && $3 == "samples" { printf "%.0f\n", $7 }'
}

mean_of() { # HISTOGRAM of brw_stats: the mean of its labels
	awk -v head="$1" '
		index($0, head) { on = 1; next }
		on && !/^[0-9]+[KM]?:/ { exit }
		on {
			label = $1 + 0
			if ($1 ~ /K:/) label *= 1024
			if ($1 ~ /M:/) label *= 1048576
			split($0, side, "|")
			split(side[2], w, " ")
			n += $2 + w[1]
			sum += ($2 + w[1]) * label
		}
		END { if (n) printf "%.3f\n", sum / n }'
}

lustre_stats() {
	local name text brw
	for name in $(targets obdfilter); do
		tell "lustrestats $name" name "$name"
		tell "lustrestats $name" total_bytes "$(kib "obdfilter.$name.kbytestotal")"
		tell "lustrestats $name" free_bytes "$(kib "obdfilter.$name.kbytesfree")"
		tell "lustrestats $name" available_bytes \
			"$(kib "obdfilter.$name.kbytesavail")"
		text=$(get "obdfilter.$name.stats")
		tell "lustrestats $name" read_bytes "$(sum_of read_bytes <<<"$text")"
		tell "lustrestats $name" written_bytes "$(sum_of write_bytes <<<"$text")"
		tell "lustrestats $name" requests "$(requests <<<"$text")"
		brw=$(get "osd-*.$name.brw_stats")
		tell "lustrestats $name" io_ms "$(mean_of 'I/O time' <<<"$brw")"
		tell "lustrestats $name" io_bytes "$(mean_of 'disk I/O size' <<<"$brw")"
	done
	for name in $(targets mdt); do
		tell "lustrestats $name" name "$name"
		tell "lustrestats $name" requests \
			"$(get "mdt.$name.md_stats" | requests)"
	done
	[ -z "$(targets obdfilter)$(targets mdt)" ] || {
		text=$(get stats | tail -n 1)
		tell "lustrestats server" sent_bytes "$(awk '{ print $8 }' <<<"$text")"
		tell "lustrestats server" received_bytes \
			"$(awk '{ print $9 }' <<<"$text")"
	}
}

# Ids stand in quotes, other bytes as \xHH, where they have odd characters; what is
# not counted, as on metadata targets, is 0.
lustre_jobs() {
	local kind name
	for kind in obdfilter mdt; do
		for name in $(targets "$kind"); do
			get "$kind.$name.job_stats" | awk -v target="$name" -v OFS='\t' '
				function put(key, value) {
					print "lustrejobs " target " job " id, key, value
				}
				function field(word,  x) {
					if (!match($0, "[{,] *" word ": *[0-9]+"))
						return 0
					x = substr($0, RSTART, RLENGTH)
					sub(/.*[^0-9]/, "", x)
					return x
				}
				function digit(c) {
					return index("0123456789abcdef", tolower(c)) - 1
				}
				function put_all(  i) {
					for (i = 1; known && i <= 4; i++)
						put(key[i], value[key[i]] + 0 ? \
							value[key[i]] : 0)
					split("", value)
				}
				BEGIN { split("reads read_bytes writes written_bytes", key) }
				/^- job_id:/ {
					put_all()
					known = 1
					id = $0
					sub(/^- job_id: */, "", id)
					sub(/ *$/, "", id)
					if (id ~ /^".*"$/) {
						id = substr(id, 2, length(id) - 2)
						while (match(id, /\\x[0-9a-fA-F][0-9a-fA-F]/))
							id = substr(id, 1, RSTART - 1) \
								sprintf("%c", 16 * \
								digit(substr(id, RSTART + 2, 1)) + \
								digit(substr(id, RSTART + 3, 1))) \
								substr(id, RSTART + 4)
					}
					put("target", target)
					put("job", id)
				}
				/^  (read|write)_bytes:/ {
					read = /^  read/
					value[read ? "reads" : "writes"] = field("samples")
					value[read ? "read_bytes" : "written_bytes"] = \
						field("sum")
				}
				END { put_all() }'
		done
	done
}

lustre_values() {
	lctl dl >"$state/devices" 2>/dev/null
	lustre_mounts
	lustre_targets
	lustre_stats
	lustre_jobs
}
