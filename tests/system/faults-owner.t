#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The job's owner. See faults.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/buffer.sh"
. "$(dirname "$0")/faults.sh"

# shellcheck disable=SC2086
run_faults ${FAULTS:-cancel}
