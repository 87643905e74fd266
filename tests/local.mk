# SPDX-License-Identifier: GPL-2.0-or-later
dist_check_SCRIPTS += tools/check-includes
TESTS += tools/check-includes

# A unit test is one file, tests/unit/test_NAME.c, added by the room it tests.
noinst_HEADERS += tests/unit/harness.h tests/unit/random.h \
	tests/unit/tmpdir.h
# System tests: tests/system/run, or tools/test.
EXTRA_DIST += tests/system/run tests/system/lib.sh tests/system/cluster.t
