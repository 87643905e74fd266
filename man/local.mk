# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += man/sluice.7 man/sluice.conf.5 man/sluiced.8 man/sluice-node.8 \
	man/spank_sluice.5 \
	man/sluice-stage-out.1
