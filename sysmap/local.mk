# SPDX-License-Identifier: GPL-2.0-or-later
# What Lustre's servers count, for all who read it.
noinst_LIBRARIES += libslulustre.a
libslulustre_a_SOURCES = \
	sysmap/lustre/counters.c sysmap/lustre/counters.h \
	sysmap/lustre/jobstats.c sysmap/lustre/jobstats.h
libslulustre = libslulustre.a $(libslucommon)

noinst_LIBRARIES += libslusysmap.a
libslusysmap_a_SOURCES = \
	sysmap/device_models.c sysmap/device_models.h \
	sysmap/extract.c sysmap/extract.h \
	sysmap/extractors.c \
	sysmap/model.c sysmap/model.h \
	sysmap/measure_storage.c sysmap/measure_storage.h \
	sysmap/output.c sysmap/output.h \
	sysmap/output_tree.c sysmap/output_tree.h \
	sysmap/root.c sysmap/root.h \
	sysmap/topology.c sysmap/topology.h \
	sysmap/topology.h \
	sysmap/database/map_documents.c sysmap/database/map_documents.h \
	sysmap/database/known_documents.c sysmap/database/known_documents.h \
	sysmap/database/receive.c sysmap/database/receive.h \
	sysmap/database/receive_body.c \
	sysmap/database/server_numa.c sysmap/database/server_numa.h \
	sysmap/database/planner_storage.c sysmap/database/planner_storage.h \
	sysmap/database/storage_explain.c \
	sysmap/database/storage_rank.c sysmap/database/storage_rank.h \
	sysmap/database/topology_sources.c \
	sysmap/hwloc/apart.c \
	sysmap/hwloc/hwloc_devices.c \
	sysmap/hwloc/hwloc.c sysmap/hwloc/hwloc.h \
	sysmap/hwloc/load.h \
	sysmap/infiniband/ib_documents.c \
	sysmap/infiniband/fabric.c sysmap/infiniband/fabric.h \
	sysmap/infiniband/sources.c sysmap/infiniband/sources.h \
	sysmap/infiniband/ib_topology.c \
	sysmap/linux/storage/block.c \
	sysmap/linux/kernel/kconfig.c sysmap/linux/kernel/kconfig.h \
	sysmap/linux/cpu/cpu.c \
	sysmap/linux/cpu/dimms.c \
	sysmap/linux/storage/filesystems.c \
	sysmap/linux/storage/health.c sysmap/linux/storage/health.h \
	sysmap/linux/kernel/kernel.c \
	sysmap/linux/linux.h \
	sysmap/linux/kernel/machine.c \
	sysmap/linux/cpu/memory.c \
	sysmap/linux/kernel/modules.c \
	sysmap/linux/storage/mounts.c sysmap/linux/storage/mounts.h \
	sysmap/linux/network.c \
	sysmap/linux/cpu/numa.c \
	sysmap/linux/storage/nvme.c \
	sysmap/linux/pci.c sysmap/linux/pci.h \
	sysmap/linux/pcidevices.c \
	sysmap/linux/pcinames.c sysmap/linux/pcinames.h \
	sysmap/linux/procs.c sysmap/linux/procs.h \
	sysmap/linux/storage/queues.c \
	sysmap/linux/cpu/smbios.c sysmap/linux/cpu/smbios.h \
	sysmap/lustre/lustre.h \
	sysmap/lustre/lustre_mounts.c \
	sysmap/lustre/stats.c \
	sysmap/lustre/targets.c
libslusysmap = libslusysmap.a $(libslulustre) $(libslustore) $(libsluwire) \
	$(GCRYPT_LIBS) $(HWLOC_LIBS) $(ZLIB_LIBS)

# Apart, because it needs the network.
noinst_LIBRARIES += libslupush.a
libslupush_a_SOURCES = sysmap/push.c sysmap/push.h
libslupush = libslupush.a $(libslunet) $(libslusysmap)

dist_man_MANS += man/sysmap.1
bin_PROGRAMS += sysmap/sysmap
sysmap_sysmap_SOURCES = sysmap/main.c $(command_words)
sysmap_sysmap_LDADD = $(libslupush)

EXTRA_DIST += tests/fixtures/machines/fat.tree \
	tests/fixtures/machines/fat.expected \
	tests/fuzz/corpus/proc tests/fuzz/corpus/receive \
	tests/fuzz/corpus/fabric
noinst_HEADERS += tests/unit/sysmap/machine.h tests/unit/sysmap/data.h
dist_check_SCRIPTS += tests/unit/sysmap/test_sysmap.sh
TESTS += tests/unit/sysmap/test_sysmap.sh

sysmap_fuzz = tests/fuzz/fuzz_proc tests/fuzz/fuzz_receive \
	tests/fuzz/fuzz_fabric
check_PROGRAMS += $(sysmap_fuzz)
TESTS += $(sysmap_fuzz)
tests_fuzz_fuzz_proc_SOURCES = tests/fuzz/fuzz_proc.c tests/fuzz/replay.c
tests_fuzz_fuzz_proc_LDADD = $(libslusysmap)
tests_fuzz_fuzz_fabric_SOURCES = tests/fuzz/fuzz_fabric.c tests/fuzz/replay.c
tests_fuzz_fuzz_fabric_LDADD = $(libslusysmap)
tests_fuzz_fuzz_receive_SOURCES = tests/fuzz/fuzz_receive.c \
	tests/fuzz/replay.c
tests_fuzz_fuzz_receive_LDADD = $(libslusysmap)

if HAVE_CHECK
sysmap_tests = tests/unit/sysmap/test_root tests/unit/sysmap/test_mounts \
	tests/unit/sysmap/test_procs tests/unit/sysmap/test_extract \
	tests/unit/sysmap/test_recorded tests/unit/sysmap/test_receive \
	tests/unit/sysmap/test_receive_bodies \
	tests/unit/sysmap/test_node_storage tests/unit/sysmap/test_push \
	tests/unit/sysmap/test_output tests/unit/sysmap/test_http_site \
	tests/unit/sysmap/test_fabric tests/unit/sysmap/test_topology \
	tests/unit/sysmap/test_hostile tests/unit/sysmap/test_devices \
	tests/unit/sysmap/test_measure tests/unit/sysmap/test_numa \
	tests/unit/sysmap/test_lustre_files tests/unit/sysmap/test_lustre_stats
check_PROGRAMS += $(sysmap_tests)
TESTS += $(sysmap_tests)
sysmap_test_libs = $(libslusysmap) $(CHECK_LIBS)
tests_unit_sysmap_test_root_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_numa_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_mounts_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_procs_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_extract_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_recorded_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_measure_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_fabric_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_topology_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_hostile_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_devices_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_lustre_files_LDADD = $(libsluost) $(libslutbf) \
	$(sysmap_test_libs)
tests_unit_sysmap_test_lustre_stats_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_push_LDADD = $(libslupush) $(CHECK_LIBS)
tests_unit_sysmap_test_output_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_http_site_LDADD = $(libslunet) $(CHECK_LIBS)
tests_unit_sysmap_test_receive_LDADD = $(sysmap_test_libs)
tests_unit_sysmap_test_receive_bodies_LDADD = $(sysmap_test_libs)
noinst_HEADERS += tests/unit/sysmap/receiver.h
tests_unit_sysmap_test_node_storage_LDADD = $(sysmap_test_libs)
endif
