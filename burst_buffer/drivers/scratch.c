/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver "scratch": gives the job a private directory on every node, which is
 * the node's storage itself; there is no server. Its counters are those of the
 * loop device below it, if there is one: bytes below the page cache since the
 * device was made.
 */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/host/loop_device.h"
#include "common/file.h"

static int probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	(void)conf, (void)why;
	return 0;
}

static void note_path(const struct slu_instance *in, char *path, size_t size)
{
	snprintf(path, size, "%s/counters", in->work);
}

static int count(const struct slu_instance *in, double *r, double *w)
{
	char name[SLU_LOOP_NAME], image[PATH_MAX], *slash;

	slu_copy(image, sizeof(image) - 8, in->fs); /* DIR/fs and DIR/image */
	slash = strrchr(image, '/');
	if (!slash)
		return -1;
	strcpy(slash, "/image");
	return slu_loop_under(in->fs, image, name, NULL) ||
	       slu_loop_counters(name, r, w, NULL);
}

static int attach(const struct slu_instance *in, const struct slu_pair *attrs,
		  size_t n_attr, const char **root, struct slu_err *err)
{
	char path[PATH_MAX], text[80];
	double r, w;
	int n;

	(void)attrs, (void)n_attr;
	*root = in->fs;
	note_path(in, path, sizeof(path));
	if (!access(path, F_OK) || count(in, &r, &w))
		return 0;
	n = snprintf(text, sizeof(text), "%.0f %.0f\n", r, w);
	return slu_file_write(AT_FDCWD, path, text, (size_t)n, 0600, false,
			      err);
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	(void)in, (void)err;
	return 0;
}

static int counters(const struct slu_instance *in, double *read_bytes,
		    double *written_bytes, struct slu_err *err)
{
	char path[PATH_MAX];
	struct slu_buf text = {0};
	double r0 = 0, w0 = 0, r, w;
	int n = 0;

	note_path(in, path, sizeof(path));
	if (slu_file_read(AT_FDCWD, path, 128, &text, err))
		return -1;
	if (text.data)
		n = sscanf(text.data, "%lf %lf", &r0, &w0);
	slu_buf_free(&text);
	if (n != 2 || count(in, &r, &w))
		return slu_err(err, SLU_NOTFOUND, "no counters");
	*read_bytes = r - r0;
	*written_bytes = w - w0;
	return 0;
}

static int nothing(const struct slu_instance *in, struct slu_err *err)
{
	(void)in, (void)err;
	return 0;
}

const struct slu_driver slu_driver_scratch = {
	.name = "scratch",
	.probe = probe,
	.attach = attach,
	.check = check,
	.counters = counters,
	.detach = nothing,
	.stop = nothing,
};
