/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the status of buffers that scontrol shows. */
#include "config.h"
#include <sys/socket.h>
#include "tests/unit/ctl/ctl_fake.h"
#include "wire/node.h"

/* A large site's: more than fits one answer. */
START_TEST(test_status_of_many)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_buffer_state b;
	char *text;

	for (uint32_t i = 1; i <= 20000; i++) {
		b = (struct slu_buffer_state){
			.buffer = i,
			.job_id = i,
			.state = strdup("STAGE_OUT"),
			.pending = strdup("n[1,3,5,7,9,11,13,15]")};
		ck_assert_int_eq(slu_mirror_set(&ctl->mirror, &b), 0);
	}
	text = slu_ctl_status(ctl, NULL, false);
	ck_assert(strstr(text, "too many to show"));
	free(text);
	text = slu_ctl_status(ctl, "20000", false);
	ck_assert(strstr(text, "STAGE_OUT"));
	ck_assert(strstr(text, "  waits for n[1,3,5,7,9,11,13,15]\n"));
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

static void expect_narrow(const char *text)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		expect(len <= 80, "%zu: %.*s", len, (int)len, text);
	}
}

/* It is read on terminals. */
START_TEST(test_status_is_narrow)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_buffer_state b = {
		.buffer = 1,
		.job_id = 4000000000,
		.state = strdup("STAGE_OUT"),
		.coherence = strdup("strict"),
		.pending = strdup("n[17,401]"),
		.text = strdup("sluice: stage-out, 1 of 500 nodes done, waits "
			       "for n[17,401], 70 of 1000 files, 3GiB of "
			       "10GiB copied")};
	char *text;

	ck_assert_int_eq(slu_mirror_set(&ctl->mirror, &b), 0);
	ctl->slurm_advice = strdup(
		"BatchStartTimeout=120 is shorter than file systems may take: "
		"set BatchStartTimeout=1920, and then scontrol reconfigure\n");
	text = slu_ctl_status(ctl, NULL, false);
	expect_narrow(text);
	ck_assert(strstr(text, "\n    sluice: stage-out, 1 of 500 "));
	ck_assert(strstr(text, "\nslurm.conf: BatchStartTimeout=120 "));
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

/* What clients ask for may be anything. */
START_TEST(test_status_words)
{
	static const struct {
		const char *word;
		bool hidden;
		const char *says;
	} cases[] = {
		{NULL, false, "sluiced: not connected"},
		{"", false, "(no buffer)"},
		{"7", false, "(job 7 has none now"},
		{"4294967295", false, "(job 4294967295 "},
		{"4294967303", false, "usage: "},
		{"99999999999999999999999", false, "usage: "},
		{"-1", false, "usage: "},
		{"7x", false, "usage: "},
		{" 7", true, "usage: "},
		{"7", true, "PrivateData=jobs"},
		{NULL, true, "PrivateData=jobs"},
		{"hooks", true, "Hook "},
	};
	struct slu_ctl *ctl = ctl_by_hand("");

	each(c, cases)
	{
		char *text = slu_ctl_status(ctl, c->word, c->hidden);

		expect(strstr(text, c->says), "%s: %s", c->word, text);
		free(text);
	}
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl status", test_status_of_many, test_status_is_narrow,
	  test_status_words)
