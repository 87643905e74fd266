/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which I/O nodes a job gets: it keeps those that it has, and gets the
 * nearest free ones. */
#include "config.h"
#include "tests/unit/harness.h"
#include "select_io/ion/placement.h"

/*
 * A pool as text, a node a letter: a-z the job that owns it, '.' free, '!'
 * free and not available, upper case not available and owned; '*' behind the
 * shared one.
 */
static size_t pool_from(const char *text, struct slu_ion_node *node,
			size_t *shared)
{
	size_t n = 0;

	*shared = SLU_ION_NOBODY;
	for (; *text; text++) {
		if (*text == '*') {
			*shared = n - 1;
			continue;
		}
		node[n].available =
			*text != '!' && !(*text >= 'A' && *text <= 'Z');
		node[n].owner = *text == '.' || *text == '!'
					? SLU_ION_FREE
					: (uint32_t)(*text | 0x20);
		n++;
	}
	return n;
}

static void pool_to(char *text, const struct slu_ion_node *node, size_t n,
		    size_t shared)
{
	for (size_t i = 0; i < n; i++) {
		*text++ = node[i].owner != SLU_ION_FREE ? (char)node[i].owner
			  : node[i].available		? '.'
							: '!';
		if (i == shared)
			*text++ = '*';
	}
	*text = '\0';
}

static const struct {
	const char *before, *seats, *after;
} places[] = {
	{"....", "a2b1", "aab."},
	{"aab.", "a2b1", "aab."},
	{"aab.", "a1b1", "a.b."}, /* the first ones stay */
	{"aab.", "a0b3", "bbb."},
	{"aab.", "b2", "aabb"}, /* who is not listed keeps his */
	{"aabc", "a2b0c2", "aacc"},
	{"..b.", "a2b2", "aabb"},
	{"a..a", "a2b2", "abba"},
	{"!...", "a2", "!aa."},
	{"aAb.", "a2b1", "a!ba"},  /* a failed one is replaced */
	{"....", "asb2", "bb.*."}, /* the first one that is left */
	{"b*...", "asb1", "b.*.."},
	{".*b..", "asb2", ".*bb."}, /* it stays the shared one */
	{".*b..", "b2", "bb.."},
	{"!*b..", "asb2", "!bb.*"},
	{"aab", "a2b1cs", "aa*b"}, /* all are held */
	{"aabb", "a2b2cs", "aabb*"},
	{"aa*bb", "a2b2cs", "aa*bb"},
	{"aa*b.", "a2b1cs", "aab.*"},  /* off a job's own */
	{"aa*b.", "a2b1cs!", "aa*b."}, /* unless it may not move */
	{"aA*b.", "a1b1cs!", "a!b.*"}, /* or must */
	{"aa*b.", "a0b3cs!", "b.*bb"},
	{"a.*.", "a3bs", "aaa*"},  /* not enough without it */
	{"a.*.", "a3bs!", "aa*a"}, /* and who shares it stays */
	{"", "", ""},
	{"a", "a0", "."},
	{"a", "", "a"},
};

START_TEST(test_place)
{
	/* Seats as text: the job's letter and a digit, or s for the shared;
	 * '!': running jobs may not be moved. */

	each(c, places)
	{
		struct slu_ion_node node[8];
		struct slu_ion_seat seat[8];
		size_t shared, n = pool_from(c->before, node, &shared), k = 0;
		uint32_t most = 0, ions = 0;
		bool share = false;
		char after[32];

		for (const char *s = c->seats; *s && *s != '!'; s += 2) {
			seat[k] = (struct slu_ion_seat){
				.job_id = (uint32_t)s[0],
				.ions = s[1] == 's' ? 0
						    : (uint32_t)(s[1] - '0'),
			};
			share = share || s[1] == 's';
			if (seat[k].ions >= ions) {
				ions = seat[k].ions;
				most = seat[k].job_id;
			}
			k++;
		}
		slu_ion_place(node, n, seat, k, share, most,
			      !strchr(c->seats, '!'), &shared);
		pool_to(after, node, n, shared);
		expect(strcmp(after, c->after) == 0, "%s + %s: %s, not %s",
		       c->before, c->seats, after, c->after);
	}
}
END_TEST

/* Near ones first, and the far ones are given back. */
START_TEST(test_distance)
{
	static const uint32_t far[] = {4, 2, 6};
	static const struct {
		const char *before, *place, *seats, *after;
	} cases[] = {
		{"......", "001122", "a2b2", "bbaa.."},
		{"......", "001122", "a3b3", "abaabb"}, /* the nearest first */
		{"......", "001122", "a1b1", "..ab.."},
		{"aaaa..", "001122", "a2", "..aa.."},
		{"aaaa..", "210120", "a1", ".a...."},
		{"aA....", "212100", "a2", "a!.a.."},
		{"cc.ccc", "001122", "a1", "ccaccc"},
	};

	each(c, cases)
	{
		struct slu_ion_node node[8];
		struct slu_ion_seat seat[4];
		size_t shared, n = pool_from(c->before, node, &shared), k = 0;
		char after[32];

		for (size_t i = 0; i < n; i++)
			node[i].place = (uint32_t)(c->place[i] - '0');
		for (const char *s = c->seats; *s; s += 2)
			seat[k++] = (struct slu_ion_seat){
				.job_id = (uint32_t)s[0],
				.ions = (uint32_t)(s[1] - '0'),
				.far = far,
			};
		slu_ion_place(node, n, seat, k, false, 0, true, &shared);
		pool_to(after, node, n, shared);
		expect(strcmp(after, c->after) == 0, "%s + %s: %s, not %s",
		       c->before, c->seats, after, c->after);
	}
}
END_TEST

TEST_MAIN("placement", test_place, test_distance)
