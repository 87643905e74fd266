# SPDX-License-Identifier: GPL-2.0-or-later
# The predictor is for slurmctld too and stays free of SQL; history is sluiced's.
noinst_LIBRARIES += libslupredict.a libsluhistory.a libsluimport.a
libsluimport_a_SOURCES = \
	job_submit/import/import_formats.c job_submit/import/import_formats.h job_submit/import/import_row.c \
	job_submit/import/import_darshan.c \
	job_submit/import/import_json.c \
	job_submit/import/import_local.c \
	job_submit/import/import_sacct.c \
	job_submit/import/sacct_forms.c job_submit/import/sacct_forms.h \
	job_submit/import/sacct_lines.c job_submit/import/sacct_lines.h \
	job_submit/import/sacct_quoted.c job_submit/import/sacct_quoted.h \
	job_submit/import/sacct_table.c job_submit/import/sacct_table.h job_submit/import/sacct_columns.h \
	job_submit/import/sacct_titles.c
libsluimport = libsluimport.a $(libslupredict)
libslupredict_a_SOURCES = \
	job_submit/ended.c job_submit/ended.h \
	job_submit/name.c job_submit/name.h \
	job_submit/time_limit.c job_submit/time_limit.h \
	job_submit/predictor/prediction.c job_submit/predictor/predict.h \
	job_submit/predictor/learn.c \
	job_submit/predictor/model.h job_submit/predictor/predictor_state.h \
	job_submit/predictor/mixture.c job_submit/predictor/mixture.h \
	job_submit/predictor/distribution.c \
	job_submit/predictor/distribution.h job_submit/predictor/logtime.h \
	job_submit/predictor/job_classes.c job_submit/predictor/job_classes.h \
	job_submit/predictor/seqlock.h \
	job_submit/predictor/gate.c job_submit/predictor/gate.h \
	job_submit/predictor/attention.c job_submit/predictor/attention.h \
	job_submit/predictor/request_shares.c \
	job_submit/predictor/request_shares.h \
	job_submit/predictor/issued.c job_submit/predictor/issued.h \
	job_submit/predictor/too_short.c job_submit/predictor/too_short.h \
	job_submit/io/markov.c job_submit/io/markov.h \
	job_submit/io/io_profile.c job_submit/io/io_profile.h \
	job_submit/io/volumes.c job_submit/io/volumes.h \
	job_submit/simulation/easy_backfill.c \
	job_submit/simulation/easy_backfill.h \
	job_submit/simulation/start_forecast.c \
	job_submit/simulation/start_forecast.h
libslupredict = libslupredict.a $(libsluwire) $(XXHASH_LIBS)
libsluhistory_a_SOURCES = \
	job_submit/history/history_write.c job_submit/history/job_history.h \
	job_submit/history/history_read.c \
	job_submit/history/history_sums.c \
	job_submit/history/history_io.c job_submit/history/history_io.h \
	job_submit/history/server_io.c job_submit/history/server_io.h \
	job_submit/history/history_import.c \
	job_submit/history/io_readahead.c job_submit/history/io_readahead.h \
	job_submit/history/history_jobs.c \
	job_submit/history/history_forecast.c \
	job_submit/simulation/intern.c job_submit/simulation/intern.h \
	job_submit/simulation/workload.c job_submit/simulation/workload.h \
	job_submit/simulation/workload_replay.c \
	job_submit/simulation/workload_replay.h \
	job_submit/simulation/backtest_run.c \
	job_submit/simulation/policy_backtest.h \
	job_submit/simulation/backtest_mode.c \
	job_submit/simulation/backtest_mode.h \
	job_submit/simulation/accuracy.c job_submit/simulation/accuracy.h
libsluhistory = libsluhistory.a $(libslupredict) $(libslustore)

EXTRA_DIST += tests/fuzz/corpus/import
check_PROGRAMS += tests/fuzz/fuzz_import
TESTS += tests/fuzz/fuzz_import
tests_fuzz_fuzz_import_SOURCES = tests/fuzz/fuzz_import.c tests/fuzz/replay.c
tests_fuzz_fuzz_import_LDADD = $(libsluimport)

if HAVE_CHECK
job_submit_tests = \
	tests/unit/job_submit/test_predict tests/unit/job_submit/test_learn \
	tests/unit/job_submit/test_calibration tests/unit/job_submit/test_distribution \
	tests/unit/job_submit/test_job_classes tests/unit/job_submit/test_time_limit \
	tests/unit/job_submit/test_too_short tests/unit/job_submit/test_name \
	tests/unit/job_submit/test_markov tests/unit/job_submit/test_io_profile \
	tests/unit/job_submit/test_volumes tests/unit/job_submit/test_easy_backfill \
	tests/unit/job_submit/test_import tests/unit/job_submit/test_import_recorded \
	tests/unit/job_submit/test_import_refused tests/unit/job_submit/test_import_local \
	tests/unit/job_submit/test_import_darshan tests/unit/job_submit/test_sacct_table \
	tests/unit/job_submit/test_history tests/unit/job_submit/test_history_answers \
	tests/unit/job_submit/test_history_io tests/unit/job_submit/test_history_servers \
	tests/unit/job_submit/test_history_sums \
	tests/unit/job_submit/test_history_predict tests/unit/job_submit/test_history_choice \
	tests/unit/job_submit/test_io_readahead tests/unit/job_submit/test_yardstick \
	tests/unit/job_submit/test_attention tests/unit/job_submit/test_request_shares \
	tests/unit/job_submit/test_backtest tests/unit/job_submit/test_intern \
	tests/unit/job_submit/test_log_window \
	tests/unit/job_submit/test_start_forecast
check_PROGRAMS += $(job_submit_tests)
TESTS += $(job_submit_tests)
tests_unit_job_submit_test_predict_SOURCES = tests/unit/job_submit/test_predict.c \
	tests/unit/job_submit/predictor_fixture.c tests/unit/job_submit/predictor_fixture.h
tests_unit_job_submit_test_predict_LDADD = $(libslupredict) $(CHECK_LIBS) -lpthread
tests_unit_job_submit_test_learn_SOURCES = tests/unit/job_submit/test_learn.c \
	tests/unit/job_submit/predictor_fixture.c tests/unit/job_submit/predictor_fixture.h
tests_unit_job_submit_test_learn_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_attention_SOURCES = tests/unit/job_submit/test_attention.c \
	tests/unit/job_submit/predictor_fixture.c tests/unit/job_submit/predictor_fixture.h
tests_unit_job_submit_test_attention_LDADD = $(libslupredict) $(CHECK_LIBS) -lpthread
tests_unit_job_submit_test_request_shares_SOURCES = tests/unit/job_submit/test_request_shares.c \
	tests/unit/job_submit/predictor_fixture.c tests/unit/job_submit/predictor_fixture.h
tests_unit_job_submit_test_request_shares_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_calibration_SOURCES = tests/unit/job_submit/test_calibration.c \
	tests/unit/job_submit/predictor_fixture.c tests/unit/job_submit/predictor_fixture.h
tests_unit_job_submit_test_calibration_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_distribution_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_job_classes_LDADD = $(libslupredict) $(CHECK_LIBS) -lpthread
tests_unit_job_submit_test_too_short_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_time_limit_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_name_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_markov_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_io_profile_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_volumes_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_easy_backfill_SOURCES = tests/unit/job_submit/test_easy_backfill.c bench/easy.c bench/easy.h \
	bench/nodes.c bench/nodes.h
tests_unit_job_submit_test_easy_backfill_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_log_window_SOURCES = tests/unit/job_submit/test_log_window.c bench/log_window.c \
	bench/log_window.h bench/easy.h bench/swf.h
tests_unit_job_submit_test_log_window_LDADD = $(libslupredict) $(CHECK_LIBS)
tests_unit_job_submit_test_import_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_job_submit_test_import_recorded_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_job_submit_test_import_refused_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_job_submit_test_import_local_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_job_submit_test_import_darshan_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_job_submit_test_sacct_table_LDADD = $(libsluimport) $(CHECK_LIBS)
tests_unit_job_submit_test_history_SOURCES = tests/unit/job_submit/test_history.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_history_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_history_io_SOURCES = tests/unit/job_submit/test_history_io.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_history_io_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_history_servers_SOURCES = tests/unit/job_submit/test_history_servers.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_history_servers_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_io_readahead_SOURCES = tests/unit/job_submit/test_io_readahead.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_io_readahead_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_history_choice_SOURCES = tests/unit/job_submit/test_history_choice.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_history_choice_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_history_sums_SOURCES = tests/unit/job_submit/test_history_sums.c \
	tests/unit/job_submit/history_rows.c
tests_unit_job_submit_test_history_sums_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_history_answers_SOURCES = \
	tests/unit/job_submit/test_history_answers.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_history_answers_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_history_predict_SOURCES = \
	tests/unit/job_submit/test_history_predict.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_history_predict_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_backtest_SOURCES = tests/unit/job_submit/test_backtest.c \
	tests/unit/job_submit/history_rows.c tests/unit/job_submit/history_rows.h
tests_unit_job_submit_test_backtest_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_start_forecast_LDADD = $(libslupredict) $(CHECK_LIBS) -lm
tests_unit_job_submit_test_intern_LDADD = $(libsluhistory) $(CHECK_LIBS)
tests_unit_job_submit_test_yardstick_SOURCES = tests/unit/job_submit/test_yardstick.c \
	bench/swf.c bench/swf.h
tests_unit_job_submit_test_yardstick_LDADD = $(libslupredict) $(CHECK_LIBS)
endif
