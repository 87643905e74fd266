# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslurequest.la libsluburst.la
libslurequest_la_SOURCES = \
	burst_buffer/request/check.c \
	burst_buffer/request/expand.c \
	burst_buffer/request/grammar.c burst_buffer/request/grammar.h \
	burst_buffer/request/parse.c \
	burst_buffer/request/request.h
libslurequest_la_LIBADD = libsluwire.la libslucommon.la

# The side of sluiced.
libsluburst_la_SOURCES = \
	burst_buffer/buffers.h \
	burst_buffer/life.c burst_buffer/life.h
libsluburst_la_LIBADD = libslurequest.la libslustore.la libsluwire.la \
	libslucommon.la

check_PROGRAMS += tests/fuzz/fuzz_request
TESTS += tests/fuzz/fuzz_request
EXTRA_DIST += tests/fuzz/corpus/request
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c tests/fuzz/replay.c
tests_fuzz_fuzz_request_LDADD = libslurequest.la

if HAVE_CHECK
burst_tests = tests/unit/test_request tests/unit/test_request_check \
	tests/unit/test_life
check_PROGRAMS += $(burst_tests)
TESTS += $(burst_tests)
tests_unit_test_request_LDADD = libslurequest.la $(CHECK_LIBS)
tests_unit_test_request_check_LDADD = libslurequest.la $(CHECK_LIBS)
tests_unit_test_life_LDADD = libsluburst.la $(CHECK_LIBS)
endif

include burst_buffer/node/local.mk
