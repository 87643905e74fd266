# SPDX-License-Identifier: GPL-2.0-or-later
# libsluctl.a is for the tests; libsluice is the same, in one piece, with only
# slu_ctl_* to be seen. It is made of sources, not of our convenience libraries:
# what slurmctld loads needs neither libcurl nor libmunge.
noinst_LIBRARIES += libsluctl.a
libsluctl_a_SOURCES = \
	ctl/advice.c ctl/advice.h \
	ctl/arbiter/forward_request.c ctl/arbiter/forward_request.h \
	ctl/arbiter/hostnames.c ctl/arbiter/hostnames.h \
	ctl/arbiter/ions.c ctl/arbiter/ions.h \
	ctl/arbiter/recruits.c ctl/arbiter/recruits.h \
	ctl/ctl.h ctl/submission.h \
	ctl/instance.c \
	ctl/iostart/capacity.c \
	ctl/iostart/hooks.c ctl/iostart/hooks.h \
	ctl/iostart/iostart_state.c ctl/iostart/iostart.h \
	ctl/iostart/iostart_private.h \
	ctl/iostart/must_wait.c \
	ctl/iostart/heaviest.c \
	ctl/iostart/sentences.c \
	ctl/iostart/running.c \
	ctl/iostart/waiting.c \
	ctl/jobs/running/begin.c \
	ctl/jobs/running/event_hooks.c ctl/jobs/running/event_hooks.h \
	ctl/jobs/running/events.c ctl/jobs/running/events.h \
	ctl/jobs/running/followed.c ctl/jobs/running/followed.h \
	ctl/jobs/running/limit_guard.c ctl/jobs/running/limit_guard.h \
	ctl/jobs/pending/parsed.c ctl/jobs/pending/parsed.h \
	ctl/jobs/pending/pool_choice.c ctl/jobs/pending/pool_choice.h \
	ctl/jobs/pending/persistent_state.c ctl/jobs/pending/persistent_state.h \
	ctl/jobs/pending/early_stage_in_state.c \
	ctl/jobs/running/event_queue.c ctl/jobs/running/event_queue.h \
	ctl/jobs/pending/requests.c \
	ctl/pools/start_room.c \
	ctl/jobs/running/setup_times.c ctl/jobs/running/setup_times.h \
	ctl/jobs/pending/submit.c \
	ctl/jobs/pending/waits.c ctl/jobs/pending/waits.h \
	ctl/jobs/running/unheard.c ctl/jobs/running/unheard.h \
	ctl/link/commands.c ctl/link/commands.h \
	ctl/link/link.c ctl/link/link.h \
	ctl/link/session.c ctl/link/session.h \
	ctl/link/mirror.c ctl/link/mirror.h ctl/link/mirror_state.h \
	ctl/mail.c ctl/mail.h \
	ctl/mail_queue.c ctl/mail_queue.h \
	ctl/map.c ctl/map.h \
	ctl/ops.h \
	ctl/pools/capacity.c ctl/pools/capacity.h \
	ctl/pools/claims.c ctl/pools/claims.h \
	ctl/pools/pools.c ctl/pools/pools.h \
	ctl/pools/reservation.c ctl/pools/reservation.h \
	ctl/pools/usage.c ctl/pools/usage.h \
	ctl/pools/waiters.c ctl/pools/waiters.h \
	ctl/predictor/history_queue.c ctl/predictor/history_queue.h \
	ctl/predictor/seen_runs.c ctl/predictor/seen_runs.h \
	ctl/predictor/training.c ctl/predictor/training.h \
	ctl/private.h \
	ctl/site.c ctl/site.h \
	ctl/bbstat.c \
	ctl/thread.c ctl/thread.h \
	ctl/threads.c ctl/threads.h \
	ctl/times.c ctl/times.h \
	ctl/users.c ctl/users.h
libsluctl = libsluctl.a $(libslubandwidth) $(libslupredict) $(libsluion) $(libslurequest) -lpthread

# Where nobody but the plugins looks: their RUNPATH names it.
pkglib_LTLIBRARIES += libsluice.la
libsluice_la_SOURCES = $(libsluctl_a_SOURCES) $(libslupredict_a_SOURCES) \
	$(libsluion_a_SOURCES) $(libslubandwidth_a_SOURCES) \
	$(libslurequest_a_SOURCES) \
	$(libsluwire_a_SOURCES) \
	common/conf_file.c common/conf_where.c common/conf_fs.c common/conf_keys.c \
	common/conf_values.c common/tiers.c \
	common/conf_domain.c common/conf_io.c common/conf_pool.c common/conf_weights.c common/err.c common/fs_name.c \
	common/file.c common/hostlist.c common/hosttext.c common/jsonlex.c \
	common/jsonparse.c common/jsonx.c \
	common/log.c common/size.c common/str.c common/width.c
libsluice_la_CFLAGS = $(AM_CFLAGS)
libsluice_la_LIBADD = $(JSON_LIBS) $(XXHASH_LIBS) -lpthread -lm
libsluice_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -Wl,-z,lazy \
	-Wl,-z,nodelete -Wl,--no-undefined \
	-Wl,--version-script=$(top_srcdir)/ctl/libsluice.map
EXTRA_libsluice_la_DEPENDENCIES = ctl/libsluice.map
EXTRA_DIST += ctl/libsluice.map

if HAVE_CHECK
ctl_tests = tests/unit/ctl/test_ctl tests/unit/ctl/test_ctl_held \
	tests/unit/ctl/test_ctl_status \
	tests/unit/ctl/test_ctl_hooks tests/unit/ctl/test_persistent_wait \
	tests/unit/ctl/test_ctl_crowd tests/unit/ctl/test_ctl_ions tests/unit/ctl/test_ctl_jobs \
	tests/unit/ctl/test_ctl_mail \
	tests/unit/ctl/test_ctl_parts tests/unit/ctl/test_ctl_replay \
	tests/unit/ctl/test_note tests/unit/ctl/test_parsed \
	tests/unit/ctl/test_pool_choice \
	tests/unit/ctl/test_ctl_thread tests/unit/ctl/test_ctl_unheard tests/unit/ctl/test_ctl_users \
	tests/unit/ctl/test_guard tests/unit/ctl/test_iostart \
	tests/unit/ctl/test_iostart_capacity tests/unit/ctl/test_iostart_model \
	tests/unit/ctl/test_iostart_hooks tests/unit/ctl/test_pools \
	tests/unit/ctl/test_pools_hooks tests/unit/ctl/test_pools_sums \
	tests/unit/ctl/test_waits
check_PROGRAMS += $(ctl_tests)
TESTS += $(ctl_tests)
check_LIBRARIES += libtestctl.a libtesthost.a
libtestctl_a_SOURCES = tests/unit/ctl/ctl_fake.c tests/unit/ctl/ctl_fake.h
libtesthost_a_SOURCES = tests/unit/ctl/ctl_host.c tests/unit/ctl/ctl_host.h
ctl_test_libs = libtestctl.a libtesthost.a $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_ctl_parts_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_parsed_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_pool_choice_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_note_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_ctl_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_status_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_held_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_hooks_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_persistent_wait_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_crowd_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_ions_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_mail_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_jobs_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_replay_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_thread_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_unheard_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_ctl_users_LDADD = $(ctl_test_libs)
noinst_HEADERS += tests/unit/ctl/iostart_site.h
tests_unit_ctl_test_iostart_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_iostart_capacity_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_iostart_model_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_iostart_hooks_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_guard_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_pools_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_pools_hooks_LDADD = $(ctl_test_libs)
tests_unit_ctl_test_pools_sums_LDADD = $(libsluctl) $(CHECK_LIBS)
tests_unit_ctl_test_waits_LDADD = $(ctl_test_libs)
endif
