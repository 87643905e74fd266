# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslurequest.la
libslurequest_la_SOURCES = \
	burst_buffer/request/check.c \
	burst_buffer/request/expand.c \
	burst_buffer/request/grammar.c burst_buffer/request/grammar.h \
	burst_buffer/request/parse.c \
	burst_buffer/request/request.h
libslurequest_la_LIBADD = libsluwire.la libslucommon.la

if HAVE_CHECK
check_PROGRAMS += tests/unit/test_request tests/fuzz/fuzz_request
TESTS += tests/unit/test_request tests/fuzz/fuzz_request
tests_unit_test_request_LDADD = libslurequest.la $(CHECK_LIBS)
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c tests/fuzz/replay.c
EXTRA_DIST += tests/fuzz/corpus/request
tests_fuzz_fuzz_request_LDADD = libslurequest.la
endif
include burst_buffer/node/local.mk
