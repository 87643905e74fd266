#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The short form of chaos.
exec "$(dirname "$0")/chaos" --jobs 30 --seed 2 --pause 3
