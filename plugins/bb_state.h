/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_BB_STATE_H
#define SLU_PLUGINS_BB_STATE_H

#include "ctl/ctl.h"
#include "plugins/compat.h"

/*
 * Packs the state of our buffers for `scontrol show burst` by this user, at the
 * end of a buffer; with PrivateData=jobs only operators see those of other
 * users.
 */
void slu_bb_pack(struct slu_ctl *ctl, uid_t uid, buf_t *buffer,
		 uint16_t protocol_version);

#endif
