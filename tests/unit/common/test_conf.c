/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of sluice.conf: defaults, every key, file systems, pools,
 * errors, and where the file is found. */
#include "config.h"
#include "tests/unit/common/conf_text.h"
#include "tests/unit/tmpdir.h"
#include "common/conf_fs.h"
#include "common/str.h"

START_TEST(test_defaults)
{
	struct slu_conf *c = parse("");

	ck_assert_str_eq(c->database, "/var/lib/sluice/sluice.db");
	ck_assert_str_eq(c->daemon_addr[0], "localhost:6821");
	ck_assert_ptr_null(c->daemon_addr[1]);
	ck_assert_str_eq(c->control_socket, "/run/sluiced/control.sock");
	ck_assert_str_eq(c->slurm_user, "slurm");
	ck_assert(c->n_fs == 0 && !slu_conf_fs(c, NULL));
	ck_assert_str_eq(c->node_storage, "auto");
	ck_assert_int_eq(c->node_devices, SLU_DEVICES_BEST);
	ck_assert_str_eq(c->run_dir, "/run/sluice");
	ck_assert(!c->allow_users && !c->deny_users && !c->max_capacity);
	ck_assert_int_eq(c->setup_timeout, 120);
	ck_assert_int_eq(c->stage_in_timeout, 1800);
	ck_assert_int_eq(c->stage_out_timeout, 1800);
	ck_assert_int_eq(c->teardown_timeout, 300);
	ck_assert_int_eq(c->max_give_back, 3600);
	ck_assert_int_eq(c->keep_failed, 48 * 3600);
	ck_assert_int_eq(c->held_for, 24 * 3600);
	ck_assert_int_eq(c->on_setup, SLU_REQUEUE);
	ck_assert_int_eq(c->on_stage_in, SLU_HOLD);
	ck_assert_int_eq(c->on_server_loss, SLU_FAIL);
	ck_assert_int_eq(c->on_stage_out, SLU_FAIL);
	ck_assert_int_eq(c->predict_mode, SLU_PREDICT_ADVISE);
	ck_assert_double_eq(c->predict_quantile, 0.75);
	ck_assert_int_eq(c->predict_floor, 300);
	ck_assert_double_eq(c->placement_alpha, 0.5);
	ck_assert_double_eq(c->placement_beta, 0.5);
	ck_assert_int_eq(c->placement_cost, SLU_PLACEMENT_CONVEX);
	ck_assert_uint_eq(c->data_on_mdt, 0);
	ck_assert(c->wide_striping);
	ck_assert(c->io_nodes.n == 0 && c->max_ions_per_job == 8);
	ck_assert(c->direct_access && c->ion_policy == SLU_ION_MCKP);
	ck_assert(!c->mapping_dir && c->mapping_timeout == 5);
	slu_conf_free(c);
	slu_conf_free(NULL);
}
END_TEST

START_TEST(test_every_key)
{
	struct slu_conf *c = parse("database=/d\r\n"
				   "DAEMONADDR = a, [::1]:70 ,b:1\n"
				   "ControlSocket=/s # a comment\n"
				   "SlurmUser=me\nNodeStorage=/local disk\n"
				   "NodeDevices=Each\n"
				   "RunDir=/r\nAllowUsers=a, b\nDenyUsers=c\n"
				   "MaxCapacity=2TiB\nSetupTimeout=1\n"
				   "StageInTimeout=2m\nStageOutTimeout=3h\n"
				   "TeardownTimeout=4d\nMaxGiveBack=0\n"
				   "KeepFailed=90m\nOnSetupFailure=HOLD\n"
				   "OnStageInFailure=fail\n"
				   "OnServerLoss=leave\n"
				   "OnStageOutFailure=requeue\n"
				   "PredictMode=Fill\nPredictQuantile=0.99\n"
				   "PredictFloor=0\nIONodes=io[1-3]\n"
				   "MaxIONodesPerJob=2\nDirectAccess=no\n"
				   "MinIONodesPerJob=1\nMaxIONodesPerUser=9\n"
				   "MaxIONodesPerAccount=12\n"
				   "IONodeWeightQOS=high:2,low:0.5\n"
				   "IONodeWeightAccount=a-b.c:1e1\n"
				   "ArbiterPolicy=static\nMappingDir=/m\n"
				   "MappingTimeout=00:30\n"
				   "PlacementAlpha=1\nPlacementBeta=0\n"
				   "PlacementCost=linear-raw\n"
				   "DataOnMdt=64KiB\n"
				   "WideStriping=no\n");

	ck_assert_str_eq(c->database, "/d");
	ck_assert_str_eq(c->daemon_addr[0], "a:6821");
	ck_assert_str_eq(c->daemon_addr[1], "[::1]:70");
	ck_assert_str_eq(c->daemon_addr[2], "b:1");
	ck_assert_str_eq(c->control_socket, "/s");
	ck_assert_str_eq(c->slurm_user, "me");
	ck_assert_str_eq(c->node_storage, "/local disk");
	ck_assert_int_eq(c->node_devices, SLU_DEVICES_EACH);
	ck_assert_str_eq(c->run_dir, "/r");
	ck_assert_str_eq(c->allow_users[1], "b");
	ck_assert_str_eq(c->deny_users[0], "c");
	ck_assert_uint_eq(c->max_capacity, (uint64_t)2 << 40);
	ck_assert_int_eq(c->setup_timeout, 1);
	ck_assert_int_eq(c->stage_in_timeout, 120);
	ck_assert_int_eq(c->stage_out_timeout, 10800);
	ck_assert_int_eq(c->teardown_timeout, 345600);
	ck_assert_int_eq(c->max_give_back, 0);
	ck_assert_int_eq(c->keep_failed, 5400);
	ck_assert_int_eq(c->on_setup, SLU_HOLD);
	ck_assert_int_eq(c->on_stage_in, SLU_FAIL);
	ck_assert_int_eq(c->on_server_loss, SLU_COMPLETE);
	ck_assert_int_eq(c->on_stage_out, SLU_REQUEUE);
	ck_assert_int_eq(c->predict_mode, SLU_PREDICT_FILL);
	ck_assert_double_eq(c->predict_quantile, 0.99);
	ck_assert_int_eq(c->predict_floor, 0);
	ck_assert_str_eq(c->io_nodes.name[2], "io3");
	ck_assert_uint_eq(c->max_ions_per_job, 2);
	ck_assert_uint_eq(c->min_ions_per_job, 1);
	ck_assert_uint_eq(c->max_ions_per_user, 9);
	ck_assert_uint_eq(c->max_ions_per_account, 12);
	ck_assert_double_eq(slu_weight_of(&c->ion_qos_weights, "low"), 0.5);
	ck_assert_double_eq(slu_weight_of(&c->ion_qos_weights, "lo"), 1);
	ck_assert_double_eq(slu_weight_of(&c->ion_qos_weights, NULL), 1);
	ck_assert_double_eq(slu_weight_of(&c->ion_account_weights, "a-b.c"),
			    10);
	ck_assert(!c->direct_access && c->ion_policy == SLU_ION_STATIC);
	ck_assert_str_eq(c->mapping_dir, "/m");
	ck_assert_int_eq(c->mapping_timeout, 30);
	ck_assert_double_eq(c->placement_alpha, 1);
	ck_assert_double_eq(c->placement_beta, 0);
	ck_assert_int_eq(c->placement_cost, SLU_PLACEMENT_RAW);
	ck_assert_uint_eq(c->data_on_mdt, 65536);
	ck_assert(!c->wide_striping);
	slu_conf_free(c);
}
END_TEST

START_TEST(test_mark)
{
	struct slu_conf *c = parse("\xef\xbb\xbf# a comment\nRunDir=/r\n");

	ck_assert_str_eq(c->run_dir, "/r");
	slu_conf_free(c);
	c = parse("\xef\xbb\xbfRunDir=/r\r\n");
	ck_assert_str_eq(c->run_dir, "/r");
	slu_conf_free(c);
}
END_TEST

START_TEST(test_on_failure)
{
	struct slu_conf *c = parse("OnSetupFailure=cancel\n"
				   "OnStageInFailure=Cancel\n"
				   "OnStageOutFailure=complete\n");

	ck_assert_int_eq(c->on_setup, SLU_CANCEL);
	ck_assert_int_eq(c->on_stage_in, SLU_CANCEL);
	ck_assert_int_eq(c->on_stage_out, SLU_COMPLETE);
	slu_conf_free(c);
	c = parse("OnStageOutFailure=FAIL\n");
	ck_assert_int_eq(c->on_stage_out, SLU_FAIL);
	slu_conf_free(c);
}
END_TEST

START_TEST(test_case_of_words)
{
	struct slu_conf *c = parse("HistoryDays=Forever\nJobTotals=SACCT\n");

	ck_assert_int_eq(c->history_age, INT64_MAX);
	ck_assert_str_eq(c->job_totals, "sacct");
	slu_conf_free(c);
	c = parse("JobTotals=OFF\n");
	ck_assert_ptr_null(c->job_totals);
	slu_conf_free(c);
}
END_TEST

START_TEST(test_file_systems)
{
	struct slu_conf *c = parse("FileSystem=a Driver=scratch\n"
				   "FileSystem = g\tDriver=glusterfs "
				   "default=YES servers=2 Path=/a=b\n");
	const struct slu_fs_conf *g = slu_conf_fs(c, "g");

	ck_assert_uint_eq(c->n_fs, 2);
	ck_assert_ptr_eq(slu_conf_fs(c, NULL), g);
	ck_assert_str_eq(slu_conf_fs(c, "a")->driver, "scratch");
	ck_assert_ptr_null(slu_conf_fs(c, "G"));
	ck_assert_str_eq(g->driver, "glusterfs");
	ck_assert_uint_eq(g->n_option, 2);
	ck_assert_str_eq(g->option[0].key, "servers");
	ck_assert_str_eq(slu_fs_option(g, "path", "x"), "/a=b");
	ck_assert_str_eq(slu_fs_option(g, "none", "x"), "x");
	ck_assert_ptr_null(slu_fs_option(g, "driver", NULL));
	slu_conf_free(c);

	c = parse("FileSystem=a Driver=x\nFileSystem=b Driver=x Default=no");
	ck_assert_str_eq(slu_conf_fs(c, NULL)->name, "a");
	slu_conf_free(c);
}
END_TEST

START_TEST(test_profiles)
{
	struct slu_conf *c = parse("Profile=fast capacity=1TiB Type=g\n"
				   "profile = slow nodes=2\n");
	const struct slu_profile_conf *p = slu_conf_profile(c, "fast");

	ck_assert_uint_eq(c->n_profile, 2);
	ck_assert_ptr_null(slu_conf_profile(c, "Fast"));
	ck_assert_uint_eq(p->n_option, 2);
	ck_assert_str_eq(p->option[1].key, "Type");
	ck_assert_str_eq(p->option[1].value, "g");
	ck_assert_str_eq(slu_conf_profile(c, "slow")->option[0].key, "nodes");
	slu_conf_free(c);
}
END_TEST

START_TEST(test_pools)
{
	struct slu_conf *c = parse("Pool=a\n");

	ck_assert_uint_eq(c->n_pool, 1);
	ck_assert_uint_eq(c->pool[0].granularity, 1);
	slu_conf_free(c);
	c = parse("");
	ck_assert_str_eq(c->pool[0].name, "nodes"); /* there is always one */
	slu_conf_free(c);
	c = parse("FileSystem=a Driver=x pool=b\n"
		  "Pool=a Nodes=n[1-3] Granularity=1GiB MaxPerUser=2TiB\n"
		  "Pool=b size=3TiB maxperjob=1TiB AllowUsers=u,v "
		  "DenyUsers=w AllowAccounts=x DenyAccounts=y,z");
	ck_assert_str_eq(c->fs[0].pool, "b");
	ck_assert_uint_eq(c->n_pool, 2);
	ck_assert_uint_eq(c->pool[0].nodes.n, 3);
	ck_assert_uint_eq(c->pool[0].granularity, 1 << 30);
	ck_assert_uint_eq(c->pool[0].max_per_user, (uint64_t)2 << 40);
	ck_assert_uint_eq(c->pool[1].size, (uint64_t)3 << 40);
	ck_assert_uint_eq(c->pool[1].max_per_job, (uint64_t)1 << 40);
	ck_assert_str_eq(c->pool[1].allow_users[1], "v");
	ck_assert_str_eq(c->pool[1].deny_users[0], "w");
	ck_assert_str_eq(c->pool[1].allow_accounts[0], "x");
	ck_assert_str_eq(c->pool[1].deny_accounts[1], "z");
	ck_assert_ptr_eq(slu_conf_pool(c, "b"), &c->pool[1]);
	ck_assert_ptr_null(slu_conf_pool(c, "B"));
	slu_conf_free(c);
}
END_TEST

START_TEST(test_domains)
{
	struct slu_conf *c = parse("FailureDomain=rack1 Servers=oss[1-3]\n"
				   "FailureDomain=rack2 servers=oss4,oss5\n");

	ck_assert_uint_eq(c->n_domain, 2);
	ck_assert_str_eq(slu_conf_domain(c, "oss3"), "rack1");
	ck_assert_str_eq(slu_conf_domain(c, "oss4"), "rack2");
	ck_assert_ptr_null(slu_conf_domain(c, "oss6"));
	slu_conf_free(c);
}
END_TEST

START_TEST(test_io_start)
{
	struct slu_conf *c = parse("");

	ck_assert_int_eq(c->io_start, SLU_IOSTART_OFF);
	ck_assert_uint_eq(c->io[0].bandwidth, 0);
	ck_assert_int_eq(c->max_io_wait, 2 * 86400);
	ck_assert_uint_eq(c->io_scope, SLU_IO_READ | SLU_IO_WRITTEN);
	slu_conf_free(c);
	c = parse("IOStart=On\nIOBandwidth=1.5 GB/s\nIOScope=write\n"
		  "MaxIOWait=12h");
	ck_assert_int_eq(c->io_start, SLU_IOSTART_ON);
	ck_assert_uint_eq(c->io[0].bandwidth, 1500000000);
	ck_assert_uint_eq(c->io_scope, SLU_IO_WRITTEN);
	ck_assert_int_eq(c->max_io_wait, 12 * 3600);
	slu_conf_free(c);
	c = parse("IOStart=advise\nIOBandwidth=200MiB\nMaxIOWait=0");
	ck_assert_int_eq(c->io_start, SLU_IOSTART_ADVISE);
	ck_assert_uint_eq(c->io[0].bandwidth, 200 << 20);
	ck_assert_int_eq(c->max_io_wait, 0);
	slu_conf_free(c);
	c = parse("IOMetadata=200000/s");
	ck_assert_uint_eq(c->io[0].metadata, 200000);
	slu_conf_free(c);
	c = parse("IOStart=on\nIOMetadata=scratch:Auto,home:7");
	ck_assert_uint_eq(c->io[0].metadata, SLU_IO_AUTO);
	ck_assert_uint_eq(c->io[1].metadata, 7);
	slu_conf_free(c);
	c = parse("IOStart=on\nIOBandwidth=Auto\nIOMetadata=7");
	ck_assert_uint_eq(c->io[0].metadata, 7);
	ck_assert_uint_eq(c->io[0].bandwidth, SLU_IO_AUTO);
	slu_conf_free(c);
}
END_TEST

/* Limits of file systems that are named, in the order of their names. */
START_TEST(test_io_by_file_system)
{
	struct slu_conf *c = parse("IOStart=on\nIOBandwidth=9GB/s");

	ck_assert(!slu_conf_names_fs(c) && !slu_conf_counts_metadata(c));
	ck_assert_str_eq(c->io[0].fs, "");
	slu_conf_free(c);
	c = parse("IOStart=on\nIOMetadata=home : 7, proj:8/s\n"
		  "IOBandwidth=scratch:auto, home:20GB/s");
	ck_assert(slu_conf_names_fs(c) && slu_conf_counts_metadata(c));
	ck_assert_str_eq(c->io[0].fs, "home");
	ck_assert_str_eq(c->io[1].fs, "proj");
	ck_assert_str_eq(c->io[2].fs, "scratch");
	ck_assert_uint_eq(c->io[0].bandwidth, 20000000000);
	ck_assert_uint_eq(c->io[0].metadata, 7);
	ck_assert_uint_eq(c->io[1].bandwidth, 0);
	ck_assert_uint_eq(c->io[1].metadata, 8);
	ck_assert_uint_eq(c->io[2].bandwidth, SLU_IO_AUTO);
	slu_conf_free(c);
	c = parse("IOStart=on\nIOMetadata=5\nIOBandwidth=scratch:1GB");
	ck_assert_str_eq(c->io[0].fs, "");
	ck_assert_uint_eq(c->io[0].metadata, 5);
	ck_assert_str_eq(c->io[1].fs, "scratch");
	ck_assert_uint_eq(c->io[1].bandwidth, 1000000000);
	slu_conf_free(c);
	c = parse("IOStart=on\nIOMetadata=5"); /* bytes do not count */
	ck_assert_uint_eq(c->io[0].bandwidth, 0);
	slu_conf_free(c);
}
END_TEST

START_TEST(test_mover)
{
	static const char *const good[] = {
		"/m %s %d",
		"/m --from=%s/ --to=%d",
		"/m %%s %%%s %%d%d 100%%",
		"/m %s%d",
	};
	struct slu_err err;
	char **none = NULL;

	each(value, good)
	{
		char *text = slu_asprintf("Mover=%s", *value);
		struct slu_conf *c = parse(text);
		struct slu_buf words = {0};

		for (char **w = c->mover; *w; w++)
			slu_buf_printf(&words, "%s%s", words.len ? " " : "",
				       *w);
		ck_assert_str_eq(words.data, *value);
		slu_buf_free(&words);
		free(text);
		slu_conf_free(c);
	}
	expect_fail(slu_conf_read_mover(" ", &none, &err), err, SLU_INVALID,
		    "it names no program");
	ck_assert_ptr_null(none);
}
END_TEST

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, len, file), len);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_load)
{
	const char *path = tmpfile_path("sluice.conf");
	struct slu_conf *conf;
	struct slu_err err = {0};

	ck_assert_ptr_null(slu_conf_load(path, &err));
	expect_err(err, SLU_NOTFOUND, path);
	write_file(path, "", 0);
	ck_assert_ptr_null(slu_conf_load(path, &err));
	expect_err(err, SLU_INVALID, "sluice.conf is empty");
	write_file(path, "# \n", 3);
	conf = slu_conf_load(path, &err);
	ck_assert_ptr_nonnull(conf);
	slu_conf_free(conf);
	write_file(path, "RunDir=/r\n", 10);
	conf = slu_conf_load(path, &err);
	ck_assert_str_eq(conf->run_dir, "/r");
	slu_conf_free(conf);
	write_file(path, "RunDir=/r\0Foo=bar", 17);
	ck_assert_ptr_null(slu_conf_load(path, &err));
	expect_err(err, SLU_INVALID, "is not a text file");
	write_file(path, "\nFoo=bar", 8);
	ck_assert_ptr_null(slu_conf_load(path, &err));
	expect_err(err, SLU_INVALID, "sluice.conf:2: unknown key Foo");
}
END_TEST

/* Where no other is, the site's is. */
static const char *or_site(const char *beside)
{
	static const char site[] = SLU_SLURM_CONFDIR "/sluice.conf";

	return access(site, F_OK) ? beside : site;
}

START_TEST(test_path)
{
	static const struct {
		const char *own, *slurm, *want, *slurm_conf;
	} cases[] = {
		{"/a/b", "/c/slurm.conf", "/a/b", "/c/slurm.conf"},
		{"/a/b", NULL, "/a/b", "/a/slurm.conf"},
		{"b", "", "b", "slurm.conf"},
		{NULL, "/c/d/slurm.conf", "/c/d/sluice.conf",
		 "/c/d/slurm.conf"},
		{"", "/slurm.conf", "/sluice.conf", "/slurm.conf"},
		{NULL, "slurm.conf", "/etc/slurm/sluice.conf", "slurm.conf"},
		{NULL, NULL, "/etc/slurm/sluice.conf", "/etc/slurm/slurm.conf"},
	};

	each(c, cases)
	{
		char *path;

		unsetenv("SLUICE_CONF");
		unsetenv("SLURM_CONF");
		if (c->own)
			setenv("SLUICE_CONF", c->own, 1);
		if (c->slurm)
			setenv("SLURM_CONF", c->slurm, 1);
		path = slu_conf_path();
		ck_assert_str_eq(path, c->own && *c->own ? c->want
							 : or_site(c->want));
		free(path);
		path = slu_conf_slurm_path();
		ck_assert_str_eq(path, c->slurm_conf);
		free(path);
	}
}
END_TEST

/* slurmd's prolog names a slurm.conf of its own. */
START_TEST(test_path_beside)
{
	char *path;

	unsetenv("SLUICE_CONF");
	setenv("SLURM_CONF", tmpfile_path("slurm.conf"), 1);
	write_file(tmpfile_path("sluice.conf"), "", 0);
	path = slu_conf_path();
	ck_assert_str_eq(path, tmpfile_path("sluice.conf"));
	free(path);
	unlink(tmpfile_path("sluice.conf"));
	path = slu_conf_path();
	ck_assert_str_eq(path, or_site(tmpfile_path("sluice.conf")));
	free(path);
}
END_TEST

TEST_MAIN("conf", test_defaults, test_every_key, test_mark, test_on_failure,
	  test_case_of_words, test_file_systems, test_profiles, test_pools,
	  test_domains, test_io_start, test_io_by_file_system, test_mover,
	  test_load, test_path, test_path_beside)
