dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl --enable-sanitizers: AddressSanitizer and UndefinedBehaviorSanitizer
dnl everywhere but in the plugins, which slurmctld could not load.
AC_DEFUN([SLU_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers],
      [build with -fsanitize=address,undefined (no plugins)])],
    [], [enable_sanitizers=no])
  slu_sanitizers=$enable_sanitizers
  AS_IF([test "$enable_sanitizers" = yes], [
    SLU_SAN_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
  ])
  AC_SUBST([SLU_SAN_CFLAGS])
  AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" = yes])
])
