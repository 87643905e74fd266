# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libsluion.a
libsluion_a_SOURCES = \
	select_io/ion/arbiter/assignment_message.c \
	select_io/ion/arbiter/arbiter_private.h \
	select_io/ion/arbiter/arbiter_solve.c select_io/ion/arbiter/arbiter.h \
	select_io/ion/arbiter/learning.c select_io/ion/arbiter/learning.h \
	select_io/ion/assignment_delta.c select_io/ion/assignment_delta.h \
	select_io/ion/arbiter/explore.c select_io/ion/arbiter/fairness.c \
	select_io/ion/arbiter/job_divisions.c select_io/ion/arbiter/job_forecasts.c select_io/ion/arbiter/job_list.c select_io/ion/arbiter/forecast.h \
	select_io/ion/evaluation/gain.c select_io/ion/evaluation/gain.h \
	select_io/ion/mapping.c select_io/ion/mapping.h \
	select_io/ion/hostlist_cache.c select_io/ion/hostlist_cache.h \
	select_io/ion/arbiter/running_jobs.c \
	select_io/ion/hop_distances.c select_io/ion/hop_distances.h \
	select_io/ion/arbiter/ion_pool.c \
	select_io/ion/evaluation/recorded.c select_io/ion/evaluation/recorded.h \
	select_io/ion/evaluation/replay.c select_io/ion/evaluation/replay.h \
	select_io/ion/placement.c select_io/ion/placement.h \
	select_io/division/shadow_divisions.c \
	select_io/division/division_solve.c select_io/division/division_once.c select_io/division/division.h \
	select_io/division/division_jobs.c select_io/division/division_jobs.h \
	select_io/division/division_private.h \
	select_io/division/grants.c select_io/division/idle_nodes.c \
	select_io/division/group_limits.c select_io/division/bundles.c \
	select_io/division/division_knapsack.c \
	select_io/division/infeasible_fixed.c \
	select_io/division/policy.c select_io/division/policy.h \
	select_io/division/whatif.c select_io/division/whatif.h \
	select_io/curves/curve_estimate.c \
	select_io/curves/curves.c select_io/curves/curves.h \
	select_io/curves/performance_table.c \
	select_io/curves/performance_table.h \
	select_io/curves/ion_times.c select_io/curves/ion_times.h \
	select_io/mckp/residue_bound.c \
	select_io/mckp/dp_small.c \
	select_io/mckp/class_set.c \
	select_io/mckp/core_search.c \
	select_io/mckp/group_relaxation.c \
	select_io/mckp/class_items.c \
	select_io/mckp/mckp_solve.c select_io/mckp/mckp.h \
	select_io/mckp/mckp_private.h select_io/mckp/mckp_search.h \
	select_io/mckp/sorted_blocks.c select_io/mckp/sorted_blocks.h \
	select_io/mckp/linear_relaxation.c \
	select_io/mckp/dp_table.c \
	select_io/mckp/dp_fill.h
noinst_LIBRARIES += libslubandwidth.a
libslubandwidth_a_SOURCES = \
	select_io/bandwidth/admission.c select_io/bandwidth/admission.h \
	select_io/bandwidth/busy_times.c select_io/bandwidth/busy_times.h \
	select_io/bandwidth/rate_steps.c select_io/bandwidth/rate_steps.h \
	select_io/bandwidth/groups.c select_io/bandwidth/groups.h \
	select_io/bandwidth/utilization.c select_io/bandwidth/utilization.h \
	select_io/bandwidth/ran_well.c select_io/bandwidth/ran_well.h \
	select_io/bandwidth/reached.c select_io/bandwidth/reached.h \
	select_io/bandwidth/rates.c select_io/bandwidth/rates.h
libslubandwidth = libslubandwidth.a $(libslucommon) $(XXHASH_LIBS)

if HAVE_CHECK
bandwidth_tests = tests/unit/select_io/test_admission tests/unit/select_io/test_busy_times \
	tests/unit/select_io/test_groups \
	tests/unit/select_io/test_utilization tests/unit/select_io/test_ran_well \
	tests/unit/select_io/test_rates tests/unit/select_io/test_shared_fs
check_PROGRAMS += $(bandwidth_tests)
TESTS += $(bandwidth_tests)
tests_unit_select_io_test_admission_LDADD = $(libslubandwidth) $(CHECK_LIBS)
tests_unit_select_io_test_busy_times_SOURCES = tests/unit/select_io/test_busy_times.c \
	bench/shared_fs.c bench/shared_fs.h
tests_unit_select_io_test_busy_times_LDADD = $(libslubandwidth) $(CHECK_LIBS)
tests_unit_select_io_test_groups_LDADD = $(libslubandwidth) $(CHECK_LIBS)
tests_unit_select_io_test_utilization_LDADD = $(libslubandwidth) $(CHECK_LIBS)
tests_unit_select_io_test_ran_well_SOURCES = tests/unit/select_io/test_ran_well.c \
	bench/shared_fs.c bench/shared_fs.h
tests_unit_select_io_test_ran_well_LDADD = $(libslubandwidth) $(CHECK_LIBS)
tests_unit_select_io_test_rates_LDADD = $(libslubandwidth) $(CHECK_LIBS)
tests_unit_select_io_test_shared_fs_SOURCES = tests/unit/select_io/test_shared_fs.c \
	bench/shared_fs.c bench/shared_fs.h
tests_unit_select_io_test_shared_fs_LDADD = $(libslucommon) $(CHECK_LIBS)
endif

libsluion = libsluion.a $(libsluwire) $(XXHASH_LIBS)

if HAVE_CHECK
ion_tests = tests/unit/select_io/test_mckp tests/unit/select_io/test_mckp_bounds \
	tests/unit/select_io/test_mckp_events tests/unit/select_io/test_sorted_blocks \
	tests/unit/select_io/test_curves tests/unit/select_io/test_performance_table tests/unit/select_io/test_whatif \
	tests/unit/select_io/test_division tests/unit/select_io/test_assignment_delta \
	tests/unit/select_io/test_policy tests/unit/select_io/test_placement \
	tests/unit/select_io/test_mapping tests/unit/select_io/test_arbiter \
	tests/unit/select_io/test_arbiter_days tests/unit/select_io/test_never_below \
	tests/unit/select_io/test_claims tests/unit/select_io/test_curve_runs \
	tests/unit/select_io/test_explore tests/unit/select_io/test_limits \
	tests/unit/select_io/test_renaming tests/unit/select_io/test_gain \
	tests/unit/select_io/test_recorded_jobs tests/unit/select_io/test_ion_pool
check_PROGRAMS += $(ion_tests)
TESTS += $(ion_tests)
tests_unit_select_io_test_mckp_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_mckp_bounds_LDADD = $(libsluion) $(CHECK_LIBS)
noinst_HEADERS += tests/unit/select_io/mckp_solve.h
tests_unit_select_io_test_sorted_blocks_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_mckp_events_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_curves_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_curve_runs_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_renaming_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_recorded_jobs_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_gain_LDADD = $(libsluion) $(CHECK_LIBS) -lm
tests_unit_select_io_test_limits_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_explore_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_performance_table_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_whatif_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_policy_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_assignment_delta_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_division_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_division_LDFLAGS = \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
tests_unit_select_io_test_placement_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_mapping_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_arbiter_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_arbiter_LDFLAGS = -Wl,--wrap=slu_ion_explain
tests_unit_select_io_test_ion_pool_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_ion_pool_LDFLAGS = -Wl,--wrap=strcmp
tests_unit_select_io_test_arbiter_days_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_never_below_LDADD = $(libsluion) $(CHECK_LIBS)
tests_unit_select_io_test_claims_LDADD = $(libsluion) $(CHECK_LIBS)
endif

check_PROGRAMS += tests/fuzz/fuzz_patterns
TESTS += tests/fuzz/fuzz_patterns
EXTRA_DIST += tests/fuzz/corpus/patterns
tests_fuzz_fuzz_patterns_SOURCES = tests/fuzz/fuzz_patterns.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_patterns_LDADD = $(libsluion)

# Token borrowing on Lustre servers.
noinst_LIBRARIES += libslutbf.a
libslutbf_a_SOURCES = \
	select_io/tbf/rule_commands.c \
	select_io/tbf/controller_turn.c select_io/tbf/controller.h \
	select_io/tbf/token_rounding.h select_io/tbf/token_selection.h \
	select_io/tbf/job_totals.c select_io/tbf/job_totals.h \
	select_io/tbf/job_table.c \
	select_io/tbf/rule_order.c select_io/tbf/rule_rates.c \
	select_io/tbf/rpc_sizes.c select_io/tbf/rule_classes.c \
	select_io/tbf/controller_private.h \
	select_io/tbf/rules.c select_io/tbf/rules.h \
	select_io/tbf/controller_state.c \
	select_io/tbf/tokens.c select_io/tbf/tokens.h
libslutbf = libslutbf.a $(libslulustre) $(libsluwire) $(XXHASH_LIBS)

# What reads and writes; apart, so that tests can link it.
noinst_LIBRARIES += libslutbfd.a
libslutbfd_a_SOURCES = \
	select_io/tbfd/rule_cleanup.c \
	select_io/tbfd/tbfd.c select_io/tbfd/tbfd.h \
	select_io/tbfd/lustre/lustre_files.c \
	select_io/tbfd/lustre/lustre_lctl.c \
	select_io/tbfd/rules_lock.c \
	select_io/tbfd/lustre/lustre_access.h \
	select_io/tbfd/commands/measure_capacity.c select_io/tbfd/rate_option.c \
	select_io/tbfd/commands/class_option.c select_io/tbfd/lustre/lustre_service.c \
	select_io/tbfd/job_nodes.c \
	select_io/tbfd/systemd_notify.c \
	select_io/tbfd/lustre/job_stats_reader.c select_io/tbfd/lustre/job_stats_reader.h \
	select_io/tbfd/tbfd_status.c
libslutbfd = libslutbfd.a $(libslutbf)

dist_man_MANS += man/sluice-tbfd.8
sbin_PROGRAMS += select_io/tbfd/sluice-tbfd
select_io_tbfd_sluice_tbfd_SOURCES = select_io/tbfd/commands/main.c \
	select_io/tbfd/commands/tbfd_options.c select_io/tbfd/commands/tbfd_options.h \
	select_io/tbfd/publisher.c select_io/tbfd/publisher.h $(command_words)
select_io_tbfd_sluice_tbfd_LDADD = $(libslutbfd) $(libsluost) $(libslunet)

if HAVE_CHECK
tbf_tests = tests/unit/select_io/test_tokens tests/unit/select_io/test_jobstats \
	tests/unit/select_io/test_job_totals tests/unit/select_io/test_rules \
	tests/unit/select_io/test_tbf_control tests/unit/select_io/test_tbf_order \
	tests/unit/select_io/test_tbf_crowd tests/unit/select_io/test_tbf_parts \
	tests/unit/select_io/test_tbf_sim tests/unit/select_io/test_tbfd_alive
check_PROGRAMS += $(tbf_tests)
TESTS += $(tbf_tests)
tests_unit_select_io_test_tokens_SOURCES = tests/unit/select_io/test_tokens.c \
	tests/unit/select_io/token_oracle.c tests/unit/select_io/token_oracle.h
tests_unit_select_io_test_tokens_LDADD = $(libslutbf) $(CHECK_LIBS)
tests_unit_select_io_test_jobstats_LDADD = $(libslutbfd) $(CHECK_LIBS)
tests_unit_select_io_test_job_totals_LDADD = $(libslutbf) $(CHECK_LIBS)
tests_unit_select_io_test_rules_LDADD = $(libslutbf) $(CHECK_LIBS)
tbf_server = tests/unit/select_io/tbf_server.c tests/unit/select_io/tbf_server.h $(fake_tbf)
tests_unit_select_io_test_tbf_control_SOURCES = tests/unit/select_io/test_tbf_control.c \
	$(tbf_server)
tests_unit_select_io_test_tbf_control_LDADD = $(libslutbf) $(CHECK_LIBS)
tests_unit_select_io_test_tbf_parts_SOURCES = tests/unit/select_io/test_tbf_parts.c $(tbf_server)
tests_unit_select_io_test_tbf_parts_LDADD = $(libslutbf) $(CHECK_LIBS)
tests_unit_select_io_test_tbf_crowd_SOURCES = tests/unit/select_io/test_tbf_crowd.c $(tbf_server)
tests_unit_select_io_test_tbf_crowd_LDADD = $(libslutbfd) $(CHECK_LIBS)
tests_unit_select_io_test_tbf_sim_SOURCES = tests/unit/select_io/test_tbf_sim.c \
	bench/tbf_sim.c bench/tbf_sim.h $(fake_tbf)
tests_unit_select_io_test_tbf_sim_LDADD = $(libslutbf) $(CHECK_LIBS)
tests_unit_select_io_test_tbfd_alive_LDADD = $(libslutbfd) $(CHECK_LIBS)
tests_unit_select_io_test_tbf_order_SOURCES = tests/unit/select_io/test_tbf_order.c $(tbf_server)
tests_unit_select_io_test_tbf_order_LDADD = $(libslutbf) $(CHECK_LIBS)
noinst_HEADERS += tests/unit/select_io/recorded.h tests/unit/select_io/server_files.h
endif

# Rules as Lustre keeps them, and an lctl that has nothing but them.
fake_tbf = tests/fakes/fake_tbf.c tests/fakes/fake_tbf.h
check_PROGRAMS += tests/fakes/fake_lctl
tests_fakes_fake_lctl_SOURCES = tests/fakes/fake_lctl.c $(fake_tbf)
tests_fakes_fake_lctl_LDADD = $(libslucommon)
dist_check_SCRIPTS += tests/unit/select_io/test_tbfd.sh
TESTS += tests/unit/select_io/test_tbfd.sh

check_PROGRAMS += tests/fuzz/fuzz_lustre
TESTS += tests/fuzz/fuzz_lustre
EXTRA_DIST += tests/fuzz/corpus/lustre
tests_fuzz_fuzz_lustre_SOURCES = tests/fuzz/fuzz_lustre.c tests/fuzz/replay.c
tests_fuzz_fuzz_lustre_LDADD = $(libslutbf) $(libsluost)

# Placement on Lustre's targets.
noinst_LIBRARIES += libsluost.a
libsluost_a_SOURCES = \
	select_io/ost/choose_targets.c select_io/ost/choose.h \
	select_io/ost/choose_answer.c select_io/ost/choose_answer.h \
	select_io/ost/known_targets.c select_io/ost/known_targets.h \
	select_io/ost/recent_placements.c select_io/ost/recent_placements.h \
	select_io/ost/server_report.c select_io/ost/server_report.h \
	select_io/ost/counter_rates.c select_io/ost/counter_rates.h \
	select_io/ost/relative_costs.c \
	select_io/ost/target_costs.c select_io/ost/target_costs.h \
	select_io/ost/parameter_files.c select_io/ost/parameter_files.h \
	select_io/flow/convex_costs.c \
	select_io/flow/linear_costs.c \
	select_io/flow/failure_domains.c \
	select_io/flow/cost_order.c \
	select_io/flow/flow_solve.c select_io/flow/min_cost_flow.h \
	select_io/flow/predicted_requests.c \
	select_io/flow/flow_private.h
libsluost = libsluost.a $(libslulustre)

if HAVE_CHECK
ost_tests = tests/unit/select_io/test_min_cost_flow tests/unit/select_io/test_failure_domains tests/unit/select_io/test_min_cost_flow_glpk \
	tests/unit/select_io/test_ost_balance tests/unit/select_io/test_ost_choose \
	tests/unit/select_io/test_recent_placements \
	tests/unit/select_io/test_known_targets \
	tests/unit/select_io/test_server_report tests/unit/select_io/test_counter_rates
check_PROGRAMS += $(ost_tests)
TESTS += $(ost_tests)
tests_unit_select_io_test_min_cost_flow_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_failure_domains_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_min_cost_flow_glpk_LDADD = $(libsluost) $(CHECK_LIBS) $(GLPK_LIBS)
tests_unit_select_io_test_counter_rates_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_ost_balance_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_ost_choose_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_recent_placements_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_known_targets_LDADD = $(libsluost) $(CHECK_LIBS)
tests_unit_select_io_test_server_report_LDADD = $(libsluost) $(CHECK_LIBS)
noinst_HEADERS += tests/unit/select_io/ost_answers.h tests/unit/select_io/ost_choose_call.h
endif

# Layouts of files on Lustre.
noinst_LIBRARIES += libslustripe.a
libslustripe_a_SOURCES = \
	select_io/stripe/layout_explain.c \
	select_io/stripe/composite_layout.c \
	select_io/stripe/composite_layout.h \
	select_io/stripe/file_layout.c select_io/stripe/file_layout.h \
	select_io/stripe/layout_cost.c select_io/stripe/layout_cost.h \
	select_io/stripe/layout_review.c select_io/stripe/layout_review.h \
	select_io/stripe/layout_presets.c \
	select_io/stripe/layout_text.c
libslustripe = libslustripe.a $(libsluost)

if HAVE_CHECK
stripe_tests = tests/unit/select_io/test_stripe_layout tests/unit/select_io/test_file_layout
check_PROGRAMS += $(stripe_tests)
TESTS += $(stripe_tests)
tests_unit_select_io_test_stripe_layout_LDADD = $(libslustripe) $(CHECK_LIBS)
tests_unit_select_io_test_file_layout_LDADD = $(libslustripe) $(CHECK_LIBS)
endif
check_PROGRAMS += tests/fuzz/fuzz_getstripe
TESTS += tests/fuzz/fuzz_getstripe
EXTRA_DIST += tests/fuzz/corpus/getstripe
tests_fuzz_fuzz_getstripe_SOURCES = tests/fuzz/fuzz_getstripe.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_getstripe_LDADD = $(libslustripe)

# A performance table, measured.
noinst_LIBRARIES += libsluionbench.a
libsluionbench_a_SOURCES = \
	select_io/ionbench/idle_ions.c select_io/ionbench/idle_ions.h \
	select_io/ionbench/load.c select_io/ionbench/load.h \
	select_io/ionbench/measure.c select_io/ionbench/measure.h \
	select_io/ionbench/options.c select_io/ionbench/options.h \
	select_io/ionbench/patterns.c select_io/ionbench/patterns.h \
	select_io/ionbench/report.c select_io/ionbench/report.h \
	select_io/ionbench/results.c select_io/ionbench/results.h \
	select_io/ionbench/step.c select_io/ionbench/step.h $(command_words)
libsluionbench = libsluionbench.a $(libsluion) $(libsluimport)
dist_man_MANS += man/sluice-ionbench.1
bin_PROGRAMS += sluice-ionbench
sluice_ionbench_SOURCES = select_io/ionbench/main.c
sluice_ionbench_LDADD = $(libsluionbench)
if HAVE_CHECK
check_PROGRAMS += tests/unit/select_io/test_ionbench tests/unit/select_io/test_ionbench_measure
noinst_HEADERS += tests/unit/select_io/ionbench_files.h
TESTS += tests/unit/select_io/test_ionbench tests/unit/select_io/test_ionbench_measure
tests_unit_select_io_test_ionbench_LDADD = $(libsluionbench) $(CHECK_LIBS)
tests_unit_select_io_test_ionbench_measure_LDADD = $(libsluionbench) $(CHECK_LIBS)
endif

# For applications: where a new file should go.
noinst_LIBRARIES += libsluclient.a
libsluclient_a_SOURCES = select_io/client/place.c
libsluclient = libsluclient.a $(libslunet)
lib_LTLIBRARIES += libsluice_place.la
libsluice_place_la_SOURCES = $(libsluclient_a_SOURCES) \
	$(libslunet_a_SOURCES) $(libslucommon_a_SOURCES)
libsluice_place_la_CFLAGS = $(AM_CFLAGS)
libsluice_place_la_LIBADD = $(GCRYPT_LIBS) $(MUNGE_LIBS) $(JSON_LIBS) -lm
libsluice_place_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--no-undefined -Wl,--version-script=$(top_srcdir)/select_io/client/libsluice_place.map
EXTRA_libsluice_place_la_DEPENDENCIES = select_io/client/libsluice_place.map
EXTRA_DIST += select_io/client/libsluice_place.map
placeincludedir = $(includedir)/sluice
placeinclude_HEADERS = select_io/client/place.h
pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = select_io/client/sluice_place.pc

dist_man_MANS += man/sluice-place.1 man/sluice_place.3
bin_PROGRAMS += sluice-place
sluice_place_SOURCES = select_io/client/main.c $(command_words)
sluice_place_LDADD = libsluice_place.la $(libslucommon)
sluice_place_LDFLAGS =

# For unmodified programs: each new file where the library says.
pkglib_LTLIBRARIES += libsluice_placed.la
libsluice_placed_la_SOURCES = \
	select_io/preload.h \
	select_io/client/placed.c select_io/client/placed.h select_io/client/placed_open.c \
	select_io/client/placed_file.c select_io/client/placed_targets.c \
	select_io/client/placed_where.c
# Into programs that were built without sanitizers.
libsluice_placed_la_CFLAGS = -std=gnu11 $(SLU_WARN_CFLAGS) -U_FORTIFY_SOURCE \
	-fno-builtin -fvisibility=hidden
libsluice_placed_la_LDFLAGS = -module -avoid-version -shared
libsluice_placed_la_LIBADD = -ldl -lpthread

dist_check_SCRIPTS += tests/unit/select_io/test_placed.sh
TESTS += tests/unit/select_io/test_placed.sh
check_LTLIBRARIES += tests/fakes/fake_lustre_client.la
tests_fakes_fake_lustre_client_la_SOURCES = tests/fakes/fake_lustre_client.c
tests_fakes_fake_lustre_client_la_CFLAGS = -std=gnu11 $(SLU_WARN_CFLAGS)
tests_fakes_fake_lustre_client_la_LDFLAGS = -module -avoid-version -shared \
	-rpath /nowhere
tests_fakes_fake_lustre_client_la_LIBADD = -ldl
check_PROGRAMS += tests/unit/select_io/small_stack
tests_unit_select_io_small_stack_SOURCES = tests/unit/select_io/small_stack.c
# A preloaded library would come before AddressSanitizer.
tests_unit_select_io_small_stack_CFLAGS = -std=gnu11 $(SLU_WARN_CFLAGS)
tests_unit_select_io_small_stack_LDFLAGS =

if HAVE_CHECK
check_PROGRAMS += tests/unit/select_io/test_client
TESTS += tests/unit/select_io/test_client
tests_unit_select_io_test_client_SOURCES = tests/unit/select_io/test_client.c $(sluiced_whole)
tests_unit_select_io_test_client_LDADD = $(libsluclient) $(libsluiced) $(CHECK_LIBS)
endif

# Files in segments, and the library that unmodified programs read them by.
noinst_LIBRARIES += libslusegments.a
libslusegments_a_SOURCES = \
	select_io/segments/index.c select_io/segments/index.h \
	select_io/segments/write_segments.c select_io/segments/write_segments.h
libslusegments = libslusegments.a $(libslustripe)

pkglib_LTLIBRARIES += libsluice_segments.la
libsluice_segments_la_SOURCES = \
	select_io/preload.h \
	select_io/segments/index.c \
	select_io/segments/descriptors.c select_io/segments/descriptors.h \
	select_io/segments/mapped.c \
	select_io/segments/preload.c \
	select_io/segments/sizes.c
libsluice_segments_la_CFLAGS = $(AM_CFLAGS) -U_FORTIFY_SOURCE -fno-builtin \
	-Wno-nonnull-compare -Wno-missing-prototypes
libsluice_segments_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-Wl,--version-script=$(top_srcdir)/select_io/segments/preload.map
libsluice_segments_la_LIBADD = -ldl -lpthread
EXTRA_libsluice_segments_la_DEPENDENCIES = select_io/segments/preload.map
EXTRA_DIST += select_io/segments/preload.map

dist_man_MANS += man/sluice-segments.1
bin_PROGRAMS += sluice-segments
sluice_segments_SOURCES = select_io/segments/main.c $(command_words)
sluice_segments_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
sluice_segments_LDADD = $(libslusegments)

if HAVE_CHECK
segments_tests = tests/unit/select_io/test_segments tests/unit/select_io/test_segments_programs
check_PROGRAMS += $(segments_tests)
TESTS += $(segments_tests)
tests_unit_select_io_test_segments_LDADD = $(libslusegments) $(CHECK_LIBS)
tests_unit_select_io_test_segments_programs_LDADD = $(libslusegments) $(CHECK_LIBS)
noinst_HEADERS += tests/unit/select_io/segment_files.h
endif
check_PROGRAMS += tests/fuzz/fuzz_segments
TESTS += tests/fuzz/fuzz_segments
EXTRA_DIST += tests/fuzz/corpus/segments
tests_fuzz_fuzz_segments_SOURCES = tests/fuzz/fuzz_segments.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_segments_LDADD = $(libslusegments)
