# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing here is installed; the tools come along in the tarball.
EXTRA_DIST += .shellcheckrc .ci/run tools/setup tools/slurm-source \
	tools/check-packages \
	tools/build tools/debian tools/matrix tools/test tools/cluster tools/lib/common.sh \
	tools/lib/cluster/names.sh tools/lib/cluster/host.sh \
	tools/lib/cluster/host-init tools/lib/cluster/conf.sh \
	tools/lib/cluster/daemons.sh tools/lib/cluster/up.sh \
	tools/lib/cluster/faults.sh tools/demo tools/lib/demo/ui.sh \
	tools/lib/demo/jobs.sh tools/lib/demo/inventory.sh \
	tools/lib/demo/first_job.sh tools/lib/demo/prediction.sh \
	tools/lib/demo/ions.sh tools/lib/demo/iostart.sh tools/lib/demo/page.sh \
	tools/lib/demo/trouble.sh
