/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests many nodes that push their maps at the same moment, and a sluiced that
 * is killed meanwhile. SLUICE_PUSHES is the number of nodes (default 100); the
 * time is printed. All of them and sluiced share this host and one munged, so a
 * real cluster is faster.
 */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"

#include <pthread.h>
#include <sys/mman.h>
#include "common/jsonx.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/push.h"

#ifdef __SANITIZE_ADDRESS__
/* sluiced is forked beside pushing threads; in the child, whose stacks are not
 * looked at, what they hold seems lost. */
const char *__lsan_default_options(void);

const char *__lsan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

#define DOCUMENTS 10
#define OWN	  2 /* of them are each host's own */
#define PUSHERS	  8 /* while sluiced is killed */

struct node {
	pthread_t thread;
	unsigned number, round;
	char name[32];
	char text[DOCUMENTS][64];
	const char *extractor[DOCUMENTS];
	struct slu_document document[DOCUMENTS];
	double seconds;
	bool over;
	int failed;
	struct slu_err err;
};

static pthread_barrier_t barrier;

static unsigned count(void)
{
	const char *value = getenv("SLUICE_PUSHES");

	return value ? (unsigned)atoi(value) : 100;
}

/* What a node has to say in this round. */
static struct slu_map map_of(struct node *node)
{
	static const char *const names[DOCUMENTS] = {
		"disks",   "partitions", "mountpoints", "blockqueues", "nvme",
		"cpuinfo", "memoryinfo", "numa",	"gpus",	       "swap"};

	for (unsigned i = 0; i < DOCUMENTS; i++) {
		struct slu_document *d = &node->document[i];

		node->extractor[i] = names[i];
		snprintf(node->text[i], sizeof(node->text[i]),
			 "{\"extractor\":%u,\"node\":%u,\"round\":%u}", i,
			 i < DOCUMENTS - OWN ? 0 : node->number,
			 i < DOCUMENTS - OWN ? 0 : node->round);
		*d = (struct slu_document){.extractor = node->extractor[i],
					   .text = node->text[i],
					   .len = strlen(node->text[i])};
		d->hash = slu_document_hash(d->extractor, d->text, d->len);
	}
	return (struct slu_map){.document = node->document, .n = DOCUMENTS};
}

static struct slu_http *client(struct slu_err *e)
{
	char addr[32];
	char *addrs[] = {addr, NULL};

	snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
	return slu_http_new(addrs, getuid(), e);
}

static void *push_once(void *arg)
{
	struct node *node = arg;
	struct slu_http *own = client(&node->err);
	struct slu_map map = map_of(node);
	struct slu_pushed pushed;

	pthread_barrier_wait(&barrier);
	node->seconds = slu_now_mono();
	node->failed = !own ||
		       slu_push(own, node->name, &map, 60, &pushed, &node->err);
	node->seconds = slu_now_mono() - node->seconds;
	slu_http_free(own);
	return NULL;
}

static void *push_rounds(void *arg)
{
	struct node *node = arg;
	struct slu_http *own = client(&node->err);
	struct slu_pushed pushed;
	struct slu_map map;

	while (!__atomic_load_n(&node->over, __ATOMIC_SEQ_CST)) {
		node->round++;
		map = map_of(node);
		node->failed = slu_push(own, node->name, &map, 60, &pushed,
					&node->err);
		if (!node->failed)
			continue;
		node->round--; /* not acknowledged */
		usleep(10000);
	}
	slu_http_free(own);
	return NULL;
}

/* slurmctld knows all nodes, at this address. */
static void introduce(struct node *nodes, unsigned n)
{
	struct slu_node_addr *list = calloc(n, sizeof(*list));
	struct slu_hello_ctl hello = {
		.version = SLU_WIRE_VERSION, .nodes = list, .n_nodes = n};

	for (unsigned i = 0; i < n; i++) {
		nodes[i].number = i;
		snprintf(nodes[i].name, sizeof(nodes[i].name), "push%u", i);
		list[i] = (struct slu_node_addr){nodes[i].name, sluiced_addr};
	}
	ctl_connect();
	ctl_send(&slu_hello_ctl_desc, &hello);
	ctl_expect_any(&slu_history_end_desc); /* it has read that */
	free(list);
}

static void start_all(struct node *nodes, unsigned n, void *(*run)(void *))
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	for (unsigned i = 0; i < n; i++)
		ck_assert_int_eq(
			pthread_create(&nodes[i].thread, &attr, run, &nodes[i]),
			0);
	pthread_attr_destroy(&attr);
}

static void join_all(struct node *nodes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		pthread_join(nodes[i].thread, NULL);
}

static int by_seconds(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* The round that the database has of a node's own document. */
static uint64_t stored(struct slu_db *db, const struct node *node, unsigned i)
{
	struct slu_buf text = {0};
	struct json_object *obj;
	uint64_t number = 0, round = 0;

	expect_ok(slu_documents_read(db, node->name, node->extractor[i], &text,
				     &err),
		  err);
	obj = slu_json_parse(text.data, text.len, &err);
	expect_ok(slu_json_u64(obj, "node", &number, &err), err);
	expect_ok(slu_json_u64(obj, "round", &round, &err), err);
	if (i >= DOCUMENTS - OWN)
		ck_assert_uint_eq(number, node->number);
	json_object_put(obj);
	slu_buf_free(&text);
	return round;
}

static struct slu_db *open_db(void)
{
	struct slu_db *db = slu_db_open(tmpfile_path("db"), SLU_DB_READ, &err);

	ck_assert_msg(db != NULL, "%s", err.text);
	return db;
}

/* None is refused, none is lost. */
START_TEST(test_pushes_of_many_nodes)
{
	unsigned n = count();
	struct node *nodes = calloc(n, sizeof(*nodes));
	struct slu_db *db;

	if (!sluiced_begin())
		return;
	introduce(nodes, n);
	pthread_barrier_init(&barrier, NULL, n);
	start_all(nodes, n, push_once);
	join_all(nodes, n);
	for (unsigned i = 0; i < n; i++)
		expect(!nodes[i].failed, "%s: %s", nodes[i].name,
		       nodes[i].err.text);
	ctl_close();
	db = open_db();
	for (unsigned i = 0; i < n; i++)
		for (unsigned d = 0; d < DOCUMENTS; d++)
			stored(db, &nodes[i], d);
	slu_db_close(db);
	sluiced_end();
	qsort(nodes, n, sizeof(*nodes), by_seconds);
	printf("%u pushes of %d documents: p50 %.3f s, p99 %.3f s, "
	       "max %.3f s\n",
	       n, DOCUMENTS, nodes[n / 2].seconds, nodes[n * 99 / 100].seconds,
	       nodes[n - 1].seconds);
	free(nodes);
}
END_TEST

/* In a process of their own: sluiced is forked again meanwhile, and a fork
 * beside threads may find the sanitizer's locks held. */
static pid_t start_pushers(struct node *nodes)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	start_all(nodes, PUSHERS, push_rounds);
	join_all(nodes, PUSHERS);
	_exit(0);
}

static void end_pushers(struct node *nodes, pid_t pid)
{
	for (unsigned i = 0; i < PUSHERS; i++)
		__atomic_store_n(&nodes[i].over, true, __ATOMIC_SEQ_CST);
	ck_assert_int_eq(sluiced_status(pid), 0);
}

/* What was acknowledged is there, whenever sluiced was killed. */
START_TEST(test_killed)
{
	struct node *nodes =
		mmap(NULL, PUSHERS * sizeof(*nodes), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct slu_db *db;
	unsigned rounds = 0;
	pid_t pushers;

	if (!sluiced_begin())
		return;
	introduce(nodes, PUSHERS);
	pushers = start_pushers(nodes);
	for (int i = 0; i < 3; i++) {
		usleep(300000 + 50000 * (useconds_t)i);
		sluiced_stop(SIGKILL, -SIGKILL);
		ctl_close();
		sluiced_start();
		introduce(nodes, PUSHERS);
	}
	usleep(300000);
	end_pushers(nodes, pushers);
	ctl_close();
	db = open_db();
	for (unsigned i = 0; i < PUSHERS; i++) {
		rounds += nodes[i].round;
		if (nodes[i].round == 0)
			continue;
		for (unsigned d = DOCUMENTS - OWN; d < DOCUMENTS; d++)
			ck_assert_uint_ge(stored(db, &nodes[i], d),
					  nodes[i].round);
	}
	slu_db_close(db);
	sluiced_end();
	munmap(nodes, PUSHERS * sizeof(*nodes));
	ck_assert_uint_gt(rounds, 0);
	printf("killed three times within %u pushes\n", rounds);
}
END_TEST

TEST_MAIN("sluiced_push", test_pushes_of_many_nodes, test_killed)
