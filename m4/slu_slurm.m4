dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl --with-slurm-source=DIR: unpacked Slurm source of exactly the release that
dnl is installed. job_record_t changes inside micro releases, and slurmctld
dnl loads whatever has the right number, so a near miss would crash it.
AC_DEFUN([SLU_SLURM], [
  AC_ARG_WITH([slurm-source],
    [AS_HELP_STRING([--with-slurm-source=DIR],
      [unpacked source of the installed Slurm release (needed for the plugins; tools/slurm-source obtains it)])],
    [], [with_slurm_source=no])
  slu_slurm_report="none (no --with-slurm-source)"
  AS_IF([test "$with_slurm_source" = yes], [AC_MSG_ERROR(
    [--with-slurm-source needs a directory: run tools/slurm-source DIR and pass --with-slurm-source=DIR])])
  AS_IF([test "$with_slurm_source" != no], [
    AC_MSG_CHECKING([for the source of the installed Slurm])
    AS_IF([test ! -f "$with_slurm_source/src/slurmctld/slurmctld.h"],
      [AC_MSG_ERROR([$with_slurm_source holds no unpacked Slurm source (src/slurmctld/slurmctld.h is missing): run tools/slurm-source DIR and pass --with-slurm-source=DIR])])
    AS_IF([test ! -f /usr/include/slurm/slurm_version.h],
      [AC_MSG_ERROR([slurm/slurm_version.h is not installed: install libslurm-dev])])
    slu_src_version=`sed -n 's/^ *Version:[[^0-9]]*//p' "$with_slurm_source/META"`
    slu_src_number=`IFS=.; set -- $slu_src_version; printf '0x%02x%02x%02x' ${1#0} ${2#0} ${3#0}`
    slu_inst_number=`sed -n 's/^#define SLURM_VERSION_NUMBER //p' /usr/include/slurm/slurm_version.h`
    AS_IF([test "$slu_src_number" != "$slu_inst_number"],
      [AC_MSG_ERROR([$with_slurm_source is Slurm $slu_src_version ($slu_src_number) but $slu_inst_number is installed: run tools/slurm-source DIR to get the right one])])
    dnl Others have other hooks, and refuse plugins without them.
    AS_CASE([$slu_src_version], [22.05.*|24.11.*], [],
      [AC_MSG_ERROR([Slurm $slu_src_version: the plugins are for Slurm 22.05 and 24.11 only; configure without --with-slurm-source builds all else])])
    AC_MSG_RESULT([$slu_src_version])
    dnl As system headers: their warnings are not ours.
    SLURM_CPPFLAGS="-isystem $with_slurm_source -isystem $with_slurm_source/slurm"
    AC_SUBST([SLURM_CPPFLAGS])
    slu_slurm_report="$slu_src_version from $with_slurm_source"
  ])
  AM_CONDITIONAL([WITH_SLURM], [test "$with_slurm_source" != no])
])

dnl --with-slurm-plugindir=DIR. Empty is what a command in its place says when
dnl slurmctld does not answer; make would then install no plugin.
AC_DEFUN([SLU_PLUGINDIR], [
  AC_ARG_WITH([slurm-plugindir],
    [AS_HELP_STRING([--with-slurm-plugindir=DIR],
      [where the plugins are installed @<:@LIBDIR/slurm@:>@])],
    [slurm_plugindir=$withval], [slurm_plugindir='${libdir}/slurm'])
  AS_CASE([$slurm_plugindir], [/* | '${'*], [], [AC_MSG_ERROR(
    [--with-slurm-plugindir=$slurm_plugindir is no absolute path: it is PluginDir in "scontrol show config" while slurmctld runs])])
  AC_SUBST([slurm_plugindir])
])
