/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBFD_OPTIONS_H
#define SLU_SELECT_IO_TBFD_OPTIONS_H

/* Parses the command line of sluice-tbfd. */

#include "select_io/tbfd/tbfd.h"

struct slu_tbfd_command_line {
	struct slu_tbfd_options opt;
	struct slu_log log;
	const char *root, *lctl, *publish;
	double measure;
	size_t byte_rates; /* of --target-rate */
	bool clean, status, nodes, json, syslog;
	const struct slu_lustre_service *service;
	char state[64]; /* where --state says none */
	char *self;	/* our own command, which queries sluiced */
};

/* Parses into *p, which has the defaults. Returns -1 after one line on standard
 * error if the command line is wrong; exits after --help and --version. Texts
 * are those of argv; the caller frees p->self in any case. */
int slu_tbfd_parse(struct slu_tbfd_command_line *p, int argc, char **argv);

#endif
