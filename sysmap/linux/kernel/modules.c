/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the loaded kernel modules by name ("moduleinfo"), with the versions of
 * out-of-tree modules and the parameters of those that do I/O. Addresses and
 * reference counts change every second and are not included.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"

#define MODULES	  "sys/module"
#define TEXT	  256
#define NAMES_MAX 2048

/* Modules with parameters that affect I/O. */
static bool does_io(const char *name)
{
	static const char *const prefixes[] = {
		"nvme",	  "lnet", "ko2iblnd", "ksocklnd", "lustre",
		"ptlrpc", "osc",  "llite",    "mdc",	  "obdclass",
		"libcfs", "ib_",  "mlx5",     "mlx4",	  "hfi1",
		"fuse",	  "dm_",  "raid",     NULL};

	for (const char *const *p = prefixes; *p; p++)
		if (strncmp(name, *p, strlen(*p)) == 0)
			return true;
	return false;
}

static void add_parameters(const struct slu_root *root, const char *name,
			   struct json_object *obj)
{
	char path[300], value[TEXT], **files;
	struct json_object *list;

	snprintf(path, sizeof(path), MODULES "/%.200s/parameters", name);
	files = slu_root_list(root, path, NULL);
	if (!files)
		return;
	list = json_object_new_object();
	for (char **file = files; *file; file++)
		if (slu_root_attr(root, value, sizeof(value), "%s/%s", path,
				  *file))
			slu_json_set_str(list, slu_printable(*file), value);
	slu_strv_free(files);
	if (json_object_object_length(list))
		json_object_object_add(obj, "parameters", list);
	else
		json_object_put(list);
}

static void add_module(const struct slu_root *root, const char *name,
		       struct json_object *out)
{
	struct json_object *obj = json_object_new_object();
	char version[TEXT];

	slu_json_set_str(obj, "name", name);
	if (slu_root_attr(root, version, sizeof(version), MODULES "/%s/version",
			  name))
		slu_json_set_str(obj, "version", version);
	if (does_io(name))
		add_parameters(root, name, obj);
	json_object_array_add(out, obj);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* First words of the lines of /proc/modules. Returns their number. */
static size_t names_of(char *text, char **name)
{
	char *rest = text, *line;
	size_t n = 0;

	while (n < NAMES_MAX && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		if (*line && !strchr(line, '/'))
			name[n++] = slu_printable(line);
	}
	qsort(name, n, sizeof(*name), compare);
	return n;
}

int slu_linux_modules(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err)
{
	char **name = calloc(NAMES_MAX, sizeof(*name));
	struct slu_buf text = {0};
	size_t n;
	int ret;

	ret = name ? slu_root_read(root, "proc/modules", SLU_TABLE_MAX, &text,
				   err)
		   : slu_err(err, SLU_NOMEM, "modules");
	if (ret == 0) {
		n = names_of(text.data, name);
		*out = json_object_new_array();
		for (size_t i = 0; i < n; i++)
			add_module(root, name[i], *out);
	}
	slu_buf_free(&text);
	free(name);
	return ret;
}
