# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libsluiced.a
libsluiced_a_SOURCES = \
	sluiced/breaker.h \
	sluiced/child.c sluiced/child.h \
	sluiced/control/buffer_commands.c sluiced/control/buffer_commands.h \
	sluiced/control/capabilities.c sluiced/control/capabilities.h \
	sluiced/control/control_socket.c sluiced/control/control_socket.h \
	sluiced/control/distance.c sluiced/control/distance.h \
	sluiced/control/distance_watch.c sluiced/control/distance_watch.h \
	sluiced/control/known_jobs.c sluiced/control/known_jobs.h \
	sluiced/control/line.c sluiced/control/line.h \
	sluiced/control/orders.c sluiced/control/orders.h \
	sluiced/control/pool_capacity.c sluiced/control/pool_capacity.h \
	sluiced/control/pool_commands.c sluiced/control/pool_commands.h \
	sluiced/control/slurmctld.c sluiced/control/slurmctld.h \
	sluiced/daemon.h \
	sluiced/event_loop.c sluiced/event_loop.h \
	sluiced/host_addresses.c sluiced/host_addresses.h \
	sluiced/http/api/auth.c sluiced/http/api/auth.h \
	sluiced/http/bounds.c sluiced/http/bounds.h \
	sluiced/http/api/conf_text.c sluiced/http/api/conf_text.h \
	sluiced/http/api/exchange.c sluiced/http/api/exchange.h \
	sluiced/http/api/handlers.h \
	sluiced/http/httpd.c sluiced/http/httpd.h \
	sluiced/http/listen.c sluiced/http/listen.h \
	sluiced/http/longpoll.c sluiced/http/longpoll.h \
	sluiced/http/api/metrics_text.c \
	sluiced/http/api/reply.c sluiced/http/api/reply.h \
	sluiced/http/request.c sluiced/http/request.h \
	sluiced/http/api/request_batch.c sluiced/http/api/request_batch.h \
	sluiced/http/api/route.c sluiced/http/api/route.h \
	sluiced/http/api/routes.c sluiced/http/api/routes.h \
	sluiced/http/shared_bodies.c sluiced/http/shared_bodies.h \
	sluiced/ingestion/document_upload.c \
	sluiced/ingestion/history_rows.c sluiced/ingestion/history_rows.h \
	sluiced/ingestion/import_rows.c \
	sluiced/ingestion/iocount.c sluiced/ingestion/iocount.h \
	sluiced/ingestion/jobstats.c \
	sluiced/ingestion/lustre_totals.c sluiced/ingestion/lustre_totals.h \
	sluiced/ingestion/known_servers.h \
	sluiced/ingestion/server_capacity.c sluiced/ingestion/server_capacity.h \
	sluiced/ingestion/server_reports.c sluiced/ingestion/server_reports.h \
	sluiced/ingestion/totals.c sluiced/ingestion/totals.h \
	sluiced/ingestion/write_batch.c sluiced/ingestion/write_batch.h \
	sluiced/lock.c sluiced/lock.h \
	sluiced/metrics.h \
	sluiced/one_device.c sluiced/one_device.h \
	sluiced/programs.c sluiced/programs.h \
	sluiced/publication/assignment.c sluiced/publication/assignment.h \
	sluiced/publication/mapfiles.c sluiced/publication/mapfiles.h \
	sluiced/publication/mapping_publisher.c sluiced/publication/mapping_publisher.h \
	sluiced/publication/nodemaps.c sluiced/publication/nodemaps.h \
	sluiced/questions/answerer.c sluiced/questions/answerer.h \
	sluiced/questions/answerer_table.c sluiced/questions/answerer_table.h \
	sluiced/questions/answerers.h \
	sluiced/doctor/doctor.c sluiced/doctor/doctor.h \
	sluiced/doctor/doctor_findings.c sluiced/doctor/doctor_findings.h \
	sluiced/doctor/doctor_hosts.c sluiced/doctor/doctor_hosts.h \
	sluiced/doctor/doctor_jobs.c sluiced/doctor/doctor_jobs.h \
	sluiced/doctor/doctor_live.c sluiced/doctor/doctor_live.h \
	sluiced/questions/io/io_forecasts.c sluiced/questions/io/io_forecasts.h \
	sluiced/questions/io/ion_report.c sluiced/questions/io/ion_report.h \
	sluiced/questions/jobs/job_file_system.c sluiced/questions/jobs/job_file_system.h \
	sluiced/queue/job_waits.c sluiced/queue/job_waits.h \
	sluiced/placement/layouts.c sluiced/placement/layouts.h \
	sluiced/queue/partition_queue.c sluiced/queue/partition_queue.h \
	sluiced/placement/place_now.c sluiced/placement/place_now.h \
	sluiced/placement/placement_rate.c sluiced/placement/placement_rate.h \
	sluiced/queue/predict_nodes.c sluiced/queue/predict_nodes.h \
	sluiced/questions/question_hosts.c \
	sluiced/questions/io/question_ions.c \
	sluiced/questions/io/question_iostart.c \
	sluiced/questions/jobs/question_job.c \
	sluiced/questions/jobs/question_job_live.c \
	sluiced/questions/question_page.c \
	sluiced/questions/question_queue.h \
	sluiced/questions/jobs/question_report.c \
	sluiced/questions/jobs/question_start.c \
	sluiced/questions/question_storage.c \
	sluiced/questions/io/question_stripe.c sluiced/questions/io/question_stripe.h \
	sluiced/questions/jobs/question_why.c \
	sluiced/questions/questions.c sluiced/questions/questions.h \
	sluiced/queue/start_notes.c sluiced/queue/start_notes.h \
	sluiced/queue/start_queue.c sluiced/queue/start_queue.h \
	sluiced/queue/start_sentence.c sluiced/queue/start_sentence.h \
	sluiced/queue/wait_reason.c sluiced/queue/wait_reason.h \
	sluiced/startup.c sluiced/startup.h \
	sluiced/user.c sluiced/user.h \
	sluiced/wakeups.c sluiced/wakeups.h
libsluiced = libsluiced.a libslupage.a $(libsluburst) $(libsluhistory) $(libsluimport) \
	$(libsluion) $(libslubandwidth) $(libslustripe) $(libslusysquery) \
	$(MHD_LIBS) $(ZLIB_LIBS)

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
	tests/unit/sluiced/test_distance \
	tests/unit/sluiced/test_job_page \
	tests/unit/sluiced/test_doctor \
	tests/unit/sluiced/test_sluiced_answers \
	tests/unit/sluiced/test_sluiced_assignment tests/unit/sluiced/test_ion_report \
	tests/unit/sluiced/test_sluiced_auth tests/unit/sluiced/test_shared_bodies \
	tests/unit/sluiced/test_sluiced_batch \
	tests/unit/sluiced/test_sluiced_bounds \
	tests/unit/sluiced/test_sluiced_buffers \
	tests/unit/sluiced/test_sluiced_conf \
	tests/unit/sluiced/test_sluiced_control \
	tests/unit/sluiced/test_sluiced_daemon \
	tests/unit/sluiced/test_sluiced_history \
	tests/unit/sluiced/test_sluiced_httpd \
	tests/unit/sluiced/test_sluiced_jobs \
	tests/unit/sluiced/test_sluiced_line \
	tests/unit/sluiced/test_sluiced_lock \
	tests/unit/sluiced/test_sluiced_longpoll \
	tests/unit/sluiced/test_sluiced_loop \
	tests/unit/sluiced/test_sluiced_mapfiles \
	tests/unit/sluiced/test_sluiced_maps \
	tests/unit/sluiced/test_sluiced_nodes tests/unit/sluiced/test_sluiced_capacity \
	tests/unit/sluiced/test_sluiced_orders \
	tests/unit/sluiced/test_layouts \
	tests/unit/sluiced/test_placement_rate \
	tests/unit/sluiced/test_metrics \
	tests/unit/sluiced/test_server_capacity \
	tests/unit/sluiced/test_sluiced_jobstats \
	tests/unit/sluiced/test_sluiced_osts \
	tests/unit/sluiced/test_sluiced_programs \
	tests/unit/sluiced/test_one_device \
	tests/unit/sluiced/test_sluiced_publish \
	tests/unit/sluiced/test_sluiced_push \
	tests/unit/sluiced/test_sluiced_questions tests/unit/sluiced/test_queue \
	tests/unit/sluiced/test_wait_reason \
	tests/unit/sluiced/test_sluiced_routes \
	tests/unit/sluiced/test_sluiced_totals \
	tests/unit/sluiced/test_sluiced_user
check_PROGRAMS += $(sluiced_tests)
TESTS += $(sluiced_tests)
# A whole sluiced in a test.
sluiced_whole = tests/unit/sluiced/sluiced.c tests/unit/sluiced/sluiced.h $(command_words)
tests_unit_sluiced_test_sluiced_answers_SOURCES = tests/unit/sluiced/test_sluiced_answers.c \
	$(sluiced_whole) $(sysquery_parts)
tests_unit_sluiced_test_sluiced_answers_LDADD = $(libslupage) $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_job_page_SOURCES = tests/unit/sluiced/test_job_page.c $(sysquery_parts)
tests_unit_sluiced_test_job_page_LDADD = $(libslupage) $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_job_page_LDFLAGS = -Wl,--wrap=slu_http_of_host \
	-Wl,--wrap=slu_http_post -Wl,--wrap=slu_http_timeout \
	-Wl,--wrap=slu_http_free -Wl,--wrap=slu_conf_of_nobody
EXTRA_DIST += tests/fixtures/jobs
tests_unit_sluiced_test_metrics_SOURCES = tests/unit/sluiced/test_metrics.c $(sluiced_whole)
tests_unit_sluiced_test_metrics_LDADD = $(libslutbfd) $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_doctor_SOURCES = tests/unit/sluiced/test_doctor.c \
	$(sluiced_whole) $(sysquery_parts)
tests_unit_sluiced_test_doctor_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_wait_reason_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_distance_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_assignment_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_ion_report_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_auth_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_shared_bodies_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_batch_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_bounds_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_conf_SOURCES = \
	tests/unit/sluiced/test_sluiced_conf.c $(sluiced_whole)
tests_unit_sluiced_test_sluiced_conf_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_control_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_buffers_SOURCES = \
	tests/unit/sluiced/test_sluiced_buffers.c $(sluiced_whole) \
	select_io/tbfd/publisher.c
tests_unit_sluiced_test_sluiced_buffers_LDADD = $(libslutbfd) $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_queue_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_questions_SOURCES = \
	tests/unit/sluiced/test_sluiced_questions.c $(sluiced_whole)
tests_unit_sluiced_test_sluiced_questions_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_daemon_SOURCES = \
	tests/unit/sluiced/test_sluiced_daemon.c $(sluiced_whole)
tests_unit_sluiced_test_sluiced_daemon_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_history_SOURCES = \
	tests/unit/sluiced/test_sluiced_history.c $(sluiced_whole)
tests_unit_sluiced_test_sluiced_history_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_httpd_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_jobs_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_line_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_lock_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_longpoll_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_loop_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_mapfiles_SOURCES = \
	tests/unit/sluiced/test_sluiced_mapfiles.c \
	tests/unit/sluiced/map_dir.c tests/unit/sluiced/map_dir.h
tests_unit_sluiced_test_sluiced_mapfiles_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_maps_SOURCES = \
	tests/unit/sluiced/test_sluiced_maps.c $(sluiced_whole)
tests_unit_sluiced_test_sluiced_maps_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_nodes_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_capacity_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_orders_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_osts_SOURCES = tests/unit/sluiced/test_sluiced_osts.c \
	$(sluiced_whole) select_io/tbfd/publisher.c
tests_unit_sluiced_test_sluiced_osts_LDADD = $(libslutbfd) $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_placement_rate_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_layouts_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_server_capacity_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_server_capacity_LDFLAGS = -Wl,--wrap=slu_control_send \
	-Wl,--wrap=slu_control_connected
tests_unit_sluiced_test_sluiced_jobstats_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_jobstats_LDFLAGS = -Wl,--wrap=slu_control_send
tests_unit_sluiced_test_sluiced_programs_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_one_device_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_publish_SOURCES = \
	tests/unit/sluiced/test_sluiced_publish.c \
	tests/unit/sluiced/map_dir.c tests/unit/sluiced/map_dir.h
tests_unit_sluiced_test_sluiced_publish_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_push_SOURCES = tests/unit/sluiced/test_sluiced_push.c \
	$(sluiced_whole)
tests_unit_sluiced_test_sluiced_push_LDADD = $(libslupush) $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_routes_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_totals_LDADD = $(libsluiced) $(CHECK_LIBS)
tests_unit_sluiced_test_sluiced_user_LDADD = $(libsluiced) $(CHECK_LIBS)
endif
