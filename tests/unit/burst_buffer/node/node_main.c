/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Provides main() of sluice-node under another name, for tests that call it. */
#define main sluice_node_main
int sluice_node_main(int argc, char **argv);
#include "burst_buffer/node/commands/main.c"
