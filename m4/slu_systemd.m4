dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl --with-systemdsystemunitdir=DIR: where units are installed. Not asked of
dnl systemd: another prefix must not write into /usr.
AC_DEFUN([SLU_SYSTEMD], [
  AC_ARG_WITH([systemdsystemunitdir],
    [AS_HELP_STRING([--with-systemdsystemunitdir=DIR],
      [where systemd units are installed @<:@PREFIX/lib/systemd/system@:>@])],
    [systemdsystemunitdir=$withval],
    [systemdsystemunitdir='${prefix}/lib/systemd/system'])
  AC_SUBST([systemdsystemunitdir])
])
