# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libsluwire.a
libsluwire_a_SOURCES = \
	wire/ion_assignment.c wire/ion_assignment.h \
	wire/codec.c wire/envelope.c wire/codec.h \
	wire/control.c wire/control.h \
	wire/field.h \
	wire/fs_shares.c wire/fs_shares.h \
	wire/job.c wire/job.h \
	wire/node.c wire/node.h \
	wire/note.c wire/note.h \
	wire/node_plan.c wire/node_plan.h \
	wire/rows.c wire/rows.h \
	wire/waits.c wire/waits.h
libsluwire = libsluwire.a $(libslucommon)

if HAVE_CHECK
check_PROGRAMS += tests/unit/wire/test_wire tests/unit/wire/test_rows tests/unit/wire/test_fs_shares
TESTS += tests/unit/wire/test_wire tests/unit/wire/test_rows tests/unit/wire/test_fs_shares
tests_unit_wire_test_wire_LDADD = $(libsluwire) $(CHECK_LIBS)
tests_unit_wire_test_rows_LDADD = $(libsluwire) $(CHECK_LIBS)
tests_unit_wire_test_fs_shares_LDADD = $(libsluwire) $(CHECK_LIBS)
endif

check_PROGRAMS += tests/fuzz/fuzz_wire
TESTS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c tests/fuzz/replay.c
tests_fuzz_fuzz_wire_LDADD = $(libsluwire)
EXTRA_DIST += tests/fuzz/corpus/wire
