# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# How the demo talks: headings, sentences, tables, one line that moves while
# something runs. Sourced.
if [ -t 1 ]; then
	BOLD=$'\e[1m' DIM=$'\e[2m' GREEN=$'\e[32m' RED=$'\e[31m' PLAIN=$'\e[0m'
	REDRAW=$'\r\e[K'
else
	BOLD='' DIM='' GREEN='' RED='' PLAIN='' REDRAW=''
fi

question() { # NUMBER TEXT
	printf '\n%s%s. %s%s\n\n' "$BOLD" "$1" "$2" "$PLAIN"
}

say() {
	fold -sw 76 <<<"$*" | sed 's/^/  /; s/ *$//'
}

# What was checked in front of the reader's eyes.
verdict() { # OK-COMMAND-STATUS TEXT
	if [ "$1" = 0 ]; then
		printf '  %s✓%s %s\n' "$GREEN" "$PLAIN" "$2"
	else
		printf '  %s✗ %s%s\n' "$RED" "$2" "$PLAIN"
	fi
}

# Lines of tab-separated columns, the first line their names. Columns that
# hold only numbers stand to the right.
table() {
	awk -F'\t' -v bold="$BOLD" -v plain="$PLAIN" '
	{
		for (i = 1; i <= NF; i++) {
			cell[NR, i] = $i
			if (length($i) > width[i])
				width[i] = length($i)
			if (NR > 1 && $i !~ /^[-+]?[0-9.]*( [kMG]?i?B(\/s)?| s)?$/)
				text[i] = 1
		}
		if (NF > columns)
			columns = NF
	}
	function line(n,    i, w) {
		for (i = 1; i <= columns; i++) {
			w = text[i] ? -width[i] : width[i]
			if (text[i] && i == columns)
				w = 1
			printf("%s%*s", i == 1 ? "  " : "   ", w, cell[n, i])
		}
		print ""
	}
	END {
		printf "%s", bold
		line(1)
		printf "%s  ", plain
		for (i = 1; i <= columns; i++) {
			for (j = 0; j < width[i] + (i < columns ? 3 : 0); j++)
				printf "─"
		}
		print ""
		for (n = 2; n <= NR; n++)
			line(n)
	}'
	echo
}

# A line that replaces the one before it; on a file, a line per change.
moving() { # TEXT
	[ "$1" != "${MOVED:-}" ] || [ "$REDRAW" ] || return 0
	printf '%s  %s%s%s' "$REDRAW" "$DIM" "$1" "$PLAIN"
	[ "$REDRAW" ] || echo
	MOVED=$1
}

moving_ends() {
	printf '%s' "$REDRAW"
	MOVED=''
}

# bytes as people read them
human() {
	numfmt --to=iec-i --suffix=B --format=%.1f "$1" | sed 's/\([0-9]\)\([KMGT]*i*B\)/\1 \2/'
}
