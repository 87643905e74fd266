/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests what a site fills in of a request: profiles, defaults, pools, drivers.
 */
#include "config.h"
#include "tests/unit/burst_buffer/request_site.h"

static char *resolved(const char *text, const struct slu_conf *conf,
		      struct slu_err *err)
{
	struct slu_request req;
	char *out = NULL;

	expect_ok(slu_request_parse(strncmp(text, "#DW", 3) ? text : NULL,
				    strncmp(text, "#DW", 3) ? NULL : text, &req,
				    err),
		  *err);
	if (slu_request_resolve(&req, conf, err) == 0 &&
	    slu_request_check(&req, conf, NULL, err) == 0)
		out = slu_request_text(&req);
	slu_request_free(&req);
	return out;
}

#define TIERED                                                            \
	PERSIST "Pool=f Tier=flash\nPool=d Tier=disk Granularity=2048\n"  \
		"FileSystem=g Driver=glusterfs\nProfile=slow tier=disk\n" \
		"Profile=p storage=/there\n"

/* What the request leaves open is filled in, and nothing else. */
static const struct {
	const char *conf, *text, *want; /* text, or words of an error */
} resolutions[] = {
	{PROFILES, "jobfs profile=fast",
	 "jobfs type=glu capacity=2147483648 nodes=2 coherence=private "
	 "profile=fast"},
	{PROFILES, "jobfs profile=fast nodes=all capacity=1K",
	 "jobfs type=glu capacity=1024 nodes=all coherence=private "
	 "profile=fast"},
	{PROFILES, "jobfs profile=safe capacity=1K",
	 "jobfs capacity=1024 tolerate=1 profile=safe"},
	{PROFILES, "jobfs profile=safe capacity=1K tolerate=0 type=glu",
	 "jobfs type=glu capacity=1024 tolerate=0 profile=safe"},
	{PROFILES, "jobfs profile=safe",
	 "capacity= is missing, and profile safe has none"},
	{PROFILES, "jobfs profile=slow",
	 "no profile slow; there are fast, safe"},
	{SITE, "jobfs profile=slow", "none is configured"},
	{PROFILES, "jobfs profile=fast type=tmp",
	 "nodes=2: tmp is private to each node"},
	{PROFILES, "jobfs profile=safe capacity=1K type=glu",
	 "tolerate=1: with a node of glu"},
	{PROFILES, "jobfs type=glu capacity=1K split=switch",
	 "jobfs type=glu capacity=1024 split=switch"},
	{SITE "Profile=sw split=switch",
	 "jobfs type=glu profile=sw capacity=1K",
	 "jobfs type=glu capacity=1024 split=switch profile=sw"},
	{SITE "Profile=sw split=switch",
	 "jobfs type=tmp profile=sw capacity=1K split=no",
	 "jobfs type=tmp capacity=1024 split=no profile=sw"},
	{SITE, "jobfs type=tmp capacity=1K split=switch",
	 "split=switch: tmp is private to each node"},
	{SITE "FileSystem=l Driver=lustre root=/l",
	 "jobfs type=l capacity=1K split=switch",
	 "split=switch: l does not lie on the job's nodes"},
	{SITE "Profile=f bind=far", "jobfs type=glu profile=f capacity=1K",
	 "jobfs type=glu capacity=1024 bind=far profile=f"},
	{SITE, "jobfs type=tmp capacity=1K bind=far",
	 "bind=far: tmp starts no server of its own"},
	{SITE, "jobfs type=tmp capacity=1K bind=none",
	 "jobfs type=tmp capacity=1024 bind=none"},
	{SITE, "jobfs type=glu capacity=1K split=switch nodes=2",
	 "every node gives storage, nodes=2 cannot be"},
	{SITE, "#DW jobdw capacity=1K",
	 "jobfs type=glu capacity=1024 dw=striped"},
	{SITE, "#DW jobdw capacity=1K access_mode=striped,private",
	 "jobfs type=glu capacity=1024 dw=both"},
	{SITE, "#DW jobdw capacity=1K access_mode=striped,private type=tmp",
	 "access_mode=striped: tmp is private to each node"},
	{"FileSystem=k Driver=gekkofs unauthenticated=accept\n" SITE,
	 "#DW jobdw capacity=1K access_mode=striped,private",
	 "jobfs type=glu capacity=1024 dw=both"},
	{"FileSystem=k Driver=gekkofs unauthenticated=accept",
	 "#DW jobdw capacity=1K access_mode=striped,private type=k",
	 "access_mode=striped,private: k is reached by a library"},
	{SITE, "#DW jobdw capacity=1K access_mode=private",
	 "jobfs type=tmp capacity=1024 dw=private"},
	{SITE, "#DW jobdw capacity=1K access_mode=private type=glu",
	 "line 1: jobdw: access_mode=private: glu is shared"},
	{SITE, "jobfs capacity=1K coherence=private",
	 "jobfs type=tmp capacity=1024 coherence=private"},
	{SITE, "jobfs capacity=1K coherence=shared",
	 "jobfs type=glu capacity=1024 coherence=shared"},
	{SITE, "jobfs capacity=1K coherence=strict",
	 "jobfs type=glu capacity=1024 coherence=strict"},
	{SHARED, "jobfs capacity=1K coherence=strict",
	 "coherence=strict: this site has no such file system"},
	{SITE, "jobfs type=glu capacity=1K coherence=private",
	 "jobfs type=glu capacity=1024 coherence=private"},
	{SHARED, "jobfs type=gek capacity=1K coherence=strict",
	 "coherence=strict: gek is shared, and no file system here gives more"},
	{SITE, "jobfs type=tmp capacity=1K coherence=shared",
	 "coherence=shared: tmp is private; type=glu would be strict"},
	{SHARED LUSTRE, "jobfs type=gek capacity=1K coherence=strict",
	 "type=l would be strict"},
	{SHARED LUSTRE, "jobfs capacity=1K coherence=strict",
	 "jobfs type=l capacity=1024 coherence=strict"},
	{"FileSystem=g Driver=glusterfs coherence=private",
	 "jobfs capacity=1K coherence=strict",
	 "jobfs type=g capacity=1024 coherence=strict"},
	{SITE "Profile=p coherence=shared", "jobfs profile=p capacity=1K",
	 "jobfs type=glu capacity=1024 coherence=shared profile=p"},
	{SITE "Profile=p coherence=shared",
	 "jobfs profile=p capacity=1K coherence=private",
	 "jobfs type=tmp capacity=1024 coherence=private profile=p"},
	{SITE "Profile=p shard=4MiB type=glu", "jobfs profile=p capacity=1K",
	 "shard=4MiB of glu breaks a file that two nodes write"},
	{"FileSystem=g Driver=glusterfs shard=4MiB", "jobfs capacity=1K",
	 "say coherence=private"},
	{"FileSystem=g Driver=glusterfs shard=4MiB coherence=private",
	 "jobfs capacity=1K", "jobfs capacity=1024"},
	{"FileSystem=g Driver=glusterfs shard=4MiB coherence=private",
	 "jobfs capacity=1K coherence=shared", "say coherence=private"},
	{SITE, "capacity=1K access=striped type=scratch",
	 "jobfs type=glu capacity=1024 dw=striped"},
	{SITE, "capacity=1K access=private type=scratch",
	 "jobfs type=tmp capacity=1024 dw=private"},
	{SITE, "capacity=1K type=scratch", "there is no file system scratch"},
	/* of DWS: the type says how it is reached */
	{SITE,
	 "#DW jobdw type=tmp capacity=1K name=x\n"
	 "#DW copy_in source=/a destination=$DW_JOB_x/b",
	 "jobfs type=tmp capacity=1024 name=x dw=private; "
	 "stage_in source=/a destination=$BB_x/b"},
	{SITE,
	 "#DW jobdw type=tmp capacity=1K\n"
	 "#DW copy_in source=/a destination=$DW_JOB_STRIPED",
	 "line 1: jobdw: tmp is private to each node, so this job has no "
	 "$DW_JOB_STRIPED; write $DW_JOB_PRIVATE"},
	{SITE, "#DW jobdw type=tmp capacity=1K access_mode=striped",
	 "access_mode=striped: tmp is private"},
	{PROFILES "PersistentNodes=n1",
	 "#DW create_persistent name=x capacity=1K profile=fast",
	 "persistent_create name=x capacity=1024 type=glu coherence=private "
	 "profile=fast"},
	{PROFILES, "#DW create_persistent name=x capacity=1K profile=fats",
	 "line 1: persistent_create: there is no profile fats"},
	{SITE "Profile=sw split=switch",
	 "persistent_create name=x capacity=1K profile=sw",
	 "persistent_create: profile sw has split=switch"},
	/* the strictest that can outlive jobs, where the default cannot */
	{PERSIST SITE LUSTRE, "persistent_create name=x capacity=1K",
	 "persistent_create name=x capacity=1024 type=glu"},
	{PERSIST "FileSystem=g Driver=glusterfs Default=yes\n" LUSTRE,
	 "persistent_create name=x capacity=1K",
	 "persistent_create name=x capacity=1024 type=g"},
	{PERSIST SHARED "FileSystem=g Driver=glusterfs coherence=private",
	 "persistent_create name=x capacity=1K coherence=strict",
	 "persistent_create name=x capacity=1024 type=g coherence=strict"},
	{PERSIST SHARED "FileSystem=g Driver=glusterfs\n"
			"Profile=p coherence=strict",
	 "persistent_create name=x capacity=1K profile=p",
	 "persistent_create name=x capacity=1024 type=g coherence=strict "
	 "profile=p"},
	{PERSIST "FileSystem=b Driver=beeond\nFileSystem=g Driver=glusterfs "
		 "coherence=private",
	 "persistent_create name=x capacity=1K coherence=shared",
	 "persistent_create name=x capacity=1024 type=g coherence=shared"},
	{PERSIST "FileSystem=g Driver=glusterfs shard=4MiB",
	 "persistent_create name=x capacity=1K",
	 "persistent_create: shard=4MiB of g breaks a file that two nodes "
	 "write"},
	{PERSIST "FileSystem=g Driver=glusterfs\nProfile=p shard=4MiB type=g",
	 "persistent_create name=x capacity=1K profile=p",
	 "persistent_create: shard=4MiB of g breaks a file"},
	{PERSIST "FileSystem=g Driver=glusterfs\nProfile=p shard=4MiB type=g",
	 "persistent_create name=x capacity=1K profile=p coherence=private",
	 "persistent_create name=x capacity=1024 type=g coherence=private "
	 "profile=p"},
	/* a tier, which its pool is then of */
	{TIERED, "persistent_create name=x capacity=1K tier=disk",
	 "persistent_create name=x capacity=2048 type=g tier=disk"},
	{TIERED, "persistent_create name=x capacity=1K type=g",
	 "persistent_create name=x capacity=1024 type=g"},
	{TIERED, "persistent_create name=x capacity=1K profile=slow",
	 "persistent_create name=x capacity=2048 type=g tier=disk "
	 "profile=slow"},
	{TIERED, "persistent_create name=x capacity=1K profile=slow tier=flash",
	 "persistent_create name=x capacity=1024 type=g tier=flash "
	 "profile=slow"},
	{TIERED, "persistent_create name=x capacity=1K tier=ram",
	 "persistent_create: no node has tier=ram; there are: flash, disk"},
	{TIERED, "persistent_create name=x capacity=1K tier=flash profile=p",
	 "persistent_create: tier=flash: profile p has storage=, a fixed path"},
	{TIERED LUSTRE,
	 "persistent_create name=x capacity=1K tier=flash type=l",
	 "persistent_create: tier=flash: l lies at a fixed path"},
	{PERSIST "FileSystem=g Driver=glusterfs",
	 "persistent_create name=x capacity=1K tier=flash",
	 "persistent_create: tier=flash: this site has no tiers for g"},
	{PERSIST "FileSystem=t Driver=scratch",
	 "persistent_create name=x capacity=1K coherence=private",
	 "t lives and ends with a job; no file system here can outlive it"},
	{SITE, "persistent name=x coherence=strict",
	 "persistent name=x coherence=strict"},
	/* every mistake, with its line */
	{SITE "IONodes=n1\nDirectAccess=no",
	 "#DW jobdw capacity=1K\n#BB forward max=none",
	 "line 2: forward: every job here needs"},
	{SITE, "#DW jobdw capacity=1K\n\n#BB forward pattern=a:x",
	 "line 3: forward: pattern"},
	{SITE,
	 "#DW persistentdw name=x\n#DW create_persistent name=y capacity=1K",
	 "line 2: persistent_create: this site has no nodes"},
	{SITE,
	 "#DW jobdw capacity=1K\n"
	 "#DW stage_in type=file source=a destination=$DW_JOB_STRIPED\n"
	 "#DW stage_in type=file source=/a destination=$DW_JOB_STRIPED\n"
	 "#DW stage_out type=file source=$DW_JOB_STRIPED/b destination=/a/../c",
	 "line 2: stage_in: source a: must be an absolute path: write "
	 "all of it, from the / on\n"
	 "line 4: stage_out: /a/../c: \"..\" is refused"},
	{"FileSystem=tmp Driver=scratch", "#DW jobdw capacity=1K",
	 "access_mode=striped: this site has no file system"},
};

START_TEST(test_resolve)
{
	struct slu_err err;

	each(c, resolutions)
	{
		struct slu_conf *conf = site(c->conf);
		char *text;

		err = (struct slu_err){0};
		expect_ok(slu_site_check(conf, "f", &err), err);
		text = resolved(c->text, conf, &err);
		if (text)
			ck_assert_str_eq(text, c->want);
		else
			expect(strstr(err.text, c->want), "%s: %s", c->text,
			       err.text);
		free(text);
		slu_conf_free(conf);
	}
}
END_TEST

TEST_MAIN("request_defaults", test_resolve)
