/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_ROOT_H
#define SLU_TESTS_ROOT_H

/*
 * Tests that need root: they run in a mount namespace of their own, so that
 * nothing they mount is seen outside or stays. Without root, or where loop
 * devices or namespaces are not to be had, the program is skipped and says so.
 */

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
#include "tests/unit/harness.h"

#define SKIPPED 77 /* automake's word */

static inline int enter_private_mounts(const char *name)
{
	if (geteuid()) {
		printf("%s: skipped, needs root\n", name);
		return SKIPPED;
	}
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    access("/dev/loop-control", R_OK | W_OK)) {
		printf("%s: skipped, no mount namespace or loop devices\n",
		       name);
		return SKIPPED;
	}
	return 0;
}

#define ROOT_TEST_MAIN(name, ...)                                      \
	int main(void)                                                 \
	{                                                              \
		const TTest *const tests[] = {__VA_ARGS__};            \
		int rc = enter_private_mounts(name);                   \
		return rc ? rc                                         \
			  : run_tests(name, tests,                     \
				      sizeof(tests) / sizeof(*tests)); \
	}

#endif
