# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslusysquery.la
libslusysquery_la_SOURCES = \
	sysquery/query.c sysquery/query.h \
	sysquery/resources.c sysquery/resources.h \
	sysquery/rows.c sysquery/rows.h \
	sysquery/summary.c
libslusysquery_la_LIBADD = libslusysmap.la libslustore.la libsluwire.la \
	libslucommon.la

if HAVE_CHECK
sysquery_tests = tests/unit/test_resources
check_PROGRAMS += $(sysquery_tests)
TESTS += $(sysquery_tests)
sysquery_test_libs = libslusysquery.la $(CHECK_LIBS)
tests_unit_test_resources_LDADD = $(sysquery_test_libs) $(SQLITE_LIBS)
endif
