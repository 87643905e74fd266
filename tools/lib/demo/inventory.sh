# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 1. Sourced by tools/demo.

show_inventory() {
	question 1 "Which storage does each node have?"
	say "sysmap ran on every node and told sluiced what it found; sysquery" \
		"asks sluiced. Equal documents are stored once."
	echo
	ask resources | jq -r '
		["node", "device", "mounted on", "type", "size"],
		(.hosts | to_entries | sort_by(.key)[] | .key as $node | .value.mountpoints[] |
			select(.mountpoint == "/local") |
			[$node, .device, .mountpoint, .filesystem,
			 "\(.size / 1073741824 * 10 | round / 10) GiB"]) |
		@tsv' | table
}
