/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the volume files of glusterfsd and of the client (their graphs of
 * translators). There is no metadata cache beyond the kernel's, as nodes verify
 * each other's files.
 */

/*
 * Translators and options that are left out, and why:
 *
 * No performance/write-behind: after a short write, that is on a brick that has
 * just become full, it writes past the end of a buffer (seen with GlusterFS
 * 10.3); the client dies, or hangs in its own crash handler and with it every
 * process that uses the mount. Without it write(2) itself returns the error.
 *
 * No features/sdfs: it hangs in rename. It is meant to prevent a race: a
 * brick's threads look up a directory between its mkdir(2) and the writing of
 * its gfid, so that of tasks that make the same directory some get ESTALE or
 * ENOENT, or the directory has two gfids for good (10.3). preload/brick_names.c
 * prevents that.
 *
 * No gfid2path: it notes each name of a file in an extended attribute, for
 * which ext4 has room for 45; and no limit of 100 hard links beside the file
 * system's own.
 */
#include "config.h"
#include "burst_buffer/drivers/volfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PORT_OPTION "option transport.socket.listen-port "

static const char *address(const struct slu_plan_node *node)
{
	return node->addr && *node->addr ? node->addr : node->name;
}

const char *slu_volfile_threads(const struct slu_plan *plan)
{
	return slu_plan_option(plan, "threads", "16");
}

void slu_volfile_name(size_t i, size_t k, char name[SLU_BRICK_NAME])
{
	if (k)
		snprintf(name, SLU_BRICK_NAME, "brick%zu-%zu", i, k);
	else
		snprintf(name, SLU_BRICK_NAME, "brick%zu", i);
}

/* Of the translators below the brick of a further device the names end in its
 * number. */
static void brick(const struct slu_plan *plan, const char *name, size_t k,
		  const char *dir, bool own_times, struct slu_buf *out)
{
	char end[24] = "";

	if (k)
		snprintf(end, sizeof(end), "-%zu", k);
	slu_buf_printf(out,
		       "volume posix%s\n"
		       "    type storage/posix\n"
		       "    option directory %s\n"
		       "    option ctime %s\n"
		       "    option gfid2path off\n"
		       "    option max-hardlinks 0\n"
		       "end-volume\n",
		       end, dir, own_times ? "on" : "off");
	if (own_times)
		slu_buf_printf(out,
			       "volume utime%s\n"
			       "    type features/utime\n"
			       "    subvolumes posix%s\n"
			       "end-volume\n",
			       end, end);
	slu_buf_printf(out,
		       "volume locks%s\n"
		       "    type features/locks\n"
		       "    subvolumes %s%s\n"
		       "end-volume\n"
		       "volume %s\n"
		       "    type performance/io-threads\n"
		       "    option thread-count %s\n"
		       "    subvolumes locks%s\n"
		       "end-volume\n",
		       end, own_times ? "utime" : "posix", end, name,
		       slu_volfile_threads(plan), end);
}

void slu_volfile_server(const struct slu_plan *plan, size_t self,
			const char *const *dir, unsigned port, bool own_times,
			struct slu_buf *out)
{
	const struct slu_plan_node *node = &plan->node[self];
	const size_t n = slu_plan_devices(node);
	char name[SLU_BRICK_NAME];

	for (size_t k = 0; k < n; k++) {
		slu_volfile_name(self, k, name);
		brick(plan, name, k, dir[k], own_times, out);
	}
	slu_buf_printf(out,
		       "volume server\n"
		       "    type protocol/server\n"
		       "    option transport-type tcp\n"
		       "    option transport.socket.bind-address %s\n"
		       "    option auth.login.sluice.password %s\n"
		       "    " PORT_OPTION "%u\n",
		       address(node), plan->secret, port);
	for (size_t k = 0; k < n; k++) {
		slu_volfile_name(self, k, name);
		slu_buf_printf(out, "    option auth.login.%s.allow sluice\n",
			       name);
	}
	slu_buf_puts(out, "    subvolumes");
	for (size_t k = 0; k < n; k++) {
		slu_volfile_name(self, k, name);
		slu_buf_printf(out, " %s", name);
	}
	slu_buf_puts(out, "\nend-volume\n");
}

static void client_brick(const struct slu_plan *plan, size_t i,
			 const char *name, unsigned port, struct slu_buf *out)
{
	slu_buf_printf(out,
		       "volume %s\n"
		       "    type protocol/client\n"
		       "    option transport-type tcp\n"
		       "    option remote-host %s\n"
		       "    option remote-port %u\n"
		       "    option remote-subvolume %s\n"
		       "    option username sluice\n"
		       "    option password %s\n"
		       "    option ping-timeout 10\n"
		       "end-volume\n",
		       name, address(&plan->node[i]), port, name, plan->secret);
}

void slu_volfile_client(const struct slu_plan *plan, const unsigned *port,
			uint64_t shard, bool partial, struct slu_buf *out)
{
	struct slu_buf bricks = {0};
	char name[SLU_BRICK_NAME];

	for (size_t i = 0; i < plan->n_node; i++) {
		if (plan->node[i].client)
			continue;
		for (size_t k = 0; k < slu_plan_devices(&plan->node[i]); k++) {
			slu_volfile_name(i, k, name);
			client_brick(plan, i, name, port[i], out);
			slu_buf_printf(&bricks, " %s", name);
		}
	}
	slu_buf_printf(out,
		       "volume all\n"
		       "    type cluster/distribute\n"
		       "    option assert-no-child-down %s\n"
		       "    subvolumes",
		       partial ? "off" : "on");
	slu_buf_puts(out, bricks.data);
	out->failed |= bricks.failed;
	slu_buf_free(&bricks);
	slu_buf_puts(out, "\nend-volume\n");
	if (shard)
		slu_buf_printf(out,
			       "volume shard\n"
			       "    type features/shard\n"
			       "    option shard-block-size %" PRIu64 "\n"
			       "    subvolumes all\n"
			       "end-volume\n",
			       shard);
}

unsigned slu_volfile_port(const char *text)
{
	const char *p = strstr(text, PORT_OPTION);
	unsigned port = 0;

	if (p && sscanf(p, PORT_OPTION "%u", &port) != 1)
		return 0;
	return port <= 65535 ? port : 0;
}
