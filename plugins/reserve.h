/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_RESERVE_H
#define SLU_PLUGINS_RESERVE_H

/* What bbstat says of reservations with BurstBuffer=, see reserve.c: lines,
 * "" for none. Any thread. */
#define SLU_RESERVE_TEXT 2048
void slu_reserve_text(char text[SLU_RESERVE_TEXT]);

#endif
