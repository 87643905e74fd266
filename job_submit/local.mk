# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LTLIBRARIES += libslupredict.la
libslupredict_la_SOURCES = \
	job_submit/predict.c job_submit/predict.h
libslupredict_la_LIBADD = libsluwire.la $(XXHASH_LIBS) -lm

if HAVE_CHECK
job_submit_tests = tests/unit/test_predict
check_PROGRAMS += $(job_submit_tests)
TESTS += $(job_submit_tests)
tests_unit_test_predict_LDADD = libslupredict.la $(CHECK_LIBS) -lpthread
endif
