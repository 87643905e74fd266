# SPDX-License-Identifier: GPL-2.0-or-later
# The predictor is for slurmctld too and stays free of SQL; history is sluiced's.
noinst_LIBRARIES += libslupredict.a libsluhistory.a libsluimport.a
libsluimport_a_SOURCES = \
	job_submit/import.c job_submit/import.h \
	job_submit/import_darshan.c job_submit/import_json.c \
	job_submit/import_local.c job_submit/import_sacct.c \
	job_submit/sacct_forms.c job_submit/sacct_forms.h \
	job_submit/sacct_lines.c job_submit/sacct_lines.h \
	job_submit/sacct_table.c job_submit/sacct_table.h \
	job_submit/sacct_titles.c
libsluimport = libsluimport.a $(libslupredict)
libslupredict_a_SOURCES = job_submit/predict.c job_submit/predict.h \
	job_submit/classes.c job_submit/classes.h job_submit/seqlock.h \
	job_submit/ended.c job_submit/ended.h \
	job_submit/spread.c job_submit/spread.h \
	job_submit/name.c job_submit/name.h \
	job_submit/granted.c job_submit/granted.h \
	job_submit/easy.c job_submit/easy.h \
	job_submit/start.c job_submit/start.h \
	job_submit/view.c job_submit/view.h job_submit/learn.c \
	job_submit/gate.c job_submit/attention.c job_submit/shares.c \
	job_submit/said.c \
	job_submit/too_short.c job_submit/too_short.h \
	job_submit/markov.c job_submit/markov.h \
	job_submit/profile.c job_submit/profile.h \
	job_submit/volumes.c job_submit/volumes.h
libslupredict = libslupredict.a $(libsluwire) $(XXHASH_LIBS)
libsluhistory_a_SOURCES = \
	job_submit/history.c job_submit/history_read.c job_submit/history.h \
	job_submit/history_sums.c \
	job_submit/history_io.c job_submit/history_io.h \
	job_submit/history_import.c \
	job_submit/io_ahead.c job_submit/io_ahead.h \
	job_submit/intern.c job_submit/intern.h \
	job_submit/past.c job_submit/past.h \
	job_submit/replay.c job_submit/replay.h \
	job_submit/backtest.c job_submit/backtest.h \
	job_submit/backtest_modes.c job_submit/backtest_modes.h \
	job_submit/query.c job_submit/foresee.c \
	job_submit/accuracy.c job_submit/accuracy.h
libsluhistory = libsluhistory.a $(libslupredict) $(libslustore)

EXTRA_DIST += tests/fuzz/corpus/import
check_PROGRAMS += tests/fuzz/fuzz_import
TESTS += tests/fuzz/fuzz_import
tests_fuzz_fuzz_import_SOURCES = tests/fuzz/fuzz_import.c tests/fuzz/replay.c
tests_fuzz_fuzz_import_LDADD = $(libsluimport)

if HAVE_CHECK
job_submit_tests = tests/unit/test_predict tests/unit/test_learn tests/unit/test_calibration tests/unit/test_spread \
	tests/unit/test_classes tests/unit/test_granted tests/unit/test_too_short tests/unit/test_name tests/unit/test_markov \
	tests/unit/test_profile tests/unit/test_volumes tests/unit/test_easy \
	tests/unit/test_import tests/unit/test_import_recorded \
	tests/unit/test_import_refused tests/unit/test_import_local \
	tests/unit/test_import_darshan tests/unit/test_sacct_table \
	tests/unit/test_history \
	tests/unit/test_history_answers tests/unit/test_history_io \
	tests/unit/test_history_sums \
	tests/unit/test_history_predict \
	tests/unit/test_history_choice tests/unit/test_io_ahead \
	tests/unit/test_yardstick \
	tests/unit/test_attention tests/unit/test_shares \
	tests/unit/test_backtest tests/unit/test_intern \
	tests/unit/test_start
check_PROGRAMS += $(job_submit_tests)
TESTS += $(job_submit_tests)
tests_unit_test_predict_SOURCES = tests/unit/test_predict.c \
	tests/unit/pupil.c tests/unit/pupil.h
tests_unit_test_predict_LDADD = $(libslupredict) $(CHECK_LIBS) -lpthread
tests_unit_test_learn_SOURCES = tests/unit/test_learn.c \
	tests/unit/pupil.c tests/unit/pupil.h
tests_unit_test_learn_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_attention_SOURCES = tests/unit/test_attention.c \
	tests/unit/pupil.c tests/unit/pupil.h
tests_unit_test_attention_LDADD = $(libslupredict) $(CHECK_LIBS) -lpthread
tests_unit_test_shares_SOURCES = tests/unit/test_shares.c \
	tests/unit/pupil.c tests/unit/pupil.h
tests_unit_test_shares_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_calibration_SOURCES = tests/unit/test_calibration.c \
	tests/unit/pupil.c tests/unit/pupil.h
tests_unit_test_calibration_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_spread_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_classes_LDADD = $(libslupredict) $(CHECK_LIBS) -lpthread
tests_unit_test_too_short_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_granted_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_name_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_markov_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_profile_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_volumes_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_easy_SOURCES = tests/unit/test_easy.c bench/easy.c bench/easy.h \
	bench/nodes.c bench/nodes.h
tests_unit_test_easy_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_test_import_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_test_import_recorded_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_test_import_refused_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_test_import_local_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_test_import_darshan_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_test_sacct_table_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_test_history_SOURCES = tests/unit/test_history.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_history_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_history_io_SOURCES = tests/unit/test_history_io.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_history_io_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_io_ahead_SOURCES = tests/unit/test_io_ahead.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_io_ahead_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_history_choice_SOURCES = tests/unit/test_history_choice.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_history_choice_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_history_sums_SOURCES = tests/unit/test_history_sums.c \
	tests/unit/history_rows.c
tests_unit_test_history_sums_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_history_answers_SOURCES = \
	tests/unit/test_history_answers.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_history_answers_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_history_predict_SOURCES = \
	tests/unit/test_history_predict.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_history_predict_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_backtest_SOURCES = tests/unit/test_backtest.c \
	tests/unit/history_rows.c tests/unit/history_rows.h
tests_unit_test_backtest_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_start_LDADD = $(libslupredict) $(CHECK_LIBS) -lm
tests_unit_test_intern_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_test_yardstick_SOURCES = tests/unit/test_yardstick.c \
	bench/swf.c bench/swf.h
tests_unit_test_yardstick_LDADD = $(libslupredict) $(CHECK_LIBS)
endif
