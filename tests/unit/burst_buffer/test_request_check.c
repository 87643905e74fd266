/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the check of requests against the site: only what the request leaves
 * open is filled in. */
#include "config.h"
#include "tests/unit/burst_buffer/request_site.h"

#define FS \
	"FileSystem=tmp Driver=scratch Default=yes\nFileSystem=glu Driver=glusterfs"

static const struct {
	const char *conf, *want;
} sites[] = {
	{"FileSystem=a Driver=scrach",
	 "f:4: FileSystem a: there is no driver scrach; did you mean "
	 "scratch"},
	{"FileSystem=a Driver=GlusterFS Shard=4M ports=1-2", NULL},
	{"FileSystem=a Driver=glusterfs shard=1KiB",
	 "shard=1KiB is not auto or a size from 4MiB to 4TiB"},
	{"FileSystem=a Driver=glusterfs ports=5",
	 "ports=5 is not a range of ports, as 20000-29999"},
	{"FileSystem=a Driver=glusterfs ports=9-2", "ports=9-2 is not"},
	{"FileSystem=a Driver=glusterfs ports=1-65536", "ports=1-65536 is not"},
	{"FileSystem=a Driver=glusterfs threads=64", NULL},
	{"FileSystem=a Driver=glusterfs threads=0",
	 "threads=0 is not a number from 1 to 64"},
	{"FileSystem=a Driver=glusterfs threads=65", "threads=65 is not"},
	{"FileSystem=a Driver=glusterfs shart=1M",
	 "FileSystem a: driver glusterfs has no option shart; did you "
	 "mean shard"},
	{"FileSystem=a Driver=glusterfs shard=auto", NULL},
	{"FileSystem=a Driver=glusterfs coherence=private", NULL},
	{"FileSystem=a Driver=glusterfs coherence=strict", NULL},
	{"FileSystem=a Driver=glusterfs coherence=full",
	 "coherence=full is not private, shared or strict"},
	{"FileSystem=a Driver=glusterfs client_library=here",
	 "client_library=here is not an absolute path"},
	{"FileSystem=a Driver=scratch coherence=private",
	 "driver scratch has no option coherence"},
	{"FileSystem=g Driver=gekkofs Unauthenticated=accept client=fuse",
	 "driver gekkofs has no option client: programs reach it by its "
	 "library only"},
	{"FileSystem=a Driver=beeond chunk=auto", NULL},
	{"FileSystem=a Driver=beeond chunk=64KiB", NULL},
	{"FileSystem=a Driver=beeond chunk=2GiB", NULL},
	{"FileSystem=a Driver=beeond chunk=32KiB", "from 64KiB"},
	{"FileSystem=a Driver=beeond chunk=1MB", "a power of two"},
	{"FileSystem=a Driver=beeond chunk=4GiB", "to 2GiB"},
	{"FileSystem=a Driver=beeond meta=0", "meta=0 is not a number"},
	{"FileSystem=a Driver=beeond meta=2 remote=PDSH", NULL},
	{"FileSystem=a Driver=beeond remote=rsh",
	 "remote=rsh is not ssh or pdsh"},
	{"FileSystem=a Driver=beeond server=bin/beeond",
	 "server=bin/beeond is not an absolute path, nor a name"},
	{"FileSystem=a Driver=beeond config=etc",
	 "config=etc is not an absolute path"},
	{"FileSystem=a Driver=glusterfs server=glusterfsd", NULL},
	{"FileSystem=a Driver=glusterfs client=./glusterfs",
	 "client=./glusterfs is not an absolute path"},
	{"FileSystem=a Driver=glusterfs shard=lots", "FileSystem a: shard"},
	{SITE "Profile=p stripe_size=1Q", "Profile p: stripe_size"},
	{"FileSystem=g Driver=gekkofs",
	 "FileSystem g: GekkoFS does not authenticate its users"},
	{"FileSystem=g Driver=gekkofs Unauthenticated=no",
	 "say Unauthenticated=accept"},
	{"FileSystem=g Driver=gekkofs unauthenticated=ACCEPT "
	 "daemons=2 preload=ALL",
	 NULL},
	{"FileSystem=g Driver=gekkofs unauthenticated=accept "
	 "daemons=5",
	 "daemons=5 is not a number from 1 to 4"},
	{"FileSystem=g Driver=gekkofs unauthenticated=accept "
	 "preload=batch",
	 "preload=batch is not steps or all"},
	{"FileSystem=g Driver=gekkofs unauthenticated=accept "
	 "library=libgkfs.so",
	 "library=libgkfs.so is not an absolute path"},
	{"FileSystem=s Driver=scratch storage=/fast\n"
	 "Profile=p storage=/slow",
	 NULL},
	{"FileSystem=s Driver=scratch storage=fast",
	 "storage=fast is not an absolute path"},
	{SITE "Profile=p storage=/a/../b", "not an absolute path"},
	{"FileSystem=l Driver=lustre root=/l storage=/x",
	 "has no option storage"},
	{"FileSystem=l Driver=lustre", "driver lustre needs root="},
	{"FileSystem=l Driver=lustre root=l", "root=l is not an absolute path"},
	{"FileSystem=l Driver=lustre root=/l stripe_count=4 "
	 "ost_pool=flash",
	 NULL},
	{"FileSystem=l Driver=lustre root=/l stripe_count=-1 "
	 "stripe_size=1MiB layout=Place",
	 NULL},
	{"FileSystem=l Driver=lustre root=/l stripe_count=all",
	 "stripe_count=all is not a number from -1 (all) to 2000"},
	{"FileSystem=l Driver=lustre root=/l stripe_size=1MB",
	 "stripe_size=1MB is not auto or a multiple of 64KiB below 4GiB"},
	{"FileSystem=l Driver=lustre root=/l stripe_size=4GiB",
	 "stripe_size=4GiB is not"},
	{"FileSystem=l Driver=lustre root=/l layout=wide",
	 "layout=wide is not auto, place or none"},
	{SITE "Profile=p type=tmp shard=4MiB",
	 "Profile p: driver scratch has no option shard"},
	{SITE "Profile=p typ=glu",
	 "Profile p: unknown key \"typ\"; did you mean type"},
	{SITE "# empty\nProfile=p type=x",
	 "f:7: Profile p: there is no FileSystem=x"},
	{SITE "Profile=p capacity=much", "Profile p: capacity: "},
	{SITE "Profile=p name=x", "Profile p: unknown key \"name\""},
	{SITE "Profile=p nodes=0", "Profile p: nodes: \"0\""},
	{SHARED "Profile=p coherence=strict",
	 "f:5: Profile p: coherence=strict: this site has no such file system"},
	{SITE "Profile=p coherence=strict", NULL},
	{SHARED LUSTRE "Profile=p coherence=strict type=gek",
	 "Profile p: coherence=strict: gek is shared; type=l would be strict"},
	{SITE "Profile=p type=tmp coherence=shared",
	 "Profile p: coherence=shared: tmp is private; type=glu would be"},
	{SITE "Profile=p type=glu shard=4MiB coherence=shared",
	 "Profile p: shard=4MiB of glu breaks a file that two nodes write"},
	{SITE "Profile=p type=glu shard=4MiB coherence=private", NULL},
	{SITE "Profile=p type=glu shard=4MiB", NULL},
	{PROFILES, NULL},
};

START_TEST(test_site)
{
	struct slu_err err;

	each(c, sites)
	{
		struct slu_conf *conf = site(c->conf);

		if (c->want)
			expect_fail(slu_site_check(conf, "f", &err), err,
				    SLU_INVALID, c->want);
		else
			expect_ok(slu_site_check(conf, "f", &err), err);
		slu_conf_free(conf);
	}
}
END_TEST

static const struct {
	const char *conf, *text, *user, *want; /* NULL: it is fine */
} checks[] = {
	{FS, "", NULL, NULL},
	{FS, "forward max=3", "eve", NULL},
	{FS, "forward pattern=a:1GiB,b,c:2TB", "eve", NULL},
	{FS, "forward pattern=a:1GiB,b:x", "eve", "pattern: size \"x\""},
	{FS, "forward pattern=a:", "eve", "pattern: size"},
	{FS "\nIONodes=n[1-2]", "forward max=none", NULL, NULL},
	{FS "\nDirectAccess=no", "forward max=none", NULL, NULL},
	{FS "\nIOBandwidth=1GB/s", "bandwidth wait=no", NULL, NULL},
	{FS "\nIOBandwidth=1GB/s\nIOStart=on", "bandwidth wait=no", NULL,
	 "every job waits for the parallel file system (IOWaitOptional=no): "
	 "leave wait=no out"},
	{FS "\nIOBandwidth=1GB/s\nIOStart=on\nIOWaitOptional=yes",
	 "bandwidth wait=no", NULL, NULL},
	{FS "\nIONodes=n[1-2]\nDirectAccess=no", "forward", NULL, NULL},
	{FS "\nIONodes=n[1-2]\nDirectAccess=no", "forward max=none", NULL,
	 "leave max=none out"},
	{FS, "capacity=1TiB", "eve", NULL},
	{FS, "capacity=1TiB type=glu", NULL, NULL},
	{FS, "capacity=1025GiB", NULL, "capacity 1TiB is more than the 1TiB"},
	{FS, "capacity=2TiB", NULL, "2TiB is more than the 1TiB"},
	{FS, "capacity=1 type=nfs", NULL,
	 "no file system nfs; type= may be tmp, glu"},
	{"FileSystem=glu Driver=glusterfs", "capacity=1", NULL, NULL},
	{"", "capacity=1", NULL, "none is configured"},
	{FS "\nAllowUsers=ann,bob", "capacity=1", "bob", NULL},
	{FS "\nAllowUsers=ann,bob", "capacity=1", "eve", "user eve may not"},
	{FS "\nDenyUsers=eve", "capacity=1", "eve", "user eve may not"},
	{FS "\nDenyUsers=eve", "capacity=1", "bob", NULL},
	{FS "\nAllowUsers=eve\nDenyUsers=eve", "capacity=1", "eve", "may not"},
	{FS "\nDenyUsers=eve", "forward", "eve", NULL},
	{FS, "stage_in source=/a destination=$BB_JOBFS", NULL, "needs a jobfs"},
#define IN(src, dst) \
	"capacity=1 name=w; stage_in source=" src " destination=" dst
#define OUT(src, dst) \
	"capacity=1 name=w; stage_out source=" src " destination=" dst
	{"FileSystem=l Driver=lustre root=/l", "capacity=1 nodes=2", NULL,
	 "no node gives storage to l"},
	{FS, "capacity=1 nodes=2", NULL, "private to each node"},
	{FS, "capacity=1 nodes=2 type=glu", NULL, NULL},
	{FS, "capacity=1 tolerate=2", NULL, NULL},
	{FS, "capacity=1 tolerate=2 type=glu", NULL, "tolerate=2"},
	{"FileSystem=x Driver=floppy", "capacity=1", NULL,
	 "a driver floppy that is not known"},
	{FS, IN("/a", "$BB_w"), NULL, NULL},
	{FS, IN("/a/%u/%x.%j-%A_%a%%", "$BB_w/b/%j"), NULL, NULL},
	{FS, IN("a", "$BB_w"), NULL, "stage_in: source a: must be an absolute"},
	{FS, IN("/a", "/b"), NULL,
	 "stage_in: destination /b: must be $BB_w[/...]; if it was, the shell "
	 "has replaced it: put --bb in single quotes"},
	{FS, IN("/a", "$BB_JOBFS/b"), NULL, "its file system is $BB_w"},
	{FS, IN("/a", "$BB_ww/b"), NULL, "its file system is $BB_w"},
	{FS, IN("/a", "$BB_"), NULL, "its file system is $BB_w"},
	{FS, IN("/a", "$HOME/b"), NULL, "its file system is $BB_w"},
	{FS, IN("/a", "$BB_w/$BB_w"), NULL, "no variable but the $BB_w at"},
	{FS, IN("/a", "$BB_w/$HOME"), NULL, "$HOME is not known"},
	{FS, IN("/a/$BB_w", "$BB_w"), NULL, "without $"},
	{FS, IN("$BB_w/a", "$BB_w"), NULL, "must be an absolute"},
	{FS, IN("$BB_w/a", "/b"), NULL,
	 "stage_in: source and destination are swapped: it copies into $BB_w"},
	{FS, IN("/a/../b", "$BB_w"), NULL,
	 "stage_in: /a/../b: \"..\" is refused"},
	{FS, IN("/a/..", "$BB_w"), NULL, "\"..\" is refused"},
	{FS, IN("/..", "$BB_w"), NULL, "\"..\" is refused"},
	{FS, IN("/a", "$BB_w/.."), NULL, "\"..\" is refused"},
	{FS, IN("/a..b/...", "$BB_w/..c/d.."), NULL, NULL},
	{FS, IN("/a%", "$BB_w"), NULL, "% stands only before"},
	{FS, IN("/a%n", "$BB_w"), NULL, "% stands only before"},
	{FS, IN("/a", "$BB_w/%t"), NULL, "% stands only before"},
	{FS, IN("/a/list/", "$BB_w type=list"), NULL, "a list is a file"},
	{FS, IN("/a/list", "$BB_w type=list"), NULL, NULL},
	{FS, OUT("$BB_w/o", "/b"), NULL, NULL},
	{FS, OUT("/b", "$BB_w/o"), NULL,
	 "stage_out: source and destination are swapped: it copies out of "
	 "$BB_w"},
	{FS, OUT("/b", "/o"), NULL, "stage_out: source /b: must be $BB_w"},
	{FS, OUT("$BB_w/../x", "/b"), NULL, "\"..\" is refused"},
};

START_TEST(test_rounding_to_granularity)
{
	const struct slu_pool_conf pool = {.granularity = 1000};

	ck_assert_uint_eq(slu_pool_round(&pool, 2000), 2000);
	ck_assert_uint_eq(slu_pool_round(&pool, 2001), 3000);
	ck_assert_uint_eq(slu_pool_round(&pool, INT64_MAX), INT64_MAX);
}
END_TEST

START_TEST(test_requests_against_sites)
{
	struct slu_request req;
	struct slu_err err;

	each(c, checks)
	{
		struct slu_conf *conf = site(c->conf);

		err = (struct slu_err){0};
		req = (struct slu_request){0};
		if (slu_request_parse(c->text, NULL, &req, &err) == 0 &&
		    slu_request_check(&req, conf, c->user, &err) == 0)
			expect(!c->want, "%s|%s passed", c->conf, c->text);
		else
			expect(c->want && strstr(err.text, c->want), "%s: %s",
			       c->text, err.text);
		slu_request_free(&req);
		slu_conf_free(conf);
	}
}
END_TEST

static const struct {
	const char *text, *pool, *storage;
	uint64_t capacity;
	const char *user, *account, *refused;
} pool_cases[] = {
	{"jobfs capacity=1", "small", "/auto", 1000, NULL, NULL, NULL},
	{"jobfs type=big capacity=1MiB", "big", "/hdd", 1 << 20, "ann", "chem",
	 NULL},
	{"jobfs type=big capacity=1048577", "big", "/hdd", 2 << 20, "ann", NULL,
	 "account of this job may not"},
	{"jobfs type=big capacity=1MiB", "big", "/hdd", 1 << 20, "bob", "chem",
	 "user bob may not have storage of pool big"},
	{"jobfs type=big capacity=1MiB", "big", "/hdd", 1 << 20, "", "chem",
	 "user of this job may not"},
	{"jobfs type=big capacity=1GiB", "big", "/hdd", 1 << 30, "ann", "chem",
	 "more than the 500MiB that a job may have of pool big "
	 "(MaxPerJob)"},
	{"jobfs capacity=2000", "small", "/auto", 2000, "eve", "x", "eve"},
	{"jobfs type=far capacity=5", NULL, NULL, 5, "eve", "x", NULL},
	{"jobfs type=near capacity=5", "big", "/hdd", 1 << 20, "ann", "chem",
	 NULL},
	{"forward max=2", NULL, NULL, 0, "eve", "x", NULL},
};

START_TEST(test_pools)
{
	/* names in them are lost without a word, or counted twice */
	static const char *const lists[] = {"a,,b", ",a", "a,", ",", "a,b,a"};
	struct slu_conf *conf = site(
		"NodeStorage=/auto\n"
		"Pool=small Granularity=1KB DenyUsers=eve\n"
		"Pool=big Granularity=1MiB MaxPerJob=500MiB AllowUsers=ann "
		"AllowAccounts=chem,bio\n"
		"FileSystem=tmp Driver=scratch\n"
		"FileSystem=far Driver=lustre root=/l\n"
		"FileSystem=near Driver=lustre root=/l Pool=big\n"
		"FileSystem=big Driver=scratch storage=/hdd Pool=big");
	const struct slu_pool_conf *pool;
	struct slu_request req;
	struct slu_err err;

	expect_ok(slu_site_check(conf, "f", &err), err);
	each(c, pool_cases)
	{
		expect_ok(slu_request_parse(c->text, NULL, &req, &err), err);
		expect_ok(slu_request_resolve(&req, conf, &err), err);
		pool = slu_request_pool(&req, conf);
		expect(c->pool ? pool && !strcmp(pool->name, c->pool) : !pool,
		       "%s", c->text);
		ck_assert_uint_eq(req.capacity, c->capacity);
		if (pool)
			ck_assert_str_eq(slu_pool_storage(conf, pool),
					 c->storage);
		if (c->refused)
			expect_fail(slu_pool_check(&req, conf, c->user,
						   c->account, &err),
				    err, SLU_DENIED, c->refused);
		else
			expect_ok(slu_pool_check(&req, conf, c->user,
						 c->account, &err),
				  err);
		slu_request_free(&req);
	}
	slu_conf_free(conf);
	conf = site("FileSystem=tmp Driver=scratch Pool=nosuch");
	expect_fail(slu_site_check(conf, "f", &err), err, SLU_INVALID,
		    "no Pool=nosuch");
	slu_conf_free(conf);
	each(list, lists)
	{
		char text[200];

		snprintf(text, sizeof(text),
			 "Pool=a Nodes=n1\nPool=b Nodes=n2\n"
			 "FileSystem=tmp Driver=scratch Pool=%s",
			 *list);
		conf = site(text);
		expect_fail(slu_site_check(conf, "f", &err), err, SLU_INVALID,
			    !strcmp(*list, "a,b,a") ? "has a twice"
						    : "a name is missing");
		slu_conf_free(conf);
	}
}
END_TEST

TEST_MAIN("request_check", test_rounding_to_granularity,
	  test_requests_against_sites, test_site, test_pools)
