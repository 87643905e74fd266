/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ACCOUNT_H
#define SLU_PLUGINS_ACCOUNT_H

#include "ctl/ctl.h"
#include "plugins/compat.h"

/*
 * Looks up a user's default account, which may be ten minutes old: good enough
 * for a prediction. false: unknown; out is then "". Any thread, but not with
 * locks of the association manager.
 */
bool slu_account_default(uint32_t uid, char out[SLU_CTL_ACCOUNT]);

#endif
