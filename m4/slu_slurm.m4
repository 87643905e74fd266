dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl --with-slurm=PREFIX, --with-slurm-source=DIR: where Slurm is, and unpacked
dnl source (configured or not) of exactly the release that is there.
dnl job_record_t changes inside micro releases, and slurmctld loads whatever has
dnl the right number, so a near miss would crash it.
AC_DEFUN([SLU_SLURM], [
  AC_ARG_WITH([slurm],
    [AS_HELP_STRING([--with-slurm=PREFIX],
      [where Slurm is installed: its headers, daemons and plugins @<:@/usr@:>@])],
    [], [with_slurm=default])
  AC_ARG_WITH([slurm-source],
    [AS_HELP_STRING([--with-slurm-source=DIR],
      [unpacked source of the installed Slurm release (needed for the plugins; tools/slurm-source obtains a distribution's)])],
    [], [with_slurm_source=no])
  AC_SUBST([slurm_path])
  slu_slurm_report="none (no --with-slurm-source)"
  slu_slurm_prefix=/usr
  AS_CASE([$with_slurm],
    [yes | default], [],
    [no], [with_slurm_source=no],
    [slu_slurm_prefix=$with_slurm slurm_path=$with_slurm/bin:
     AS_IF([test ! -f "$with_slurm/include/slurm/slurm_version.h"], [AC_MSG_ERROR(
       [--with-slurm=$with_slurm: no Slurm is installed there with its headers ($with_slurm/include/slurm/slurm_version.h is missing)])])
     AS_IF([test "$with_slurm_source" = no], [AC_MSG_ERROR(
       [--with-slurm=$with_slurm: the plugins need the source of that Slurm, too: --with-slurm-source=DIR])])])
  AS_IF([test "$with_slurm_source" = yes], [AC_MSG_ERROR(
    [--with-slurm-source needs a directory: run tools/slurm-source DIR and pass --with-slurm-source=DIR])])
  AS_IF([test "$with_slurm_source" != no], [
    SLU_SLURM_RELEASE
    dnl As system headers: their warnings are not ours.
    SLURM_CPPFLAGS="-isystem $with_slurm_source -isystem $with_slurm_source/slurm"
    AS_CASE([$slu_version_h], [/usr/include/*], [], [*/include/slurm/*],
      [SLURM_CPPFLAGS="$SLURM_CPPFLAGS -isystem $slu_slurm_prefix/include"])
    AC_SUBST([SLURM_CPPFLAGS])
    AC_SUBST([SLURM_SOURCE], [`cd "$with_slurm_source" && pwd`])
    AC_SUBST([SLURM_RELEASE], [$slu_src_version])
    AC_SUBST([SLURM_PREFIX], [$slu_slurm_prefix])
    dnl Behind LDFLAGS, where distributions say the opposite.
    AC_SUBST([SLURM_UNDEFINED], [-Wl,-z,undefs])
    SLU_SLURM_PROBES
    slu_slurm_report="$slu_src_version from $with_slurm_source, installed below $slu_slurm_prefix"
  ])
  AM_CONDITIONAL([WITH_SLURM], [test "$with_slurm_source" != no])
])

dnl Is the source that of the installed release, and one that we know? Sets
dnl slu_src_version and slu_version_h.
AC_DEFUN([SLU_SLURM_RELEASE], [
  AC_MSG_CHECKING([for the source of the installed Slurm])
  AS_IF([test ! -f "$with_slurm_source/src/slurmctld/slurmctld.h"],
    [AC_MSG_ERROR([$with_slurm_source holds no unpacked Slurm source (src/slurmctld/slurmctld.h is missing): run tools/slurm-source DIR and pass --with-slurm-source=DIR])])
  slu_version_h=$slu_slurm_prefix/include/slurm/slurm_version.h
  AS_IF([test ! -f "$slu_version_h"],
    [AC_MSG_ERROR([slurm/slurm_version.h is not installed: install libslurm-dev (Debian's packages), slurm-smd-dev (SchedMD's) or slurm-devel (RPM), or pass --with-slurm=PREFIX for a Slurm that is installed elsewhere])])
  slu_src_version=`sed -n 's/^ *Version:[[^0-9]]*//p' "$with_slurm_source/META"`
  slu_src_number=`IFS=.; set -- $slu_src_version; printf '0x%02x%02x%02x' ${1#0} ${2#0} ${3#0}`
  slu_inst_number=`sed -n 's/^#define SLURM_VERSION_NUMBER //p' "$slu_version_h"`
  AS_IF([test "$slu_src_number" != "$slu_inst_number"],
    [AC_MSG_ERROR([$with_slurm_source is Slurm $slu_src_version ($slu_src_number) but $slu_inst_number is installed ($slu_version_h): the plugins need the source of exactly that release (tools/slurm-source DIR gets a distribution's)])])
  AC_MSG_RESULT([$slu_src_version])
  dnl Headers of one release beside daemons of another: the daemons count.
  AS_IF([test -x "$slu_slurm_prefix/sbin/slurmctld" &&
	 slu_ctld_version=`"$slu_slurm_prefix/sbin/slurmctld" -V 2>/dev/null`], [
    AS_CASE(["$slu_ctld_version-"], [*" $slu_src_version-"*], [],
      [AC_MSG_ERROR([$slu_slurm_prefix/sbin/slurmctld is $slu_ctld_version, but the headers in $slu_version_h are of $slu_src_version: the plugins would be for a Slurm that does not run here])])])
  dnl Older ones have other hooks, and refuse plugins without them.
  AS_CASE([$slu_src_version],
    [22.05.* | 23.02.* | 23.11.* | 24.05.* | 24.11.* | 25.05.* | 25.11.* | 26.05.*], [],
    [[1[0-9].* | 2[01].* | 22.0[1-4].*]],
    [AC_MSG_ERROR([Slurm $slu_src_version: the plugins are for Slurm 22.05 to 26.05; configure without --with-slurm-source builds all else])],
    [AC_MSG_WARN([Slurm $slu_src_version is newer than any that the plugins are known to work with; "make check" names the hooks and symbols that are missing])])
])

dnl What plugins/compat.h must make up for, asked of the headers.
AC_DEFUN([SLU_SLURM_PROBES], [
  slu_save_CPPFLAGS=$CPPFLAGS slu_save_CFLAGS=$CFLAGS
  dnl Some include a config.h, which is Slurm's own only while it is built.
  mkdir -p slurm-probe && : >slurm-probe/config.h
  CPPFLAGS="$CPPFLAGS -Islurm-probe $SLURM_CPPFLAGS" CFLAGS="$CFLAGS -w"
  m4_pushdef([slu_headers], [#include <stdbool.h>
#include <string.h>
#include <slurm/slurm.h>
#include <src/common/assoc_mgr.h>
#include <src/common/list.h>
#include <src/common/node_conf.h>
#include <src/slurmctld/slurmctld.h>
#if __has_include(<src/interfaces/preempt.h>)
#include <src/interfaces/preempt.h>
#else
#include <src/slurmctld/preempt.h>
#endif
])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([slu_headers])], [], [AC_MSG_ERROR(
    [the headers in $with_slurm_source cannot be compiled, see config.log])])
  AC_CHECK_TYPES([list_t, list_itr_t, job_details_t], [], [], [slu_headers])
  AC_CHECK_MEMBERS([slurm_conf_t.prolog_epilog_timeout,
    slurm_conf_t.job_container_plugin], [], [], [slu_headers])
  AC_CHECK_MEMBERS([sbatch_opt_t.script_argv], [], [],
    [[#include <slurm/slurm.h>
#include "src/common/slurm_opt.h"]])
  AC_CHECK_DECLS([job_state_set, job_requeue, slurm_job_get_grace_time],
    [], [], [slu_headers])
  SLU_SLURM_TAKES([SLU_NODE_NAME2BITMAP_INVALID],
    [node_name2bitmap() takes the invalid names],
    [node_name2bitmap(0, false, 0, 0)])
  SLU_SLURM_TAKES([SLU_COORD_IS_LOCKED],
    [assoc_mgr_is_user_acct_coord() takes is_locked],
    [assoc_mgr_is_user_acct_coord(0, 0, 0, false)])
  SLU_SLURM_TAKES([SLU_JOB_COMPLETE_STEP_ID],
    [job_complete() takes a step id],
    [job_complete((slurm_step_id_t *)0, 0, false, false, 0);
     _Static_assert(!__builtin_types_compatible_p(__typeof__(job_complete),
       int (uint32_t, uid_t, bool, bool, uint32_t)), "")])
  m4_popdef([slu_headers])
  rm -r slurm-probe
  CPPFLAGS=$slu_save_CPPFLAGS CFLAGS=$slu_save_CFLAGS
])

dnl SLU_SLURM_TAKES(MACRO, TEXT, STATEMENT): defined if it compiles.
AC_DEFUN([SLU_SLURM_TAKES], [
  AC_MSG_CHECKING([whether $2])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([slu_headers], [$3;])],
    [AC_DEFINE([$1], [1], [Define to 1 if $2.])
     AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
])

dnl --with-slurm-confdir=DIR: the default is where the Slurm of --with-slurm has
dnl its slurm.conf, if it has one in its own prefix.
AC_DEFUN([SLU_CONFDIR], [
  AC_ARG_WITH([slurm-confdir],
    [AS_HELP_STRING([--with-slurm-confdir=DIR],
      [where sluice.conf is looked for if it is not beside slurm.conf @<:@/etc/slurm@:>@])],
    [slurm_confdir=$withval],
    [slurm_confdir=/etc/slurm
     for slu_dir in "$with_slurm/etc" "$with_slurm/etc/slurm"; do
       AS_IF([test -n "$with_slurm" && test -f "$slu_dir/slurm.conf"],
         [slurm_confdir=$slu_dir])
     done])
  AS_CASE([$slurm_confdir], [/*], [], [AC_MSG_ERROR(
    [--with-slurm-confdir=$slurm_confdir is no absolute path: it is where slurm.conf is])])
  AC_SUBST([slurm_confdir])
])

dnl --with-slurm-plugindir=DIR. Empty is what a command in its place says when
dnl slurmctld does not answer; make would then install no plugin. The default is
dnl where the Slurm of --with-slurm has its own.
AC_DEFUN([SLU_PLUGINDIR], [
  AC_ARG_WITH([slurm-plugindir],
    [AS_HELP_STRING([--with-slurm-plugindir=DIR],
      [where the plugins are installed @<:@of --with-slurm its own, or LIBDIR/slurm@:>@])],
    [slurm_plugindir=$withval],
    [slurm_plugindir='${libdir}/slurm'
     test -z "$with_slurm" ||
     for slu_dir in "$with_slurm"/lib64/slurm "$with_slurm"/lib/slurm \
	"$with_slurm"/lib/*/slurm "$with_slurm"/lib/*/slurm-wlm; do
	AS_IF([test -f "$slu_dir/auth_munge.so"],
	  [slurm_plugindir=$slu_dir; break])
     done])
  AS_CASE([$slurm_plugindir], [/* | '${'*], [], [AC_MSG_ERROR(
    [--with-slurm-plugindir=$slurm_plugindir is no absolute path: it is PluginDir in "scontrol show config" while slurmctld runs])])
  AC_SUBST([slurm_plugindir])
])
