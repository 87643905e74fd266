# SPDX-License-Identifier: GPL-2.0-or-later
# What of burst_buffer/ runs on the nodes.
noinst_LIBRARIES += libslunode.a
libslunode_a_SOURCES = \
	burst_buffer/staging/claims.c burst_buffer/staging/claims.h \
	burst_buffer/staging/copied.c burst_buffer/staging/copied.h \
	burst_buffer/staging/copy.c burst_buffer/staging/copy.h \
	burst_buffer/staging/journal.c burst_buffer/staging/journal.h \
	burst_buffer/staging/manifest.c burst_buffer/staging/manifest.h \
	burst_buffer/staging/share.c burst_buffer/staging/share.h \
	burst_buffer/staging/stage.h \
	burst_buffer/staging/acts/act.c burst_buffer/staging/acts/act.h \
	burst_buffer/staging/acts/act_cached.c \
	burst_buffer/staging/acts/act_compare.c \
	burst_buffer/staging/acts/act_copy.c \
	burst_buffer/staging/acts/act_finish.c \
	burst_buffer/staging/acts/act_land.c \
	burst_buffer/staging/acts/act_range.c \
	burst_buffer/staging/acts/act_verify.c \
	burst_buffer/staging/acts/held_source.c \
	burst_buffer/staging/acts/held_source.h \
	burst_buffer/staging/acts/move.c burst_buffer/staging/acts/move.h \
	burst_buffer/staging/acts/scan.c burst_buffer/staging/acts/scan.h \
	burst_buffer/staging/acts/stage_run.c \
	burst_buffer/staging/files/attrs.c burst_buffer/staging/files/attrs.h \
	burst_buffer/staging/files/beneath.c \
	burst_buffer/staging/files/beneath.h \
	burst_buffer/staging/files/directory_batch.c \
	burst_buffer/staging/files/directory_batch.h \
	burst_buffer/staging/files/fresh.c burst_buffer/staging/files/fresh.h \
	burst_buffer/staging/files/temporary_file.c \
	burst_buffer/staging/files/temporary_file.h \
	burst_buffer/staging/walk/colliding_paths.c \
	burst_buffer/staging/walk/colliding_paths.h \
	burst_buffer/staging/walk/level.h \
	burst_buffer/staging/walk/path_rules.c \
	burst_buffer/staging/walk/path_rules.h \
	burst_buffer/staging/walk/selection.c \
	burst_buffer/staging/walk/selection.h burst_buffer/staging/walk/walk.h \
	burst_buffer/staging/walk/walk_make.c \
	burst_buffer/staging/walk/walk_names.c \
	burst_buffer/staging/walk/walk_tree.c \
	burst_buffer/host/aside.c burst_buffer/host/aside.h \
	burst_buffer/host/fuse.c burst_buffer/host/fuse.h \
	burst_buffer/host/mtab.c burst_buffer/host/mtab.h \
	burst_buffer/host/trust.c burst_buffer/host/trust.h \
	burst_buffer/host/indirect_users.c burst_buffer/host/indirect_users.h \
	burst_buffer/host/file_users.c burst_buffer/host/file_users.h \
	burst_buffer/host/kill_users.c burst_buffer/host/kill_users.h \
	burst_buffer/host/proc_files.c burst_buffer/host/proc_files.h \
	burst_buffer/host/logs.c burst_buffer/host/logs.h \
	burst_buffer/host/loop_device.c burst_buffer/host/loop_device.h \
	burst_buffer/host/quota.c burst_buffer/host/quota.h \
	burst_buffer/host/bind.c burst_buffer/host/bind.h \
	burst_buffer/host/cgroup.c burst_buffer/host/cgroup.h \
	burst_buffer/host/root_daemon.c burst_buffer/host/root_daemon.h \
	burst_buffer/storage/image.c \
	burst_buffer/storage/kept_age.c burst_buffer/storage/kept_age.h \
	burst_buffer/storage/held_storage.c burst_buffer/storage/held_storage.h \
	burst_buffer/storage/storage_make.c burst_buffer/storage/storage.h \
	burst_buffer/storage/storage_health.c \
	burst_buffer/storage/storage_health.h \
	burst_buffer/storage/used.c \
	burst_buffer/storage/wipe.c burst_buffer/storage/kept.c \
	burst_buffer/storage/cache_record.c burst_buffer/storage/cache_record.h \
	burst_buffer/storage/cache_prefetch.c burst_buffer/storage/cache_prefetch.h \
	burst_buffer/storage/cache_lock.c burst_buffer/storage/cache_lock.h \
	burst_buffer/storage/cache_room.c burst_buffer/storage/cache_room.h \
	burst_buffer/storage/cache_space.c burst_buffer/storage/cache_space.h \
	burst_buffer/storage/cache_use.c burst_buffer/storage/stage_cache.h \
	burst_buffer/storage/internal.h \
	burst_buffer/drivers/drivers.c burst_buffer/drivers/driver.h burst_buffer/drivers/instance.c \
	burst_buffer/drivers/scratch.c burst_buffer/drivers/glusterfs.c \
	burst_buffer/drivers/glusterfs.h \
	burst_buffer/drivers/glusterfs_brick.c burst_buffer/drivers/glusterfs_files.c \
	burst_buffer/drivers/gekkofs.c burst_buffer/drivers/gekkofs.h \
	burst_buffer/drivers/gekkofs_daemons.c \
	burst_buffer/drivers/gekkofs_hosts.c \
	burst_buffer/drivers/gekkofs_join.c \
	burst_buffer/drivers/gekkofs_probe.c \
	burst_buffer/drivers/gekkofs_words.c burst_buffer/drivers/lustre.c \
	burst_buffer/drivers/beeond.c \
	burst_buffer/drivers/volfile.c burst_buffer/drivers/volfile.h
libslunode = libslunode.a $(libslurequest) $(XXHASH_LIBS) -lpthread

# The subcommands of sluice-node.
noinst_LIBRARIES += libsluverbs.a
libsluverbs_a_SOURCES = \
	burst_buffer/node/devices.c burst_buffer/node/devices.h \
	burst_buffer/node/instance_name.c burst_buffer/node/instance_name.h \
	burst_buffer/node/kept_data.c burst_buffer/node/kept_data.h \
	burst_buffer/node/node.c burst_buffer/node/node.h \
	burst_buffer/node/node_conf.c burst_buffer/node/node_log.c \
	burst_buffer/node/notes.c burst_buffer/node/peak_used.c \
	burst_buffer/node/print.c burst_buffer/node/receipts.c \
	burst_buffer/node/receipts.h burst_buffer/node/stage_what.c \
	burst_buffer/node/talk.c burst_buffer/node/talk.h \
	burst_buffer/node/verbs.h \
	burst_buffer/node/cache/cache_list.c \
	burst_buffer/node/cache/cache_list.h \
	burst_buffer/node/cache/cache_proxy.c \
	burst_buffer/node/cache/cache_proxy.h \
	burst_buffer/node/cache/cache_source.c \
	burst_buffer/node/cache/cache_source.h \
	burst_buffer/node/cache/input_cache.c \
	burst_buffer/node/cache/input_cache.h \
	burst_buffer/node/cache/prefetch.c burst_buffer/node/cache/prefetch.h \
	burst_buffer/node/commands/cancel.c \
	burst_buffer/node/commands/commands.h \
	burst_buffer/node/commands/device_storage.c \
	burst_buffer/node/commands/device_storage.h \
	burst_buffer/node/commands/fetch.c burst_buffer/node/commands/io.c \
	burst_buffer/node/commands/llite.c burst_buffer/node/commands/llite.h \
	burst_buffer/node/commands/missed_prolog.c \
	burst_buffer/node/commands/recover.c \
	burst_buffer/node/commands/serve.c burst_buffer/node/commands/status.c \
	burst_buffer/node/commands/up.c burst_buffer/node/commands/watch.c \
	burst_buffer/node/commands/watch.h \
	burst_buffer/node/forwarder/forwarder.c \
	burst_buffer/node/forwarder/forwarder.h \
	burst_buffer/node/forwarder/forwarder_io.c \
	burst_buffer/node/forwarder/forwarder_io.h \
	burst_buffer/node/forwarder/forwarder_jobs.c \
	burst_buffer/node/forwarder/forwarder_mapping.c \
	burst_buffer/node/forwarder/forwarder_mapping.h \
	burst_buffer/node/forwarder/forwarder_names.c \
	burst_buffer/node/forwarder/forwarder_probe.c \
	burst_buffer/node/forwarder/forwarder_send.c \
	burst_buffer/node/forwarder/forwarder_traffic.c \
	burst_buffer/node/forwarder/forwarder_traffic.h \
	burst_buffer/node/forwarder/hosts_file.c \
	burst_buffer/node/probe/probe.c burst_buffer/node/probe/probe.h \
	burst_buffer/node/probe/probe_push.c \
	burst_buffer/node/probe/probe_rows.c \
	burst_buffer/node/probe/probe_slurm.c \
	burst_buffer/node/probe/probe_storage.c \
	burst_buffer/node/setup/filler.c burst_buffer/node/setup/job_env.c \
	burst_buffer/node/setup/job_env.h burst_buffer/node/setup/room.c \
	burst_buffer/node/setup/room.h \
	burst_buffer/node/setup/stripe_directories.c \
	burst_buffer/node/setup/stripe_directories.h \
	burst_buffer/node/setup/user_directories.c \
	burst_buffer/node/setup/user_directories.h \
	burst_buffer/node/stage/drain.c burst_buffer/node/stage/drain.h \
	burst_buffer/node/stage/early.c burst_buffer/node/stage/early.h \
	burst_buffer/node/stage/early_copy.c \
	burst_buffer/node/stage/early_notes.c \
	burst_buffer/node/stage/interpose.c \
	burst_buffer/node/stage/interpose.h \
	burst_buffer/node/stage/job_output.c \
	burst_buffer/node/stage/job_output.h burst_buffer/node/stage/mover.c \
	burst_buffer/node/stage/mover.h burst_buffer/node/stage/staging.c \
	burst_buffer/node/stage/staging.h \
	burst_buffer/node/stage/staging_child.c \
	burst_buffer/node/stage/staging_child.h \
	burst_buffer/node/teardown/dirty.c burst_buffer/node/teardown/dirty.h \
	burst_buffer/node/teardown/discard.c \
	burst_buffer/node/teardown/discard.h burst_buffer/node/teardown/down.c \
	burst_buffer/node/teardown/down.h burst_buffer/node/teardown/holders.c \
	burst_buffer/node/teardown/holders.h \
	burst_buffer/node/teardown/kept_expiry.c \
	burst_buffer/node/teardown/kept_expiry.h \
	burst_buffer/node/teardown/leftovers.c \
	burst_buffer/node/teardown/leftovers.h \
	burst_buffer/node/teardown/outlived.c \
	burst_buffer/node/teardown/outlived.h \
	burst_buffer/node/teardown/receipts_show.c \
	burst_buffer/node/teardown/save_data.c \
	burst_buffer/node/teardown/save_data.h \
	burst_buffer/node/teardown/teardown.c \
	burst_buffer/node/teardown/teardown.h \
	burst_buffer/node/teardown/worker.c \
	burst_buffer/node/teardown/worker.h
libsluverbs = libsluverbs.a $(libslunode) $(libslunet)

bin_PROGRAMS += sluice-node sluice-stage-out
sluice_stage_out_SOURCES = burst_buffer/node/stage/stage_out.c $(command_words)
sluice_stage_out_LDADD = $(libsluverbs)
sluice_node_SOURCES = burst_buffer/node/commands/main.c $(command_words)
sluice_node_LDADD = $(libsluverbs)

if HAVE_CHECK
node_tests = tests/unit/burst_buffer/node/test_manifest tests/unit/burst_buffer/node/test_share \
	tests/unit/burst_buffer/node/test_move tests/unit/burst_buffer/node/test_stage_select tests/unit/burst_buffer/node/test_stage_claims \
	tests/unit/burst_buffer/node/test_journal tests/unit/burst_buffer/node/test_stage_links \
	tests/unit/burst_buffer/node/test_attrs tests/unit/burst_buffer/node/test_beneath tests/unit/burst_buffer/node/test_copy \
	tests/unit/burst_buffer/node/test_stage tests/unit/burst_buffer/node/test_stage_faults \
	tests/unit/burst_buffer/node/test_stage_lists tests/unit/burst_buffer/node/test_stage_late \
	tests/unit/burst_buffer/node/test_stage_own_times \
	tests/unit/burst_buffer/node/test_temporary_file tests/unit/burst_buffer/node/test_stage_copied \
	tests/unit/burst_buffer/node/test_aside tests/unit/burst_buffer/node/test_mtab tests/unit/burst_buffer/node/test_storage \
	tests/unit/burst_buffer/node/test_volfile tests/unit/burst_buffer/node/test_brick_data \
	tests/unit/burst_buffer/node/test_gekkofs_hosts \
	tests/unit/burst_buffer/node/test_gekkofs_probe tests/unit/burst_buffer/node/test_gekkofs_join \
	tests/unit/burst_buffer/node/test_server tests/unit/burst_buffer/node/test_bind \
	tests/unit/burst_buffer/node/test_gekkofs_strays tests/unit/burst_buffer/node/test_storage_kept \
	tests/unit/burst_buffer/node/test_kept_age tests/unit/burst_buffer/node/test_held \
	tests/unit/burst_buffer/node/test_storage_health tests/unit/burst_buffer/node/test_colliding_paths \
	tests/unit/burst_buffer/node/test_node_used \
	tests/unit/burst_buffer/node/test_cache_record tests/unit/burst_buffer/node/test_stage_cache \
	tests/unit/burst_buffer/node/test_stage_cached tests/unit/burst_buffer/node/test_stage_prefetch \
	tests/unit/burst_buffer/node/test_storage_users tests/unit/burst_buffer/node/test_users tests/unit/burst_buffer/node/test_fuse \
	tests/unit/burst_buffer/node/test_indirect_users \
	tests/unit/burst_buffer/node/test_node_status tests/unit/burst_buffer/node/test_node_probe \
	tests/unit/burst_buffer/node/test_probe_slurm tests/unit/burst_buffer/node/test_node_verbs \
	tests/unit/burst_buffer/node/test_node tests/unit/burst_buffer/node/test_node_returns \
	tests/unit/burst_buffer/node/test_node_room \
	tests/unit/burst_buffer/node/test_node_hangs tests/unit/burst_buffer/node/test_node_forgotten \
	tests/unit/burst_buffer/node/test_node_leftovers tests/unit/burst_buffer/node/test_node_lost \
	tests/unit/burst_buffer/node/test_node_notes tests/unit/burst_buffer/node/test_node_holders \
	tests/unit/burst_buffer/node/test_node_outlived \
	tests/unit/burst_buffer/node/test_job_output \
	tests/unit/burst_buffer/node/test_twice tests/unit/burst_buffer/node/test_node_killed \
	tests/unit/burst_buffer/node/test_early tests/unit/burst_buffer/node/test_llite \
	tests/unit/burst_buffer/node/test_forwarder_io \
	tests/unit/burst_buffer/node/test_glusterfs tests/unit/burst_buffer/node/test_glusterfs_faults \
	tests/unit/burst_buffer/node/test_glusterfs_held \
	tests/unit/burst_buffer/node/test_gluster_devices \
	tests/unit/burst_buffer/node/test_gluster_whole tests/unit/burst_buffer/node/test_gluster_junk
# These start many daemons and kill them, again and again: with sanitizers
# their time limits run out.
node_slow_tests = tests/unit/burst_buffer/node/test_fs tests/unit/burst_buffer/node/test_fs_lustre \
	tests/unit/burst_buffer/node/test_gekkofs
check_PROGRAMS += $(node_tests) $(node_slow_tests)
TESTS += $(node_tests)
unsanitized += $(node_slow_tests)
node_test_nodes = tests/unit/burst_buffer/node/nodes.c tests/unit/burst_buffer/node/nodes.h \
	tests/unit/burst_buffer/node/node_files.c tests/unit/burst_buffer/node/node_files.h \
	tests/unit/burst_buffer/node/node_main.c $(node_test_tree) $(sluiced_whole)
node_test_transitions = tests/unit/burst_buffer/node/node_life.c tests/unit/burst_buffer/node/node_life.h \
	$(node_test_nodes)
node_test_libs = $(libslunode) $(CHECK_LIBS)
node_test_tree = tests/unit/burst_buffer/node/tree.c tests/unit/burst_buffer/node/tree.h
tests_unit_burst_buffer_node_test_manifest_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_cache_record_LDADD = $(node_test_libs) $(libslunet)
tests_unit_burst_buffer_node_test_stage_cached_SOURCES = tests/unit/burst_buffer/node/test_stage_cached.c \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_stage_cached_LDADD = $(libsluverbs) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_stage_cache_SOURCES = tests/unit/burst_buffer/node/test_stage_cache.c \
	tests/unit/burst_buffer/node/cache_world.h $(node_test_tree)
tests_unit_burst_buffer_node_test_stage_cache_LDADD = $(libslunode) $(libslunet) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_stage_prefetch_SOURCES = tests/unit/burst_buffer/node/test_stage_prefetch.c \
	tests/unit/burst_buffer/node/cache_world.h $(node_test_tree)
tests_unit_burst_buffer_node_test_stage_prefetch_LDADD = $(libslunode) $(libslunet) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_share_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_beneath_SOURCES = tests/unit/burst_buffer/node/test_beneath.c $(node_test_tree)
tests_unit_burst_buffer_node_test_beneath_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_move_SOURCES = tests/unit/burst_buffer/node/test_move.c $(node_test_tree)
tests_unit_burst_buffer_node_test_move_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_attrs_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_select_SOURCES = tests/unit/burst_buffer/node/test_stage_select.c $(node_test_tree)
tests_unit_burst_buffer_node_test_stage_select_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_claims_SOURCES = tests/unit/burst_buffer/node/test_stage_claims.c \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_stage_claims_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_links_SOURCES = tests/unit/burst_buffer/node/test_stage_links.c \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_stage_links_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_journal_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_copy_SOURCES = tests/unit/burst_buffer/node/test_copy.c $(node_test_tree)
tests_unit_burst_buffer_node_test_copy_LDADD = $(node_test_libs)
stage_test_trees = tests/unit/burst_buffer/node/stage_trees.c tests/unit/burst_buffer/node/stage_trees.h \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_stage_SOURCES = tests/unit/burst_buffer/node/test_stage.c $(stage_test_trees)
tests_unit_burst_buffer_node_test_stage_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_own_times_SOURCES = tests/unit/burst_buffer/node/test_stage_own_times.c \
	$(stage_test_trees)
tests_unit_burst_buffer_node_test_stage_own_times_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_faults_SOURCES = tests/unit/burst_buffer/node/test_stage_faults.c \
	$(stage_test_trees)
tests_unit_burst_buffer_node_test_stage_faults_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_lists_SOURCES = tests/unit/burst_buffer/node/test_stage_lists.c \
	$(stage_test_trees)
tests_unit_burst_buffer_node_test_stage_lists_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_late_SOURCES = tests/unit/burst_buffer/node/test_stage_late.c \
	$(stage_test_trees)
tests_unit_burst_buffer_node_test_stage_late_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_temporary_file_SOURCES = tests/unit/burst_buffer/node/test_temporary_file.c \
	$(stage_test_trees)
tests_unit_burst_buffer_node_test_temporary_file_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_stage_copied_SOURCES = tests/unit/burst_buffer/node/test_stage_copied.c \
	tests/unit/random.h $(stage_test_trees)
tests_unit_burst_buffer_node_test_stage_copied_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_aside_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_bind_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_mtab_LDADD = $(node_test_libs)
node_test_storage = tests/unit/burst_buffer/node/storage_top.h $(node_test_tree)
tests_unit_burst_buffer_node_test_storage_SOURCES = tests/unit/burst_buffer/node/test_storage.c \
	$(node_test_storage)
tests_unit_burst_buffer_node_test_storage_LDADD = $(libsluverbs) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_storage_kept_SOURCES = tests/unit/burst_buffer/node/test_storage_kept.c \
	$(node_test_storage)
tests_unit_burst_buffer_node_test_colliding_paths_SOURCES = tests/unit/burst_buffer/node/test_colliding_paths.c $(node_test_tree)
tests_unit_burst_buffer_node_test_colliding_paths_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_kept_age_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_held_SOURCES = tests/unit/burst_buffer/node/test_held.c $(node_test_storage)
tests_unit_burst_buffer_node_test_storage_health_SOURCES = \
	tests/unit/burst_buffer/node/test_storage_health.c $(node_test_storage)
tests_unit_burst_buffer_node_test_storage_health_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_node_used_SOURCES = tests/unit/burst_buffer/node/test_node_used.c \
	$(node_test_storage)
tests_unit_burst_buffer_node_test_node_used_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_held_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_storage_kept_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_storage_users_SOURCES = tests/unit/burst_buffer/node/test_storage_users.c \
	tests/unit/burst_buffer/node/in_flight.h \
	$(node_test_storage)
tests_unit_burst_buffer_node_test_brick_data_SOURCES = tests/unit/burst_buffer/node/test_brick_data.c $(node_test_tree)
tests_unit_burst_buffer_node_test_brick_data_LDADD = $(node_test_libs)
EXTRA_tests_unit_burst_buffer_node_test_brick_data_DEPENDENCIES = libsluice_glusterfs.la
tests_unit_burst_buffer_node_test_fuse_SOURCES = tests/unit/burst_buffer/node/test_fuse.c $(node_test_tree)
tests_unit_burst_buffer_node_test_fuse_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_storage_users_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_indirect_users_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_users_LDADD = $(tests_unit_burst_buffer_node_test_storage_LDADD)
tests_unit_burst_buffer_node_test_volfile_LDADD = $(libslurequest) $(node_test_libs)
tests_unit_burst_buffer_node_test_gekkofs_hosts_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_gekkofs_join_SOURCES = tests/unit/burst_buffer/node/test_gekkofs_join.c \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_gekkofs_join_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_gekkofs_probe_SOURCES = tests/unit/burst_buffer/node/test_gekkofs_probe.c \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_gekkofs_probe_LDADD = $(libslurequest) $(node_test_libs)
EXTRA_tests_unit_burst_buffer_node_test_gekkofs_probe_DEPENDENCIES = \
	tests/fakes/fake_gkfs_daemon$(EXEEXT) \
	tests/fakes/fake_gkfs_intercept.la
tests_unit_burst_buffer_node_test_gekkofs_strays_SOURCES = \
	tests/unit/burst_buffer/node/test_gekkofs_strays.c $(node_test_tree)
tests_unit_burst_buffer_node_test_gekkofs_strays_LDADD = $(node_test_libs)
EXTRA_tests_unit_burst_buffer_node_test_gekkofs_strays_DEPENDENCIES = \
	tests/fakes/fake_gkfs_daemon$(EXEEXT)
node_test_gluster = tests/unit/burst_buffer/node/gluster_job.c tests/unit/burst_buffer/node/gluster_job.h \
	$(node_test_tree)
EXTRA_tests_unit_burst_buffer_node_test_glusterfs_DEPENDENCIES = libsluice_glusterfs.la
EXTRA_tests_unit_burst_buffer_node_test_glusterfs_faults_DEPENDENCIES = libsluice_glusterfs.la
EXTRA_tests_unit_burst_buffer_node_test_glusterfs_held_DEPENDENCIES = libsluice_glusterfs.la
EXTRA_tests_unit_burst_buffer_node_test_gluster_devices_DEPENDENCIES = libsluice_glusterfs.la
EXTRA_tests_unit_burst_buffer_node_test_gluster_whole_DEPENDENCIES = libsluice_glusterfs.la
EXTRA_tests_unit_burst_buffer_node_test_gluster_junk_DEPENDENCIES = libsluice_glusterfs.la
tests_unit_burst_buffer_node_test_glusterfs_SOURCES = tests/unit/burst_buffer/node/test_glusterfs.c \
	$(node_test_gluster)
tests_unit_burst_buffer_node_test_glusterfs_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_glusterfs_faults_SOURCES = \
	tests/unit/burst_buffer/node/test_glusterfs_faults.c $(node_test_gluster)
tests_unit_burst_buffer_node_test_glusterfs_faults_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_glusterfs_held_SOURCES = tests/unit/burst_buffer/node/test_glusterfs_held.c \
	$(node_test_gluster)
tests_unit_burst_buffer_node_test_glusterfs_held_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_gluster_devices_SOURCES = tests/unit/burst_buffer/node/test_gluster_devices.c \
	$(node_test_gluster)
tests_unit_burst_buffer_node_test_gluster_devices_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_gluster_junk_SOURCES = tests/unit/burst_buffer/node/test_gluster_junk.c \
	$(node_test_gluster)
tests_unit_burst_buffer_node_test_gluster_junk_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_gluster_whole_SOURCES = tests/unit/burst_buffer/node/test_gluster_whole.c \
	$(node_test_tree)
tests_unit_burst_buffer_node_test_gluster_whole_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_server_SOURCES = tests/unit/burst_buffer/node/test_server.c $(node_test_tree)
tests_unit_burst_buffer_node_test_server_LDADD = $(node_test_libs)
tests_unit_burst_buffer_node_test_node_SOURCES = tests/unit/burst_buffer/node/test_node.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_LDADD = $(libsluverbs) $(libsluiced) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_node_room_SOURCES = tests/unit/burst_buffer/node/test_node_room.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_room_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_returns_SOURCES = tests/unit/burst_buffer/node/test_node_returns.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_returns_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_forgotten_SOURCES = \
	tests/unit/burst_buffer/node/test_node_forgotten.c $(node_test_transitions)
tests_unit_burst_buffer_node_test_node_forgotten_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_hangs_SOURCES = tests/unit/burst_buffer/node/test_node_hangs.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_hangs_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_lost_SOURCES = tests/unit/burst_buffer/node/test_node_lost.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_lost_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_notes_SOURCES = tests/unit/burst_buffer/node/test_node_notes.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_notes_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_job_output_LDADD = $(libsluverbs) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_node_holders_SOURCES = tests/unit/burst_buffer/node/test_node_holders.c \
	tests/unit/burst_buffer/node/in_flight.h \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_holders_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_outlived_SOURCES = tests/unit/burst_buffer/node/test_node_outlived.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_outlived_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_node_leftovers_SOURCES = tests/unit/burst_buffer/node/test_node_leftovers.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_leftovers_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
node_test_fs_job = tests/unit/burst_buffer/node/fs_job.c tests/unit/burst_buffer/node/fs_job.h $(node_test_nodes)
tests_unit_burst_buffer_node_test_fs_SOURCES = tests/unit/burst_buffer/node/test_fs.c $(node_test_fs_job)
tests_unit_burst_buffer_node_test_fs_LDADD = $(libsluverbs) $(libsluiced) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_gekkofs_SOURCES = tests/unit/burst_buffer/node/test_gekkofs.c \
	$(node_test_fs_job)
tests_unit_burst_buffer_node_test_gekkofs_LDADD = $(tests_unit_burst_buffer_node_test_fs_LDADD)
EXTRA_tests_unit_burst_buffer_node_test_gekkofs_DEPENDENCIES = libsluice_forked.la \
	tests/fakes/fake_gkfs_daemon$(EXEEXT) \
	tests/fakes/fake_gkfs_intercept.la
tests_unit_burst_buffer_node_test_fs_lustre_SOURCES = tests/unit/burst_buffer/node/test_fs_lustre.c \
	$(node_test_fs_job)
tests_unit_burst_buffer_node_test_fs_lustre_LDADD = $(tests_unit_burst_buffer_node_test_fs_LDADD)
tests_unit_burst_buffer_node_test_node_killed_SOURCES = tests/unit/burst_buffer/node/test_node_killed.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_node_killed_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
tests_unit_burst_buffer_node_test_early_SOURCES = tests/unit/burst_buffer/node/test_early.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_llite_LDADD = $(libsluverbs) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_forwarder_io_LDADD = $(libsluverbs) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_early_LDADD = $(tests_unit_burst_buffer_node_test_node_LDADD)
EXTRA_tests_unit_burst_buffer_node_test_early_DEPENDENCIES = sluice-stage-out$(EXEEXT)
tests_unit_burst_buffer_node_test_twice_SOURCES = tests/unit/burst_buffer/node/test_twice.c \
	$(node_test_transitions)
tests_unit_burst_buffer_node_test_twice_LDFLAGS =
tests_unit_burst_buffer_node_test_twice_LDADD = libtesthost.a $(tests_unit_burst_buffer_node_test_node_LDADD) \
	libsluice.la
tests_unit_burst_buffer_node_test_probe_slurm_LDADD = $(libsluverbs) $(CHECK_LIBS)
node_test_verbs = tests/unit/burst_buffer/node/node_verbs.h $(sluiced_whole)
tests_unit_burst_buffer_node_test_node_verbs_SOURCES = tests/unit/burst_buffer/node/test_node_verbs.c \
	$(node_test_verbs)
tests_unit_burst_buffer_node_test_node_verbs_LDADD = $(libsluverbs) $(libsluiced) $(CHECK_LIBS)
tests_unit_burst_buffer_node_test_node_status_SOURCES = tests/unit/burst_buffer/node/test_node_status.c \
	$(node_test_verbs)
tests_unit_burst_buffer_node_test_node_status_LDADD = $(tests_unit_burst_buffer_node_test_node_verbs_LDADD)
tests_unit_burst_buffer_node_test_node_probe_SOURCES = tests/unit/burst_buffer/node/test_node_probe.c \
	$(node_test_verbs)
tests_unit_burst_buffer_node_test_node_probe_LDADD = $(tests_unit_burst_buffer_node_test_node_verbs_LDADD)
EXTRA_DIST += tests/fixtures/slurm
noinst_HEADERS += tests/unit/burst_buffer/node/root.h

check_PROGRAMS += tests/fuzz/fuzz_manifest tests/fuzz/fuzz_gkfs_line \
	tests/fuzz/fuzz_cache_record
TESTS += tests/fuzz/fuzz_manifest tests/fuzz/fuzz_gkfs_line \
	tests/fuzz/fuzz_cache_record
tests_fuzz_fuzz_cache_record_SOURCES = tests/fuzz/fuzz_cache_record.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_cache_record_LDADD = $(libslunode) $(libslunet)
tests_fuzz_fuzz_gkfs_line_SOURCES = tests/fuzz/fuzz_gkfs_line.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_gkfs_line_LDADD = $(libslunode)
EXTRA_DIST += tests/fuzz/corpus/gkfs_line
tests_fuzz_fuzz_manifest_SOURCES = tests/fuzz/fuzz_manifest.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_manifest_LDADD = $(libslunode)
EXTRA_DIST += tests/fuzz/corpus/manifest tests/fuzz/corpus/cache_record
endif
