/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_page FILE: prints the HTML page of a document (`sysquery page
 * --json`), so that tests can change the document first. */
#include "config.h"
#include <fcntl.h>
#include <stdio.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "sysquery/page/page.h"

int main(int argc, char **argv)
{
	struct slu_buf in = {0}, out = {0};
	struct json_object *doc = NULL;
	struct slu_err err = {0};
	int rc = -1;

	if (argc != 2)
		return 2;
	if (slu_file_read(AT_FDCWD, argv[1], 64u << 20, &in, &err) == 0)
		doc = slu_json_parse(in.data, in.len, &err);
	if (doc)
		rc = slu_page_render(doc, 0, &out, &err);
	if (rc == 0)
		fwrite(out.data, 1, out.len, stdout);
	else
		fprintf(stderr, "render_page: %s\n", err.text);
	json_object_put(doc);
	slu_buf_free(&in);
	slu_buf_free(&out);
	return rc < 0;
}
