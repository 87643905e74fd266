# SPDX-License-Identifier: GPL-2.0-or-later
# Measurements: `make bench` builds them; nothing of this is installed.
# bench/latency, bench/hooks, bench/setup, bench/cycle, bench/iostart_campaign, bench/jobfs, bench/devices, bench/replay and bench/stagecache are scripts that need
# root and start private clusters; bench/publisher needs root too.
EXTRA_DIST += bench/README.md bench/arbiter-plots bench/tbf-plots bench/latency bench/hooks bench/setup \
	bench/cycle bench/iostart_campaign bench/coherence bench/coherence_load.py bench/pools bench/page bench/publisher \
	bench/staging_interference bench/stagecache bench/devices bench/jobfs bench/jobfs-plots \
	bench/replay bench/replay_timers.c
bench_programs = bench/predict bench/backfill bench/io bench/arbiter \
	bench/mckp bench/publish bench/staging bench/tbf bench/ost
EXTRA_PROGRAMS = $(bench_programs)
CLEANFILES += $(bench_programs)
bench: $(bench_programs)
.PHONY: bench

bench_programs += bench/resource_map
bench_resource_map_SOURCES = bench/resource_map.c bench/measure.h
bench_resource_map_LDADD = $(libslusysquery)

bench_predict_SOURCES = bench/predict.c bench/predict.h bench/predict_cost.c \
	bench/predict_granted.c bench/predict_replay.c bench/predict_warned.c \
	bench/measure.h bench/rivals.c \
	bench/rivals.h bench/predictor_job.c bench/predictor_job.h bench/swf.c \
	bench/swf.h
bench_predict_LDADD = $(libsluhistory)
bench_backfill_SOURCES = bench/backfill.c bench/easy.c bench/easy.h \
	bench/guides.c bench/guides.h \
	bench/nodes.c bench/nodes.h bench/rivals.c bench/rivals.h \
	bench/predictor_job.c bench/predictor_job.h bench/swf.c bench/swf.h
bench_backfill_LDADD = $(libslupredict)
bench_programs += bench/replay_window
bench_replay_window_SOURCES = bench/replay_window.c bench/log_window.c \
	bench/log_window.h bench/easy.c bench/easy.h \
	bench/guides.c bench/guides.h bench/rivals.c bench/rivals.h \
	bench/predictor_job.c bench/predictor_job.h bench/swf.c bench/swf.h
bench_replay_window_LDADD = $(libslupredict)
bench_programs += bench/backtest
bench_backtest_SOURCES = bench/backtest.c bench/easy.c bench/easy.h \
	bench/guides.c bench/guides.h bench/measure.h \
	bench/rivals.c bench/rivals.h \
	bench/predictor_job.c bench/predictor_job.h bench/swf.c bench/swf.h
bench_backtest_LDADD = $(libsluhistory)
bench_programs += bench/start
bench_start_SOURCES = bench/start.c bench/easy.c bench/easy.h bench/measure.h \
	bench/predictor_job.c bench/predictor_job.h bench/swf.c bench/swf.h
bench_start_LDADD = $(libslupredict)
bench_programs += bench/iostart
bench_iostart_SOURCES = bench/iostart.c bench/iostart.h bench/iostart_mix.c \
	bench/iostart_foretell.c bench/iostart_run.c bench/easy.c bench/easy.h bench/io_runs.c \
	bench/io_runs.h bench/shared_fs.c bench/shared_fs.h \
	bench/predictor_job.c bench/predictor_job.h bench/swf.c bench/swf.h
bench_iostart_LDADD = $(libslubandwidth) $(libslupredict)
bench_programs += bench/iostart_cost
bench_iostart_cost_SOURCES = bench/iostart_cost.c bench/measure.h
bench_iostart_cost_LDADD = $(libsluctl)
bench_io_SOURCES = bench/io.c bench/io_runs.c bench/io_runs.h bench/measure.h
bench_io_LDADD = $(libslupredict)
bench_arbiter_SOURCES = bench/arbiter.c bench/arbiter.h bench/arbiter_paper.c \
	bench/arbiter_month.c bench/arbiter_queue.c bench/arbiter_queue.h \
	bench/arbiter_sets.c bench/arbiter_unknown.c bench/measure.h
bench_arbiter_LDADD = $(libsluion)
bench_mckp_SOURCES = bench/mckp.c bench/mckp_rivals.c bench/mckp_rivals.h \
	bench/measure.h
bench_mckp_LDADD = $(libsluion) $(GLPK_LIBS)
bench_programs += bench/resource_map_node
bench_resource_map_node_SOURCES = bench/resource_map_node.c
bench_staging_SOURCES = bench/staging.c bench/files.c bench/files.h \
	bench/slow_fs.c bench/slow_fs.h \
	bench/measure.h
bench_programs += bench/jobfs_load
bench_jobfs_load_SOURCES = bench/jobfs_load.c bench/measure.h
bench_programs += bench/manifest
bench_manifest_SOURCES = bench/manifest.c bench/measure.h
bench_manifest_LDADD = $(libslunode)
bench_staging_LDADD = $(libslunode)
bench_programs += bench/verify
bench_verify_SOURCES = bench/verify.c bench/files.c bench/files.h \
	bench/slow_fs.c bench/slow_fs.h \
	bench/measure.h
bench_verify_LDADD = $(libslunode)
bench_tbf_SOURCES = bench/tbf.c bench/tbf.h bench/tbf_cost.c bench/tbf_run.c bench/tbf_sim.c \
	bench/tbf_sim.h bench/measure.h $(fake_tbf)
bench_tbf_LDADD = $(libslutbf)
bench_publish_SOURCES = bench/publish.c bench/measure.h
bench_publish_LDADD = $(libsluiced)
bench_programs += bench/placements
bench_placements_SOURCES = bench/placements.c bench/measure.h
bench_placements_LDADD = $(libsluost)
bench_ost_SOURCES = bench/ost.c bench/ost.h bench/ost_rivals.c bench/ost_windows.c bench/ost_windows.h bench/ost_allocators.c \
	bench/ost_sim.c bench/ost_sim.h bench/ost_time.c \
	bench/measure.h
bench_ost_LDADD = $(libsluost)
bench_programs += bench/stripe
bench_stripe_SOURCES = bench/stripe.c bench/stripe_sim.c bench/stripe_sim.h \
	bench/stripe_special.c bench/stripe_special.h
bench_stripe_LDADD = $(libslustripe)
# Its rival, where liblemon-dev is installed: make bench/ost-lemon
EXTRA_DIST += bench/ost_lemon.cc
bench/ost-lemon: bench/ost_lemon.cc
	$(AM_V_GEN)g++ -O2 -o $@ $(srcdir)/bench/ost_lemon.cc
CLEANFILES += bench/ost-lemon
if WITH_SLURM
bench_programs += bench/submit
bench_submit_SOURCES = bench/submit.c
bench_submit_CPPFLAGS = -isystem $(SLURM_PREFIX)/include
bench_submit_LDADD = -L$(SLURM_PREFIX)/lib -lslurm
endif
bench_programs += bench/barrier
bench_barrier_SOURCES = bench/barrier.c $(sluiced_whole) bench/measure.h
bench_barrier_LDADD = $(libsluiced) $(CHECK_LIBS)
