# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libslurequest.a libsluburst.a
libslurequest_a_SOURCES = \
	burst_buffer/request/expand.c burst_buffer/request/mistakes.c \
	burst_buffer/request/mistakes.h burst_buffer/request/names.c \
	burst_buffer/request/names.h burst_buffer/request/quote.c \
	burst_buffer/request/request.h burst_buffer/request/values.c \
	burst_buffer/request/values.h \
	burst_buffer/request/script/absent.c \
	burst_buffer/request/script/interpreter.c \
	burst_buffer/request/script/interpreter.h \
	burst_buffer/request/script/lookalike.c \
	burst_buffer/request/script/lookalike.h \
	burst_buffer/request/script/parse.c \
	burst_buffer/request/script/stray.c \
	burst_buffer/request/script/stray_meaning.c \
	burst_buffer/request/script/stray_meaning.h \
	burst_buffer/request/site/coherence.c \
	burst_buffer/request/site/coherence.h \
	burst_buffer/request/site/fs_check.c \
	burst_buffer/request/site/fs_check.h \
	burst_buffer/request/site/fsoption.c \
	burst_buffer/request/site/fsoption.h \
	burst_buffer/request/site/fstype.c burst_buffer/request/site/fstype.h \
	burst_buffer/request/site/persistent_check.c \
	burst_buffer/request/site/persistent_check.h \
	burst_buffer/request/site/pool.c burst_buffer/request/site/pool.h \
	burst_buffer/request/site/resolve.c \
	burst_buffer/request/site/resolve.h \
	burst_buffer/request/site/site_check.c \
	burst_buffer/request/site/site_lines.c \
	burst_buffer/request/verbs/dw.c burst_buffer/request/verbs/dw_values.c \
	burst_buffer/request/verbs/forward.c \
	burst_buffer/request/verbs/grammar.c \
	burst_buffer/request/verbs/grammar.h \
	burst_buffer/request/verbs/jobfs_verb.c \
	burst_buffer/request/verbs/persistent_verbs.c \
	burst_buffer/request/verbs/request_free.c \
	burst_buffer/request/verbs/stage_verbs.c \
	burst_buffer/request/verbs/stage_verbs.h \
	burst_buffer/request/verbs/stripe_verb.c \
	burst_buffer/request/verbs/text.c \
	burst_buffer/request/verbs/verb_values.c
libslurequest = libslurequest.a $(libsluwire)

# The side of sluiced.
libsluburst_a_SOURCES = \
	burst_buffer/lifecycle/barriers.c burst_buffer/lifecycle/barriers.h \
	burst_buffer/lifecycle/buffers.h burst_buffer/lifecycle/fullness.c \
	burst_buffer/lifecycle/fullness.h burst_buffer/lifecycle/node_rows.c \
	burst_buffer/lifecycle/node_rows.h \
	burst_buffer/lifecycle/persistence.c \
	burst_buffer/lifecycle/persistence.h \
	burst_buffer/lifecycle/persistent_use.c \
	burst_buffer/lifecycle/persistent_use.h \
	burst_buffer/lifecycle/record.c burst_buffer/lifecycle/record.h \
	burst_buffer/lifecycle/record_facts.c \
	burst_buffer/lifecycle/record_facts.h \
	burst_buffer/lifecycle/record_members.h \
	burst_buffer/lifecycle/retention.c \
	burst_buffer/lifecycle/row_changes.c \
	burst_buffer/lifecycle/row_changes.h \
	burst_buffer/lifecycle/transitions.c \
	burst_buffer/lifecycle/transitions.h \
	burst_buffer/lifecycle/effects/drained_nodes.c \
	burst_buffer/lifecycle/effects/drained_nodes.h \
	burst_buffer/lifecycle/effects/effects.c \
	burst_buffer/lifecycle/effects/effects.h \
	burst_buffer/lifecycle/effects/fate.c \
	burst_buffer/lifecycle/effects/fate.h \
	burst_buffer/lifecycle/effects/notifications.c \
	burst_buffer/lifecycle/effects/notifications.h \
	burst_buffer/lifecycle/effects/phase_metrics.c \
	burst_buffer/lifecycle/effects/phase_metrics.h \
	burst_buffer/lifecycle/events/barrier_answer.c \
	burst_buffer/lifecycle/events/barrier_answer.h \
	burst_buffer/lifecycle/events/cancel_stage_out.c \
	burst_buffer/lifecycle/events/discard_kept.c \
	burst_buffer/lifecycle/events/discard_kept.h \
	burst_buffer/lifecycle/events/given_up_nodes.c \
	burst_buffer/lifecycle/events/given_up_nodes.h \
	burst_buffer/lifecycle/events/job_events.c \
	burst_buffer/lifecycle/events/job_runs.c \
	burst_buffer/lifecycle/events/job_runs.h \
	burst_buffer/lifecycle/events/live_buffers.c \
	burst_buffer/lifecycle/events/node_answers.c \
	burst_buffer/lifecycle/events/node_answers.h \
	burst_buffer/lifecycle/events/node_inventory.c \
	burst_buffer/lifecycle/events/node_inventory.h \
	burst_buffer/lifecycle/events/node_requests.c \
	burst_buffer/lifecycle/pending/early_stage_in.c \
	burst_buffer/lifecycle/pending/early_stage_in.h \
	burst_buffer/lifecycle/pending/persistent.c \
	burst_buffer/lifecycle/pending/persistent.h \
	burst_buffer/lifecycle/pending/predicted_nodes.c \
	burst_buffer/lifecycle/pending/predicted_nodes.h \
	burst_buffer/lifecycle/pending/refusal.c \
	burst_buffer/lifecycle/pending/refusal.h \
	burst_buffer/lifecycle/pending/waiting_jobs.c \
	burst_buffer/lifecycle/reconcile/deadlines.c \
	burst_buffer/lifecycle/reconcile/deadlines.h \
	burst_buffer/lifecycle/reconcile/expiry.c \
	burst_buffer/lifecycle/reconcile/expiry.h \
	burst_buffer/lifecycle/reconcile/failure.c \
	burst_buffer/lifecycle/reconcile/failure.h \
	burst_buffer/lifecycle/reconcile/faults.c \
	burst_buffer/lifecycle/reconcile/faults.h \
	burst_buffer/lifecycle/reconcile/hetjob.c \
	burst_buffer/lifecycle/reconcile/hetjob.h \
	burst_buffer/lifecycle/reconcile/node_usage.c \
	burst_buffer/lifecycle/reconcile/node_usage.h \
	burst_buffer/lifecycle/reconcile/persistent_end.c \
	burst_buffer/lifecycle/reconcile/persistent_end.h \
	burst_buffer/lifecycle/reconcile/reconcile.c \
	burst_buffer/lifecycle/reconcile/reconcile.h \
	burst_buffer/lifecycle/reconcile/room_shares.c \
	burst_buffer/lifecycle/reconcile/room_shares.h \
	burst_buffer/lifecycle/recovery/recovery.c \
	burst_buffer/lifecycle/recovery/recovery.h \
	burst_buffer/lifecycle/recovery/recovery_ended.c \
	burst_buffer/lifecycle/recovery/recovery_ended.h \
	burst_buffer/lifecycle/recovery/recovery_running.c \
	burst_buffer/lifecycle/recovery/recovery_running.h \
	burst_buffer/lifecycle/reports/buffer_report.c \
	burst_buffer/lifecycle/reports/buffer_report.h \
	burst_buffer/lifecycle/reports/last_nodes.c \
	burst_buffer/lifecycle/reports/overview.c \
	burst_buffer/lifecycle/reports/sums.c \
	burst_buffer/plan/binding.c \
	burst_buffer/plan/chunk.c \
	burst_buffer/plan/device_shares.c \
	burst_buffer/plan/layout.c \
	burst_buffer/plan/node_places.c \
	burst_buffer/plan/parts.c \
	burst_buffer/plan/places.h \
	burst_buffer/plan/plan.c burst_buffer/plan/plan.h \
	burst_buffer/plan/shares.c \
	burst_buffer/plan/storage_choice.c \
	burst_buffer/plan/storage_room.c \
	burst_buffer/storage/image.h
libsluburst = libsluburst.a $(libslurequest) $(libslusysmap) $(libslunet)

check_PROGRAMS += tests/fuzz/fuzz_request
TESTS += tests/fuzz/fuzz_request
EXTRA_DIST += tests/fuzz/corpus/request
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c tests/fuzz/replay.c
tests_fuzz_fuzz_request_LDADD = $(libslurequest)

noinst_HEADERS += tests/unit/burst_buffer/burst_world.h tests/unit/burst_buffer/persistent_world.h \
	tests/unit/burst_buffer/recovery_notes.h tests/unit/burst_buffer/request_site.h tests/unit/burst_buffer/request_text.h
if HAVE_CHECK
burst_tests = tests/unit/burst_buffer/test_request tests/unit/burst_buffer/test_request_check \
	tests/unit/burst_buffer/test_request_defaults tests/unit/burst_buffer/test_request_refused \
	tests/unit/burst_buffer/test_request_component tests/unit/burst_buffer/test_request_quote \
	tests/unit/burst_buffer/test_request_round \
	tests/unit/burst_buffer/test_request_names tests/unit/burst_buffer/test_request_stray \
	tests/unit/burst_buffer/test_request_absent \
	tests/unit/burst_buffer/test_transitions tests/unit/burst_buffer/test_recovery \
	tests/unit/burst_buffer/test_recovery_forged tests/unit/burst_buffer/test_plan \
	tests/unit/burst_buffer/test_plan_shares tests/unit/burst_buffer/test_plan_tiers \
	tests/unit/burst_buffer/test_plan_devices \
	tests/unit/burst_buffer/test_early_stage_in tests/unit/burst_buffer/test_predicted_nodes \
	tests/unit/burst_buffer/test_persistent tests/unit/burst_buffer/test_persistent_inventory \
	tests/unit/burst_buffer/test_persistent_older \
	$(world_tests)
world_tests = tests/unit/burst_buffer/test_buffers tests/unit/burst_buffer/test_buffers_answers \
	tests/unit/burst_buffer/test_buffers_boot \
	tests/unit/burst_buffer/test_buffers_drains tests/unit/burst_buffer/test_buffers_kept \
	tests/unit/burst_buffer/test_buffers_lost tests/unit/burst_buffer/test_buffers_report \
	tests/unit/burst_buffer/test_buffers_het tests/unit/burst_buffer/test_buffers_fullness \
	tests/unit/burst_buffer/test_buffers_model tests/unit/burst_buffer/test_buffers_older \
	tests/unit/burst_buffer/test_buffers_shares tests/unit/burst_buffer/test_fate \
	tests/unit/burst_buffer/test_buffers_room \
	tests/unit/burst_buffer/test_buffers_verdicts tests/unit/burst_buffer/test_buffers_cancel
check_PROGRAMS += $(burst_tests)
TESTS += $(burst_tests)
tests_unit_burst_buffer_test_request_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_check_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_defaults_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_refused_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_component_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_names_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_absent_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_stray_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_quote_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_request_round_LDADD = $(libslurequest) $(CHECK_LIBS)
tests_unit_burst_buffer_test_transitions_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_recovery_SOURCES = tests/unit/burst_buffer/test_recovery.c \
	tests/unit/burst_buffer/recovery_notes.c
tests_unit_burst_buffer_test_recovery_LDADD = libtestworld.a $(libsluburst) $(libsluverbs) \
	$(CHECK_LIBS)
tests_unit_burst_buffer_test_recovery_forged_SOURCES = tests/unit/burst_buffer/test_recovery_forged.c \
	tests/unit/burst_buffer/recovery_notes.c
tests_unit_burst_buffer_test_recovery_forged_LDADD = $(tests_unit_burst_buffer_test_recovery_LDADD)
tests_unit_burst_buffer_test_plan_SOURCES = tests/unit/burst_buffer/test_plan.c \
	tests/unit/burst_buffer/plan_site.c tests/unit/burst_buffer/plan_site.h
tests_unit_burst_buffer_test_plan_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_plan_shares_SOURCES = tests/unit/burst_buffer/test_plan_shares.c \
	tests/unit/burst_buffer/plan_site.c tests/unit/burst_buffer/plan_site.h
tests_unit_burst_buffer_test_plan_shares_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_plan_tiers_SOURCES = tests/unit/burst_buffer/test_plan_tiers.c \
	tests/unit/burst_buffer/plan_disks.c tests/unit/burst_buffer/plan_disks.h \
	tests/unit/burst_buffer/plan_site.c tests/unit/burst_buffer/plan_site.h
tests_unit_burst_buffer_test_plan_tiers_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_plan_devices_SOURCES = tests/unit/burst_buffer/test_plan_devices.c \
	tests/unit/burst_buffer/plan_disks.c tests/unit/burst_buffer/plan_disks.h \
	tests/unit/burst_buffer/plan_site.c tests/unit/burst_buffer/plan_site.h
tests_unit_burst_buffer_test_plan_devices_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_early_stage_in_SOURCES = tests/unit/burst_buffer/test_early_stage_in.c \
	tests/unit/burst_buffer/persistent_world.c
tests_unit_burst_buffer_test_early_stage_in_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_predicted_nodes_SOURCES = tests/unit/burst_buffer/test_predicted_nodes.c \
	tests/unit/burst_buffer/persistent_world.c
tests_unit_burst_buffer_test_predicted_nodes_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_persistent_SOURCES = tests/unit/burst_buffer/test_persistent.c \
	tests/unit/burst_buffer/persistent_world.c
tests_unit_burst_buffer_test_persistent_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_persistent_inventory_SOURCES = \
	tests/unit/burst_buffer/test_persistent_inventory.c tests/unit/burst_buffer/persistent_world.c
tests_unit_burst_buffer_test_persistent_inventory_LDADD = $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_persistent_older_SOURCES = tests/unit/burst_buffer/test_persistent_older.c \
	tests/unit/burst_buffer/persistent_world.c
tests_unit_burst_buffer_test_persistent_older_LDADD = $(libsluburst) $(CHECK_LIBS)
check_LIBRARIES += libtestworld.a
libtestworld_a_SOURCES = tests/unit/burst_buffer/burst_world.c tests/unit/burst_buffer/burst_nodes.c
world_test_libs = libtestworld.a $(libsluburst) $(CHECK_LIBS)
tests_unit_burst_buffer_test_buffers_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_boot_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_answers_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_fullness_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_drains_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_het_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_kept_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_lost_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_report_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_model_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_older_SOURCES = tests/unit/burst_buffer/test_buffers_older.c \
	tests/unit/burst_buffer/recovery_notes.c
tests_unit_burst_buffer_test_buffers_older_LDADD = $(tests_unit_burst_buffer_test_recovery_LDADD)
tests_unit_burst_buffer_test_buffers_shares_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_fate_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_room_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_verdicts_LDADD = $(world_test_libs)
tests_unit_burst_buffer_test_buffers_cancel_LDADD = $(world_test_libs)
endif

include burst_buffer/preload/local.mk
include burst_buffer/node/local.mk
include burst_buffer/preview/local.mk
