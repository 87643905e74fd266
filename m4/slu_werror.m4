dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl --enable-werror: the warnings are always on; CI makes them errors.
AC_DEFUN([SLU_WERROR], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
    [], [enable_werror=no])
  SLU_WARN_CFLAGS="-Wall -Wextra -Wformat-security"
  AS_IF([test "$enable_werror" = yes],
    [SLU_WARN_CFLAGS="$SLU_WARN_CFLAGS -Werror"])
  AC_SUBST([SLU_WARN_CFLAGS])
])
