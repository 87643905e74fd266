# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libslusysquery.a
libslusysquery_a_SOURCES = \
	sysquery/answers/job_advice.c sysquery/answers/job_advice.h \
	sysquery/answers/answers.c sysquery/answers/answers.h \
	sysquery/answers/answers_ions.c \
	sysquery/answers/answers_jobs.c \
	sysquery/answers/answers_report.c \
	sysquery/answers/answers_storage.c \
	sysquery/answers/colors.c sysquery/answers/colors.h \
	sysquery/answers/answer_json.c \
	sysquery/answers/answer_schema.c \
	sysquery/answers/report_advice.c sysquery/answers/report_advice.h \
	sysquery/map/slurmconf_check.c sysquery/map/slurmconf_check.h \
	sysquery/map/node_facts.c sysquery/map/node_facts.h \
	sysquery/map/device_speeds.c sysquery/map/device_speeds.h \
	sysquery/map/map_history.c sysquery/map/map_history.h \
	sysquery/map/json_differences.c sysquery/map/json_differences.h \
	sysquery/map/map_resources.c sysquery/map/map_resources.h \
	sysquery/map/map_select.c sysquery/map/map_select.h \
	sysquery/map/slurmconf.c sysquery/map/slurmconf.h \
	sysquery/map/map_summary.c \
	sysquery/map/map_views.c \
	sysquery/query.c sysquery/query.h \
	sysquery/json_rows.c sysquery/json_rows.h \
	sysquery/cli/timeline.c sysquery/cli/timeline.h \
	sysquery/cli/time_text.c sysquery/cli/time_text.h
libslusysquery = libslusysquery.a $(libslusysmap)

# The page; sluiced collects what is in it.
noinst_LIBRARIES += libslupage.a
libslupage_a_SOURCES = \
	sysquery/page/svg/axes.c \
	sysquery/page/collect/bins.c \
	sysquery/page/collect/collect.c sysquery/page/collect/collect.h \
	sysquery/page/collect/collect_buffers.c \
	sysquery/page/collect/collect_ions.c \
	sysquery/page/collect/collect_jobs.c \
	sysquery/page/collect/collect_machine.c \
	sysquery/page/document.c sysquery/page/document.h \
	sysquery/page/draw/draw.h \
	sysquery/page/draw/draw_alone.c \
	sysquery/page/draw/draw_backtest.c \
	sysquery/page/draw/draw_buffers.c \
	sysquery/page/draw/draw_calibration.c \
	sysquery/page/draw/draw_errors.c \
	sysquery/page/draw/draw_ions.c \
	sysquery/page/draw/draw_lanes.c \
	sysquery/page/draw/draw_limits.c \
	sysquery/page/draw/draw_lustre.c \
	sysquery/page/draw/draw_machine.c \
	sysquery/page/draw/draw_now.c \
	sysquery/page/draw/draw_reached.c \
	sysquery/page/draw/draw_replay.c \
	sysquery/page/svg/html.c sysquery/page/svg/html.h \
	sysquery/page/page.h \
	sysquery/page/render.c \
	sysquery/page/svg/style.c sysquery/page/svg/style.h \
	sysquery/page/svg/svg.c sysquery/page/svg/svg.h
libslupage = libslupage.a libsluburst.a $(libsluhistory) $(libslusysquery)

# What others may rely on in the JSON of answers, as sysquery itself has it.
schemadir = $(pkgdatadir)/schema
install-schemas: sysquery/sysquery
	$(MKDIR_P) $(DESTDIR)$(schemadir)
	for a in `sysquery/sysquery schema -o schema | sed 1d`; do \
		sysquery/sysquery schema $$a \
			>$(DESTDIR)$(schemadir)/sluice.$$a.json || exit 1; \
	done
uninstall-schemas:
	rm -rf $(DESTDIR)$(schemadir)
.PHONY: install-schemas uninstall-schemas

dist_man_MANS += man/sysquery.1
bin_PROGRAMS += sysquery/sysquery
sysquery_parts = \
	sysquery/cli/show_answer.c \
	sysquery/cli/args.c sysquery/cli/given.c \
	sysquery/cli/ask.h \
	sysquery/cli/subcommands.c \
	sysquery/cli/complete.c sysquery/cli/complete.h \
	sysquery/cli/row_filter.c \
	sysquery/cli/options.c sysquery/cli/options.h \
	sysquery/cli/paragraph.c sysquery/cli/paragraph.h \
	sysquery/cli/request_paragraph.c \
	sysquery/cli/request_paragraph.h \
	sysquery/cli/answer_parts.c \
	sysquery/cli/terminal.c \
	sysquery/cmd/database/backtest.c \
	sysquery/cmd/jobs/buffers.c \
	sysquery/cmd/map/check.c \
	sysquery/cmd/site/doctor.c \
	sysquery/cmd/database/dump.c \
	sysquery/cmd/map/history.c \
	sysquery/cmd/map/hosts.c \
	sysquery/cmd/database/import.c \
	sysquery/cmd/io/ions.c \
	sysquery/cmd/io/ions_replay.c sysquery/cmd/io/ions_replay.h \
	sysquery/cmd/io/iostart.c \
	sysquery/cmd/jobs/job.c \
	sysquery/cmd/jobs/job_storage.c sysquery/cmd/jobs/job_storage.h \
	sysquery/cmd/jobs/jobs.c \
	sysquery/cmd/map/original.c \
	sysquery/cmd/io/osts.c \
	sysquery/cmd/site/page.c \
	sysquery/cmd/jobs/predict.c \
	sysquery/cmd/jobs/prestage.c \
	sysquery/cmd/site/report.c \
	sysquery/cmd/database/schema.c \
	sysquery/cmd/site/site.c \
	sysquery/cmd/jobs/start.c \
	sysquery/cmd/io/stripe.c \
	sysquery/cmd/io/stripe_check.c sysquery/cmd/io/stripe_check.h \
	sysquery/cmd/io/stripe_files.c sysquery/cmd/io/stripe_files.h \
	sysquery/cmd/jobs/why.c \
	sysquery/cmd/map/resources.c \
	sysquery/cmd/database/sql.c
sysquery_sysquery_SOURCES = sysquery/main.c $(sysquery_parts)
sysquery_sysquery_LDADD = $(libslupage) $(libslusysquery) $(libsluion) $(libslustripe) \
	$(libsluimport) $(libsluhistory) $(libslunet)

# The same live, in a process of its own.
dist_man_MANS += man/sluice-web.1
bin_PROGRAMS += sluice-web
web_parts = \
	sysquery/web/web_listen.c \
	sysquery/web/page_server.c sysquery/web/page_server.h \
	sysquery/web/token.c sysquery/web/token.h
sluice_web_SOURCES = sysquery/web/main.c $(web_parts) $(command_words) \
	$(sysquery_parts)
sluice_web_LDADD = $(sysquery_sysquery_LDADD) $(MHD_LIBS)

noinst_HEADERS += tests/unit/sysquery/map.h
dist_check_SCRIPTS += tests/unit/sysquery/test_stripe_check.sh
TESTS += tests/unit/sysquery/test_stripe_check.sh
dist_check_SCRIPTS += tests/unit/sysquery/test_schema.sh tests/unit/sysquery/test_sysquery.sh \
	tests/unit/sysquery/test_recorded_map.sh tests/unit/sysquery/test_page.sh \
	tests/browser/test_page.sh tests/browser/test_web.sh
TESTS += tests/unit/sysquery/test_schema.sh tests/unit/sysquery/test_sysquery.sh tests/unit/sysquery/test_recorded_map.sh \
	tests/unit/sysquery/test_page.sh tests/browser/test_page.sh \
	tests/browser/test_web.sh
EXTRA_DIST += tests/unit/sysquery/validate.py tests/browser/look tests/browser/running

EXTRA_DIST += tests/fuzz/corpus/documents tests/fuzz/corpus/leaves \
	tests/fuzz/corpus/page tests/fuzz/corpus/select \
	tests/fuzz/corpus/slurmconf
sysquery_fuzz = tests/fuzz/fuzz_documents tests/fuzz/fuzz_leaves \
	tests/fuzz/fuzz_page tests/fuzz/fuzz_select tests/fuzz/fuzz_slurmconf
tests_fuzz_fuzz_page_SOURCES = tests/fuzz/fuzz_page.c tests/fuzz/replay.c
tests_fuzz_fuzz_page_LDADD = $(libslupage)
check_PROGRAMS += $(sysquery_fuzz)
TESTS += $(sysquery_fuzz)
tests_fuzz_fuzz_documents_SOURCES = tests/fuzz/fuzz_documents.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_documents_LDADD = $(libslusysquery)
tests_fuzz_fuzz_leaves_SOURCES = tests/fuzz/fuzz_leaves.c tests/fuzz/replay.c
tests_fuzz_fuzz_leaves_LDADD = $(libslusysquery)
tests_fuzz_fuzz_select_SOURCES = tests/fuzz/fuzz_select.c tests/fuzz/replay.c
tests_fuzz_fuzz_select_LDADD = $(libslusysquery)
tests_fuzz_fuzz_slurmconf_SOURCES = tests/fuzz/fuzz_slurmconf.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_slurmconf_LDADD = $(libslusysquery)

# A database as that of a site, for tests and bench/page.
site_parts = tests/unit/sysquery/site.c tests/unit/sysquery/site.h
check_PROGRAMS += tests/unit/sysquery/make_site tests/unit/sysquery/render_page
tests_unit_sysquery_render_page_SOURCES = tests/unit/sysquery/render_page.c
tests_unit_sysquery_render_page_LDADD = $(libslupage)
tests_unit_sysquery_make_site_SOURCES = tests/unit/sysquery/make_site.c $(site_parts)
tests_unit_sysquery_make_site_LDADD = $(libslupage)

if HAVE_CHECK
sysquery_tests = tests/unit/sysquery/test_resources tests/unit/sysquery/test_args \
	tests/unit/sysquery/test_job_advice tests/unit/sysquery/test_report_advice \
	tests/unit/sysquery/test_device_speeds tests/unit/sysquery/test_timeline \
	tests/unit/sysquery/test_page tests/unit/sysquery/test_web \
	tests/unit/sysquery/test_slurmconf_check tests/unit/sysquery/test_json_differences \
	tests/unit/sysquery/test_map_history \
	tests/unit/sysquery/test_map_select tests/unit/sysquery/test_show tests/unit/sysquery/test_time_text
check_PROGRAMS += $(sysquery_tests)
TESTS += $(sysquery_tests)
sysquery_test_libs = $(libslusysquery) $(CHECK_LIBS)
tests_unit_sysquery_test_report_advice_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_job_advice_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_device_speeds_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_timeline_SOURCES = tests/unit/sysquery/test_timeline.c \
	sysquery/cli/paragraph.c
tests_unit_sysquery_test_timeline_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_args_SOURCES = tests/unit/sysquery/test_args.c sysquery/cli/args.c sysquery/cli/given.c \
	sysquery/cli/options.c
tests_unit_sysquery_test_slurmconf_check_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_json_differences_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_map_history_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_map_select_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_time_text_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_args_LDADD = $(sysquery_test_libs)
tests_unit_sysquery_test_show_SOURCES = tests/unit/sysquery/test_show.c $(sysquery_parts)
tests_unit_sysquery_test_show_LDADD = $(libslupage) $(sysquery_test_libs) $(libsluion) $(libsluimport) \
	$(libsluhistory) $(libslustripe) $(libslunet)
tests_unit_sysquery_test_page_SOURCES = tests/unit/sysquery/test_page.c $(site_parts)
tests_unit_sysquery_test_page_LDADD = $(libslupage) $(CHECK_LIBS)
tests_unit_sysquery_test_web_SOURCES = tests/unit/sysquery/test_web.c $(web_parts)
tests_unit_sysquery_test_web_LDADD = $(libslunet) $(MHD_LIBS) $(CHECK_LIBS)
tests_unit_sysquery_test_resources_LDADD = $(sysquery_test_libs) $(SQLITE_LIBS)
endif
