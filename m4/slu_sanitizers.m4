dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl --enable-sanitizers: AddressSanitizer and UndefinedBehaviorSanitizer, or
dnl with =thread ThreadSanitizer, everywhere but in the plugins, which
dnl slurmctld could not load.
AC_DEFUN([SLU_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=thread@:>@],
      [build with -fsanitize=address,undefined, or thread (no plugins)])],
    [], [enable_sanitizers=no])
  slu_sanitizers=$enable_sanitizers
  AS_CASE([$enable_sanitizers],
    [no], [SLU_SAN_CFLAGS=],
    [thread], [SLU_SAN_CFLAGS="-fsanitize=thread -fno-omit-frame-pointer"],
    [SLU_SAN_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"])
  AC_SUBST([SLU_SAN_CFLAGS])
  AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" != no])
])
