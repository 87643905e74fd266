/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the orders of sluiced to slurmctld: kept until they are done, replaced
 * by newer ones. */
#include "sluiced/control/orders.h"
#include "tests/unit/harness.h"
#include "wire/control.h"

static struct slu_orders *orders;
static struct slu_err err;

static const char *extend(uint32_t job_id, int64_t seconds)
{
	struct slu_extend msg = {job_id, seconds, false, 0};
	const char *line = NULL;

	expect_ok(slu_orders_add(orders, &slu_extend_desc, job_id, "", &msg,
				 &line, &err),
		  err);
	return line;
}

static const char *node_order(const struct slu_desc *desc, char *node)
{
	struct slu_node_order msg = {node, (char *)"because"};
	const char *line = NULL;

	expect_ok(slu_orders_add(orders, desc, 0, node, &msg, &line, &err),
		  err);
	return line;
}

START_TEST(test_kept_until_done)
{
	struct slu_order *o;

	orders = slu_orders_new(100, &err);
	ck_assert_ptr_nonnull(strstr(extend(1, 10), "\"id\":101"));
	ck_assert_ptr_nonnull(strstr(extend(2, 20), "\"id\":102"));
	ck_assert_uint_eq(slu_orders_count(orders), 2);
	ck_assert_ptr_null(slu_orders_take(orders, 7));
	o = slu_orders_take(orders, 101);
	ck_assert_uint_eq(o->job_id, 1);
	slu_order_free(o);
	ck_assert_ptr_null(slu_orders_take(orders, 101));
	ck_assert_uint_eq(slu_orders_first(orders)->id, 102);
	slu_orders_free(orders);
}
END_TEST

START_TEST(test_newer_supersedes)
{
	orders = slu_orders_new(0, &err);
	extend(1, 10);
	extend(2, 10);
	ck_assert_ptr_nonnull(extend(1, 11));
	ck_assert_uint_eq(slu_orders_count(orders), 2);
	/* The newer one has a new id and is last: order is kept. */
	ck_assert_uint_eq(slu_orders_first(orders)->id, 2);
	ck_assert_uint_eq(slu_orders_first(orders)->next->id, 3);
	ck_assert_ptr_null(slu_orders_take(orders, 1));
	/* Taking the last one leaves a list that still grows at its end. */
	slu_order_free(slu_orders_take(orders, 3));
	extend(4, 1);
	ck_assert_uint_eq(slu_orders_first(orders)->next->id, 4);
	slu_orders_free(orders);
}
END_TEST

START_TEST(test_same_is_not_repeated)
{
	orders = slu_orders_new(0, &err);
	ck_assert_ptr_nonnull(extend(1, 10));
	ck_assert_ptr_null(extend(1, 10));
	slu_order_free(slu_orders_take(orders, 1));
	/* Done, and ordered again: it is sent again. */
	ck_assert_ptr_nonnull(extend(1, 10));
	slu_orders_free(orders);
}
END_TEST

START_TEST(test_kinds_and_nodes_are_apart)
{
	char n1[] = "n1", n2[] = "n2";

	orders = slu_orders_new(0, &err);
	ck_assert_ptr_nonnull(node_order(&slu_drain_desc, n1));
	ck_assert_ptr_nonnull(node_order(&slu_drain_desc, n2));
	ck_assert_ptr_nonnull(node_order(&slu_resume_desc, n1));
	ck_assert_uint_eq(slu_orders_count(orders), 3);
	slu_orders_free(orders);
}
END_TEST

START_TEST(test_number_of_orders_is_bounded)
{
	struct slu_extend msg = {SLU_ORDERS_MAX + 1, 1, false, 0};
	const char *line;

	orders = slu_orders_new(0, &err);
	for (uint32_t i = 1; i <= SLU_ORDERS_MAX; i++)
		extend(i, 1);
	expect_fail(slu_orders_add(orders, &slu_extend_desc, msg.job_id, "",
				   &msg, &line, &err),
		    err, SLU_NOMEM, "wait for slurmctld");
	/* What squeue shows takes no command's place. */
	for (uint32_t i = 1; i <= 10; i++) {
		struct slu_annotate note = {i, NULL, false};

		expect_ok(slu_orders_add(orders, &slu_annotate_desc, i, "",
					 &note, &line, &err),
			  err);
	}
	slu_order_free(slu_orders_take(orders, 1));
	ck_assert_ptr_nonnull(extend(msg.job_id, 1));
	/* One that takes another's place always has room. */
	ck_assert_ptr_nonnull(extend(5, 2));
	ck_assert_uint_eq(slu_orders_count(orders), SLU_ORDERS_MAX + 10);
	slu_orders_free(orders);
}
END_TEST

TEST_MAIN("sluiced_orders", test_kept_until_done, test_newer_supersedes,
	  test_same_is_not_repeated, test_kinds_and_nodes_are_apart,
	  test_number_of_orders_is_bounded)
