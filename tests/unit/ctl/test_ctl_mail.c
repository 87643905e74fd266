/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the notification mails of libsluice: for which events, to which
 * addresses, and how many. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "ctl/mail.h"

static struct slu_ctl *ctl;

static void begin(void)
{
	ctl = ctl_by_hand("");
	host_add((struct slu_job){.job_id = 7, .state = (char *)"RUNNING"});
	link_up(ctl, 1);
	host.wants_mail = true;
}

static void say(const struct slu_desc *desc, uint32_t job, const char *reason)
{
	struct slu_verdict verdict = {.job_id = job, .reason = (char *)reason};

	daemon_say(desc, &verdict);
	slu_ctl_step(ctl, 2);
}

/* What was sent; a thread of its own does it. */
static const char *sent(const char *want)
{
	static char text[sizeof(host.sent)];

	for (int i = 0; i < 3000; i++) {
		pthread_mutex_lock(&sent_lock);
		slu_copy(text, sizeof(text), host.sent);
		pthread_mutex_unlock(&sent_lock);
		if (strlen(text) >= strlen(want) && *want)
			break;
		usleep(*want ? 10000 : 10);
	}
	return text;
}

/* A user gets mail about what was done to a job; nobody about what could not be
 * done. */
START_TEST(test_mail_only_of_what_was_done)
{
	static const struct {
		const struct slu_desc *desc;
		uint32_t job;
		bool wants;
		const char *sent;
	} cases[] = {
		{&slu_hold_desc, 7, true, "7 ann Failed: why;"},
		{&slu_requeue_desc, 7, true, "7 ann Failed: why;"},
		{&slu_fail_desc, 7, true, "7 ann Failed: why;"},
		{&slu_cancel_job_desc, 7, true, "7 ann Failed: why;"},
		{&slu_complete_desc, 7, true, "7 ann Failed: why;"},
		{&slu_staged_desc, 7, true, "7 ann Staged out: why;"},
		{&slu_hold_desc, 7, false, ""},
		{&slu_staged_desc, 7, false, ""},
		{&slu_fail_desc, 8, true, ""},
	};

	each(c, cases)
	{
		begin();
		*host.sent = '\0';
		host.wants_mail = c->wants;
		say(c->desc, c->job, "why");
		ck_assert_str_eq(sent(c->sent), c->sent);
		slu_ctl_release(ctl);
	}
}
END_TEST

START_TEST(test_addresses)
{
	static const char *const good[] = {
		"ann",
		"ann@example.org",
		"a.b-c_d+e=f%g@x-y.example",
		"ann,bob@example.org",
		"7",
	};
	static const char *const bad[] = {
		"",	 "-ann",    "-Xid",   "--exec=id", "ann,-Xid",
		"ann ",	 "ann bob", "ann;id", "$(id)",	   "`id`",
		"|id",	 "ann,|id", "/etc/x", "a/b",	   "./x",
		"+box",	 "ann,+b",  ",ann",   "ann,",	   "a,,b",
		"a\nb",	 "a'b",	    "a\"b",   "a&b",	   "a>b",
		"a\\b",	 "~ann",    "@x",     "%x",	   "\xc3\xa9@x",
		"<a@b>", "a(b)",    "a*",     "a\tb",	   ".a",
	};
	char much[300];

	memset(much, 'a', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	each(to, good) expect(slu_mail_is_address(*to), "%s", *to);
	each(to, bad) expect(!slu_mail_is_address(*to), "%s", *to);
	ck_assert(!slu_mail_is_address(much));
	begin();
	each(to, bad)
	{
		host.mail.to = (char *)*to;
		say(&slu_fail_desc, 7, "why");
	}
	host.mail.to = NULL;
	host.mail.program = (char *)"mail"; /* no path */
	say(&slu_fail_desc, 7, "why");
	ck_assert_str_eq(sent(""), "");
	ck_assert_ptr_nonnull(strstr(host.log, "is not an address"));
	slu_ctl_release(ctl);
}
END_TEST

/* A mail has one subject line, whatever characters a path or job name has; a
 * mail that cannot be sent is logged, and the next one is sent. */
START_TEST(test_subjects)
{
	begin();
	host.mail_fails = true;
	say(&slu_fail_desc, 7, "a\r\nBcc: all\tb\033[2J");
	ck_assert_str_eq(sent("7 ann Failed: a  Bcc: all b [2J;"),
			 "7 ann Failed: a  Bcc: all b [2J;");
	host.mail_fails = false;
	*host.sent = '\0';
	say(&slu_fail_desc, 7, "$(id) `id` ; 'x' \"y\"");
	ck_assert_str_eq(sent("7 ann Failed: $(id) `id` ; 'x' \"y\";"),
			 "7 ann Failed: $(id) `id` ; 'x' \"y\";");
	slu_ctl_release(ctl);
	ck_assert_ptr_nonnull(strstr(host.log, "no spool"));
}
END_TEST

/* Of an array one of each kind; of others each, however often sluiced says
 * it. */
START_TEST(test_array)
{
	static const char all[] = "7 ann Held: x;7 ann Failed: x;"
				  "7 ann Held: x;7 ann Held: x;7 ann Held: y;";

	begin();
	for (int i = 0; i < 3; i++) {
		host.mail.array_job_id = 30;
		host.mail.kind = (char *)"Held";
		say(&slu_hold_desc, 7, "x");
		host.mail.kind = (char *)"Failed";
		say(&slu_fail_desc, 7, "x");
	}
	host.mail.array_job_id = 31;
	host.mail.kind = (char *)"Held";
	say(&slu_hold_desc, 7, "x");
	host.mail.array_job_id = 0;
	say(&slu_hold_desc, 7, "x");
	say(&slu_hold_desc, 7, "x");
	say(&slu_hold_desc, 7, "y");
	ck_assert_str_eq(sent(all), all);
	slu_ctl_release(ctl);
}
END_TEST

/* While none is sent, so many wait, and slurmctld does not. */
START_TEST(test_queue_is_bounded)
{
	begin();
	pthread_mutex_lock(&sent_lock); /* that takes as long as we like */
	for (int i = 0; i < 1010; i++) {
		struct slu_verdict verdict = {.job_id = 7,
					      .restarts = (uint32_t)i,
					      .reason = (char *)"x"};

		slu_mail_send(ctl, &verdict, false, 1);
	}
	ck_assert_ptr_nonnull(strstr(host.log, "more are dropped"));
	pthread_mutex_unlock(&sent_lock);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl mail", test_mail_only_of_what_was_done, test_addresses,
	  test_subjects, test_array, test_queue_is_bounded)
