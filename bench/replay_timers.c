/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded before libfaketime by bench/replay: libfaketime 0.9.10 divides the
 * times of timerfd_settime() by its factor, so that "at once" (1 ns) becomes
 * "never" (0), and "never" (LONG_MAX s) overflows and expires at once. Sluice
 * uses such timers for nothing but these two, which need no other clock.
 */
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int timerfd_settime(int fd, int flags, const struct itimerspec *value,
		    struct itimerspec *old)
{
	return (int)syscall(SYS_timerfd_settime, fd, flags, value, old);
}
