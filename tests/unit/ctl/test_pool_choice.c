/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which storage pool a job gets, by the nodes on which it may run. */
#include "config.h"
#include "tests/unit/harness.h"

#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/site/pool.h"
#include "common/str.h"
#include "ctl/jobs/pending/pool_choice.h"
#include "ctl/pools/pools.h"

/* n1 to n4 are what the job may get, those of `must` it names. */
struct world {
	const char *may, *must; /* digits */
	char kept[100];		/* nodes that it is kept to */
};

static enum slu_ctl_may_get may_get(void *arg, const char *node)
{
	const struct world *w = arg;

	if (strchr(w->must, node[1]))
		return SLU_GET_MUST;
	return strchr(w->may, node[1]) ? SLU_GET_MAY : SLU_GET_NO;
}

static void keep_to(void *arg, const struct slu_hosts *nodes)
{
	struct world *w = arg;
	char *text = slu_hosts_text(nodes);

	snprintf(w->kept, sizeof(w->kept), "%s", text);
	free(text);
}

static const struct {
	const char *request, *may, *must;
	uint32_t min_nodes;
	const char *pool, *kept, *refused;
} cases[] = {
	/* one pool, which is no list */
	{"jobfs type=one capacity=1M", "1234", "", 2, "a", "n[1-2]", NULL},
	{"jobfs type=one capacity=1M", "34", "", 1, NULL, NULL,
	 "the job needs 1 node of one pool; where it may run are 0 of a "
	 "(n[1-2])"},
	{"jobfs type=one capacity=1M", "1234", "", 3, NULL, NULL,
	 "needs 3 nodes of one pool"},
	/* of several the first that has enough */
	{"jobfs type=two capacity=1M", "1234", "", 2, "a", "n[1-2]", NULL},
	{"jobfs type=two capacity=1M", "34", "", 2, "b", "n[3-4]", NULL},
	{"jobfs type=two capacity=1M", "234", "", 2, "b", "n[3-4]", NULL},
	{"jobfs type=two capacity=1M", "23", "", 2, NULL, NULL,
	 "1 of a (n[1-2]), 1 of b (n[3-4])"},
	/* all nodes that it names are to be of it */
	{"jobfs type=two capacity=1M", "1234", "3", 1, "b", "n[3-4]", NULL},
	{"jobfs type=two capacity=1M", "1234", "23", 2, NULL, NULL,
	 "all that it names among them"},
	/* but storage on some nodes does not tie the others down */
	{"jobfs type=two capacity=1M nodes=1", "1234", "23", 2, "a", "", NULL},
	/* which it names itself */
	{"jobfs type=two capacity=1M pool=b", "1234", "", 2, "b", "n[3-4]",
	 NULL},
	{"jobfs type=two capacity=1M pool=b", "12", "", 2, NULL, NULL,
	 "0 of b"},
	/* one of all nodes, and none at all */
	{"jobfs type=all capacity=1M", "34", "", 2, "c", "", NULL},
	{"jobfs type=far capacity=1M", "34", "", 2, NULL, "", NULL},
	{"stripe target=/x", "34", "", 2, NULL, "", NULL},
};

static struct slu_conf *conf_of(const char *more)
{
	char text[512];
	struct slu_conf *conf;
	struct slu_err err = {0};

	snprintf(text, sizeof(text), "Database=/d\nDaemonAddr=h:1\n%s", more);
	conf = slu_conf_parse(text, "test", &err);
	expect(conf, "%s", err.text);
	return conf;
}

START_TEST(test_first_pool_that_fits)
{
	static const char text[] = "Pool=a Nodes=n[1-2]\nPool=b Nodes=n[3-4]\n"
				   "Pool=c\n"
				   "FileSystem=one Driver=scratch Pool=a\n"
				   "FileSystem=two Driver=scratch Pool=a,b\n"
				   "FileSystem=all Driver=scratch Pool=c\n"
				   "FileSystem=far Driver=lustre root=/l\n";
	struct slu_conf *conf = conf_of(text);
	struct slu_request req;
	struct slu_err err;

	each(c, cases)
	{
		struct world w = {.may = c->may, .must = c->must};
		struct slu_ctl_ask ask = {.min_nodes = c->min_nodes,
					  .may_get = may_get,
					  .keep_to = keep_to,
					  .arg = &w,
					  .named = (uint32_t)strlen(c->must)};

		expect_ok(slu_request_parse(c->request, NULL, &req, &err), err);
		if (c->refused) {
			expect_fail(slu_ctl_choose_pool(&ask, NULL, conf, &req,
							&err),
				    err, SLU_INVALID, c->refused);
		} else {
			expect_ok(slu_ctl_choose_pool(&ask, NULL, conf, &req,
						      &err),
				  err);
			expect(slu_eq(req.pool, c->pool), "%s: %s", c->request,
			       req.pool ? req.pool : "none");
			ck_assert_str_eq(w.kept, c->kept);
		}
		slu_request_free(&req);
	}
	slu_conf_free(conf);
}
END_TEST

#define TIERS                                                         \
	"Pool=f Tier=flash\nPool=d Tier=disk\nPool=g Tier=flash\n"    \
	"Pool=p Tier=pmem\nFileSystem=s Driver=scratch Default=yes\n" \
	"FileSystem=g Driver=glusterfs Pool=g,d\n"                    \
	"FileSystem=e Driver=scratch Pool=p,d\n"                      \
	"Pool=h Tier=flash Nodes=n[2-3]\n"                            \
	"FileSystem=h Driver=scratch Pool=h\n"                        \
	"FileSystem=fix Driver=scratch storage=/x\n"                  \
	"FileSystem=far Driver=lustre root=/l\n"                      \
	"Profile=there storage=/y\n"

/* sluiced has told: f is on n1 and n2, d on n3, g on n4, nothing of pmem. */
static void tell(struct slu_mirror *m, bool complete)
{
	static const char *const pools[][2] = {{"f", "n[1-2]"},
					       {"d", "n3"},
					       {"g", "n4"},
					       {"p", ""},
					       {"h", "n2"}};
	struct slu_capacity s = {.pools = calloc(5, sizeof(*s.pools)),
				 .n_pools = 5};

	for (size_t i = 0; i < 5; i++)
		s.pools[i] = (struct slu_pool_capacity){
			.name = strdup(pools[i][0]),
			.hosts = strdup(pools[i][1]),
			.nodes = *pools[i][1] ? 1 : 0,
			.complete = complete};
	slu_pools_set(m, &s);
}

static const struct {
	const char *request, *may;
	uint32_t min_nodes;
	bool complete;
	const char *pool, *kept, *refused;
} tiers[] = {
	{"jobfs capacity=1M tier=flash", "1234", 2, true, "f", "n[1-2]", NULL},
	{"jobfs capacity=1M tier=flash", "34", 1, true, "g", "n4", NULL},
	{"jobfs capacity=1M tier=disk", "1234", 1, true, "d", "n3", NULL},
	{"jobfs capacity=1M pool=d", "1234", 1, true, "d", "n3", NULL},
	{"jobfs capacity=1M", "1234", 1, true, "f", "n[1-2]", NULL},
	{"jobfs type=g capacity=1M tier=flash", "1234", 1, true, "g", "n4",
	 NULL},
	{"jobfs capacity=1M tier=flash", "123", 3, true, NULL, NULL,
	 "needs 3 nodes of one pool; where it may run are 2 of f (n[1-2]), 0 "
	 "of g (n4)"},
	/* one that nobody has is passed over, also where nobody named it */
	{"jobfs type=e capacity=1M", "1234", 1, true, "d", "n3", NULL},
	{"jobfs type=e capacity=1M pool=p", "1234", 1, true, NULL, NULL,
	 "0 of p"},
	/* of what is not known yet sluice.conf says where it can be */
	{"jobfs type=h capacity=1M", "1234", 2, false, "h", "n[2-3]", NULL},
	{"jobfs type=h capacity=1M", "1234", 3, false, NULL, NULL, "1 of h"},
	/* perhaps the others have some, too */
	{"jobfs capacity=1M tier=flash", "123", 3, false, "f", "", NULL},
	{"jobfs capacity=1M tier=pmem", "123", 1, false, "p", "", NULL},
	/* a mistake, in one line */
	{"jobfs capacity=1M tier=pmem", "1234", 1, true, NULL, NULL,
	 "jobfs: no node has tier=pmem; there are: flash, disk"},
	{"jobfs capacity=1M tier=ram", "1234", 1, true, NULL, NULL,
	 "jobfs: no node has tier=ram; there are: pmem, flash, disk"},
	{"jobfs type=g capacity=1M tier=pmem", "1234", 1, true, NULL, NULL,
	 "jobfs: no node has tier=pmem; there are: flash, disk"},
	{"jobfs capacity=1M pool=d tier=flash", "1234", 1, true, NULL, NULL,
	 "jobfs: tier=flash: pool d is not of that tier"},
	{"jobfs type=fix capacity=1M tier=flash", "1234", 1, true, NULL, NULL,
	 "jobfs: tier=flash: fix lies at a fixed path, which belongs to no tier"},
	/* storage= of a profile is one place, too */
	{"jobfs capacity=1M profile=there", "1234", 4, true, NULL, "", NULL},
	{"jobfs capacity=1M profile=there tier=flash", "1234", 1, true, NULL,
	 NULL,
	 "jobfs: tier=flash: profile there has storage=, a fixed path, which"},
	{"jobfs type=g capacity=1M profile=there", "1234", 1, true, NULL, NULL,
	 "jobfs: profile there has storage=, a fixed path, and pool g is of a "},
	{"jobfs capacity=1M pool=d profile=there", "1234", 1, true, NULL, NULL,
	 "jobfs: profile there has storage=, a fixed path, and pool d is of a "},
	{"jobfs type=far capacity=1M tier=flash", "1234", 1, true, NULL, NULL,
	 "jobfs: tier=flash: far lies at a fixed path, which belongs to no tier"},
};

/* A sluiced that has not reported yet, or is older, blocks no job. */
static bool untold(const struct slu_conf *conf, struct slu_mirror *m)
{
	struct world w = {.may = "1234", .must = ""};
	const struct slu_ctl_ask ask = {.min_nodes = 2,
					.may_get = may_get,
					.keep_to = keep_to,
					.arg = &w};
	struct slu_request req;
	struct slu_err err;
	bool taken;

	expect_ok(slu_request_parse("jobfs capacity=1M tier=pmem", NULL, &req,
				    &err),
		  err);
	taken = !slu_ctl_choose_pool(&ask, m, conf, &req, &err) &&
		slu_eq(req.pool, "p") && !*w.kept;
	slu_request_free(&req);
	return taken;
}

START_TEST(test_tiers)
{
	struct slu_conf *conf = conf_of(TIERS);
	struct slu_mirror m = {0};
	struct slu_request req;
	struct slu_err err;
	int rc;

	slu_mirror_init(&m);
	ck_assert(untold(conf, &m));
	each(c, tiers)
	{
		struct world w = {.may = c->may, .must = ""};
		const struct slu_ctl_ask ask = {.min_nodes = c->min_nodes,
						.may_get = may_get,
						.keep_to = keep_to,
						.arg = &w};

		tell(&m, c->complete);
		expect_ok(slu_request_parse(c->request, NULL, &req, &err), err);
		rc = slu_pool_check_name(&req, conf, &err) ||
		     slu_ctl_choose_pool(&ask, &m, conf, &req, &err);
		if (c->refused) {
			expect(rc && strstr(err.text, c->refused), "%s: %s",
			       c->request, rc ? err.text : "taken");
		} else {
			expect(rc == 0, "%s: %s", c->request, err.text);
			expect(slu_eq(req.pool, c->pool), "%s: %s", c->request,
			       req.pool ? req.pool : "none");
			ck_assert_str_eq(w.kept, c->kept);
		}
		slu_request_free(&req);
	}
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
	slu_conf_free(conf);
}
END_TEST

/* Who does not know where the job may run decides nothing. */
START_TEST(test_unknown_nodes_decide_nothing)
{
	struct slu_conf *conf = conf_of("FileSystem=one Driver=scratch\n");
	const struct slu_ctl_ask ask = {.min_nodes = 2};
	struct slu_request req;
	struct slu_err err;

	expect_ok(slu_request_parse("jobfs capacity=1M", NULL, &req, &err),
		  err);
	expect_ok(slu_ctl_choose_pool(&ask, NULL, conf, &req, &err), err);
	ck_assert_ptr_null(req.pool);
	slu_request_free(&req);
	slu_conf_free(conf);
}
END_TEST

TEST_MAIN("pool choice", test_first_pool_that_fits, test_tiers,
	  test_unknown_nodes_decide_nothing)
