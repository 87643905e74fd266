# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libsluwire.la
libsluwire_la_SOURCES = \
	wire/codec.c wire/codec.h \
	wire/control.c wire/control.h \
	wire/field.h \
	wire/job.c wire/job.h \
	wire/node.c wire/node.h
libsluwire_la_LIBADD = libslucommon.la

if HAVE_CHECK
check_PROGRAMS += tests/unit/test_wire
TESTS += tests/unit/test_wire
tests_unit_test_wire_LDADD = libsluwire.la $(CHECK_LIBS)
endif
