# SPDX-License-Identifier: GPL-2.0-or-later
dist_check_SCRIPTS += tools/check-includes
TESTS += tools/check-includes
