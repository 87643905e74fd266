# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libsluiced.a
libsluiced_a_SOURCES = \
	sluiced/answers.c sluiced/answers.h sluiced/ions.c \
	sluiced/assignment.c sluiced/assignment.h \
	sluiced/auth.c sluiced/auth.h \
	sluiced/batch.c sluiced/batch.h \
	sluiced/bounds.c sluiced/bounds.h sluiced/breaker.h \
	sluiced/buffers_glue.c \
	sluiced/child.c sluiced/child.h \
	sluiced/conf_text.c \
	sluiced/control.c sluiced/control.h \
	sluiced/daemon.c sluiced/daemon.h \
	sluiced/documents.c \
	sluiced/history.c sluiced/history.h \
	sluiced/httpd.c sluiced/httpd.h \
	sluiced/import.c sluiced/iocount.c sluiced/iocount.h \
	sluiced/jobs.c sluiced/jobs.h \
	sluiced/jobstats.c sluiced/jobstats.h \
	sluiced/line.c sluiced/line.h \
	sluiced/link.c \
	sluiced/listen.c sluiced/listen.h \
	sluiced/lock.c sluiced/lock.h \
	sluiced/longpoll.c sluiced/longpoll.h \
	sluiced/loop.c sluiced/loop.h \
	sluiced/metrics.c sluiced/metrics.h \
	sluiced/supply.c sluiced/supply.h \
	sluiced/offers.c sluiced/supply_glue.c \
	sluiced/near.c sluiced/near.h \
	sluiced/nodes.c sluiced/nodes.h \
	sluiced/orders.c sluiced/orders.h \
	sluiced/layouts.c sluiced/osts.c \
	sluiced/mapfiles.c sluiced/mapfiles.h \
	sluiced/nodemaps.c sluiced/nodemaps.h \
	sluiced/programs.c sluiced/programs.h \
	sluiced/publish.c sluiced/publish.h \
	sluiced/questions.c sluiced/questions.h \
	sluiced/routes.c sluiced/routes.h \
	sluiced/stripe.c \
	sluiced/texts.c sluiced/texts.h \
	sluiced/totals.c sluiced/totals.h \
	sluiced/turn.c sluiced/turn.h \
	sluiced/user.c sluiced/user.h
libsluiced = libsluiced.a $(libsluburst) $(libsluhistory) $(libsluimport) \
	$(libsluion) $(libslustripe) $(libslusysquery) $(MHD_LIBS)

sbin_PROGRAMS += sluiced/sluiced
sluiced_sluiced_SOURCES = sluiced/main.c $(command_words)
sluiced_sluiced_LDADD = $(libsluiced)

check_PROGRAMS += tests/fuzz/fuzz_line
TESTS += tests/fuzz/fuzz_line
EXTRA_DIST += tests/fuzz/corpus/line
tests_fuzz_fuzz_line_SOURCES = tests/fuzz/fuzz_line.c tests/fuzz/replay.c
tests_fuzz_fuzz_line_LDADD = $(libsluiced)

if HAVE_CHECK
sluiced_tests = \
	tests/unit/test_near \
	tests/unit/test_sluiced_answers \
	tests/unit/test_sluiced_assignment \
	tests/unit/test_sluiced_auth \
	tests/unit/test_sluiced_batch \
	tests/unit/test_sluiced_bounds \
	tests/unit/test_sluiced_buffers \
	tests/unit/test_sluiced_conf \
	tests/unit/test_sluiced_control \
	tests/unit/test_sluiced_daemon \
	tests/unit/test_sluiced_history \
	tests/unit/test_sluiced_httpd \
	tests/unit/test_sluiced_jobs \
	tests/unit/test_sluiced_line \
	tests/unit/test_sluiced_lock \
	tests/unit/test_sluiced_longpoll \
	tests/unit/test_sluiced_loop \
	tests/unit/test_sluiced_mapfiles \
	tests/unit/test_sluiced_maps \
	tests/unit/test_sluiced_nodes tests/unit/test_sluiced_supply \
	tests/unit/test_sluiced_orders \
	tests/unit/test_layouts \
	tests/unit/test_sluiced_jobstats \
	tests/unit/test_sluiced_osts \
	tests/unit/test_sluiced_programs \
	tests/unit/test_sluiced_publish \
	tests/unit/test_sluiced_push \
	tests/unit/test_sluiced_questions \
	tests/unit/test_sluiced_routes \
	tests/unit/test_sluiced_totals \
	tests/unit/test_sluiced_user
check_PROGRAMS += $(sluiced_tests)
TESTS += $(sluiced_tests)
# A whole sluiced in a test.
sluiced_whole = tests/unit/sluiced.c tests/unit/sluiced.h $(command_words)
tests_unit_test_sluiced_answers_SOURCES = tests/unit/test_sluiced_answers.c \
	$(sluiced_whole) $(sysquery_parts)
tests_unit_test_sluiced_answers_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_near_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_assignment_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_auth_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_batch_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_bounds_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_conf_SOURCES = \
	tests/unit/test_sluiced_conf.c $(sluiced_whole)
tests_unit_test_sluiced_conf_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_control_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_buffers_SOURCES = \
	tests/unit/test_sluiced_buffers.c $(sluiced_whole) \
	select_io/tbf/publish.c
tests_unit_test_sluiced_buffers_LDADD = $(libslutbfd) $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_questions_SOURCES = \
	tests/unit/test_sluiced_questions.c $(sluiced_whole)
tests_unit_test_sluiced_questions_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_daemon_SOURCES = \
	tests/unit/test_sluiced_daemon.c $(sluiced_whole)
tests_unit_test_sluiced_daemon_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_history_SOURCES = \
	tests/unit/test_sluiced_history.c $(sluiced_whole)
tests_unit_test_sluiced_history_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_httpd_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_jobs_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_line_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_lock_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_longpoll_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_loop_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_mapfiles_SOURCES = \
	tests/unit/test_sluiced_mapfiles.c \
	tests/unit/map_dir.c tests/unit/map_dir.h
tests_unit_test_sluiced_mapfiles_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_maps_SOURCES = \
	tests/unit/test_sluiced_maps.c $(sluiced_whole)
tests_unit_test_sluiced_maps_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_nodes_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_supply_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_orders_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_osts_SOURCES = tests/unit/test_sluiced_osts.c \
	$(sluiced_whole) select_io/tbf/publish.c
tests_unit_test_sluiced_osts_LDADD = $(libslutbfd) $(libsluiced) $(CHECK_LIBS)
tests_unit_test_layouts_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_jobstats_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_jobstats_LDFLAGS = -Wl,--wrap=slu_control_send
tests_unit_test_sluiced_programs_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_publish_SOURCES = \
	tests/unit/test_sluiced_publish.c \
	tests/unit/map_dir.c tests/unit/map_dir.h
tests_unit_test_sluiced_publish_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_push_SOURCES = tests/unit/test_sluiced_push.c \
	$(sluiced_whole)
tests_unit_test_sluiced_push_LDADD = $(libslupush) $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_routes_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_totals_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_test_sluiced_user_LDADD = $(libsluiced) $(CHECK_LIBS)
endif
