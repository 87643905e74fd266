# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For system tests of limits: jobs that are tightened. Sourced after lib.sh.

short() { # SECONDS SBATCH-OPTION...: asks for 10 minutes, is given 1
	printf '#!/bin/sh\nsleep %s\n' "$1" |
		submit -N1 -t10 -J short "${@:2}" 2>/dev/null
}
