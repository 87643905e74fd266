/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads kernel, operating system, and the firmware's DMI strings. Names, which
 * differ between equal machines, are in a document of their own ("hostid").
 * Serial numbers, which only root may read, are left out, since every user may
 * query the map.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "common/jsonx.h"
#include "sysmap/linux/procs.h"

#define TEXT 256
#define DMI  "sys/class/dmi/id/"

/* A key of a document and the file with its value. */
struct fact {
	const char *key;
	const char *path;
};

static void add_facts(const struct slu_root *root, const struct fact *fact,
		      struct json_object *out)
{
	char value[TEXT];

	for (; fact->key; fact++)
		if (slu_root_attr(root, value, sizeof(value), "%s", fact->path))
			slu_json_set_str(out, fact->key, value);
}

/* A recorded tree may have /proc/version only: "Linux version 5.10 (...) #1
 * SMP ...". */
static void add_version(const struct slu_root *root, struct json_object *out)
{
	char text[1024], *word[3], *build;

	if (!slu_root_attr(root, text, sizeof(text), "proc/version"))
		return;
	build = strrchr(text, '#');
	if (build)
		slu_json_set_str(out, "Version", build);
	if (slu_split(text, " ", word, 3) >= 3) {
		slu_json_set_str(out, "Sysname", word[0]);
		slu_json_set_str(out, "Release", word[2]);
	}
}

static void add_kernel(const struct slu_root *root, struct json_object *out)
{
	static const struct fact facts[] = {
		{"Sysname", "proc/sys/kernel/ostype"},
		{"Release", "proc/sys/kernel/osrelease"},
		{"Version", "proc/sys/kernel/version"},
		{NULL, NULL}};
	struct utsname uts;

	if (slu_root_exists(root, "%s", facts[0].path))
		add_facts(root, facts, out);
	else
		add_version(root, out);
	if (root->live && uname(&uts) == 0)
		slu_json_set_str(out, "Machine", uts.machine);
}

/* KEY="value" lines of /etc/os-release. */
static void add_os(const struct slu_root *root, struct json_object *out)
{
	struct slu_buf text = {0};
	char *rest, *line, *value;
	size_t len;

	if (slu_root_read(root, "etc/os-release", 1 << 16, &text, NULL))
		goto out;
	rest = text.data;
	while ((line = strsep(&rest, "\n"))) {
		if (strncmp(line, "PRETTY_NAME=", 12) != 0)
			continue;
		value = slu_trim(line + 12);
		len = strlen(value);
		if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
			value[len - 1] = '\0';
			value++;
		}
		slu_json_set_str(out, "OperatingSystem", slu_printable(value));
		break;
	}
out:
	slu_buf_free(&text);
}

/* DMI strings; a virtual machine may have none. */
static const struct fact dmi[] = {{"SystemVendor", DMI "sys_vendor"},
				  {"ProductName", DMI "product_name"},
				  {"ProductVersion", DMI "product_version"},
				  {"BoardVendor", DMI "board_vendor"},
				  {"BoardName", DMI "board_name"},
				  {"BiosVendor", DMI "bios_vendor"},
				  {"BiosVersion", DMI "bios_version"},
				  {"BiosDate", DMI "bios_date"},
				  {NULL, NULL}};

const char *const slu_linux_machine_keys[] = {
	"SystemVendor", "ProductName", "ProductVersion",
	"BoardVendor",	"BoardName",   "BiosVendor",
	"BiosVersion",	"BiosDate",    NULL};

int slu_linux_machine(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err)
{
	struct json_object *obj = json_object_new_object();

	(void)err;
	add_kernel(root, obj);
	add_os(root, obj);
	add_facts(root, dmi, obj);
	*out = obj;
	return 0;
}

int slu_linux_hostid(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err)
{
	static const struct fact facts[] = {
		{"NodeName", "proc/sys/kernel/hostname"}, {NULL, NULL}};
	struct json_object *obj = json_object_new_object();

	add_facts(root, facts, obj);
	if (json_object_object_length(obj) == 0) {
		json_object_put(obj);
		return slu_err(err, SLU_NOTFOUND, "no name");
	}
	*out = obj;
	return 0;
}
