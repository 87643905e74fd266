/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads PCI functions ("pcidevices") and GPUs ("gpus") from /sys/bus/pci. */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sysmap/linux/pci.h"
#include "sysmap/linux/pcinames.h"
#include "sysmap/linux/procs.h"

#define FUNCTIONS_MAX 4096
#define GPUS_MAX      64

/* Addresses and names of all functions. Caller frees. */
struct functions {
	char **address;
	struct slu_pci_name *name;
	size_t n;
};

static void functions_free(struct functions *f)
{
	slu_strv_free(f->address);
	free(f->name);
}

static int functions_read(const struct slu_root *root, struct functions *f,
			  struct slu_err *err)
{
	*f = (struct functions){
		.address = slu_root_list(root, SLU_PCI_DEVICES, err)};
	if (!f->address)
		return -1;
	f->n = slu_strv_len(f->address);
	if (f->n > FUNCTIONS_MAX)
		f->n = FUNCTIONS_MAX;
	f->name = calloc(f->n + 1, sizeof(*f->name));
	if (!f->name) {
		functions_free(f);
		return slu_err(err, SLU_NOMEM, "PCI devices");
	}
	for (size_t i = 0; i < f->n; i++) {
		slu_printable(f->address[i]);
		f->name[i].vendor = slu_pci_hex(root, f->address[i], "vendor");
		f->name[i].device = slu_pci_hex(root, f->address[i], "device");
	}
	return 0;
}

int slu_linux_pci(const struct slu_root *root, struct json_object **out,
		  struct slu_err *err)
{
	struct slu_pci_device device;
	struct functions f;
	struct slu_pci pci;

	if (functions_read(root, &f, err))
		return -1;
	slu_pci_names_read(root, f.name, f.n);
	*out = json_object_new_array();
	for (size_t i = 0; i < f.n; i++) {
		slu_pci_read(root, f.address[i], &pci);
		device = (struct slu_pci_device){
			.place = slu_pci_place(&pci),
			.class_code = slu_pci_hex(root, pci.address, "class"),
			.vendor = f.name[i].vendor,
			.device = f.name[i].device,
			.subsystem_vendor = slu_pci_hex(root, pci.address,
							"subsystem_vendor"),
			.subsystem_device = slu_pci_hex(root, pci.address,
							"subsystem_device"),
			.vendor_name = f.name[i].vendor_name,
			.device_name = f.name[i].device_name,
			.link = slu_pci_link_read(root, pci.address),
		};
		slu_pci_device_add(*out, &device);
	}
	functions_free(&f);
	return 0;
}

/* Parses "Model: 		 Tesla V100-SXM2-32GB" of NVIDIA's driver. */
static bool nvidia_model(const struct slu_root *root, const char *address,
			 char *out, size_t size)
{
	struct slu_buf text = {0};
	char path[128], *rest, *key, *value;

	out[0] = '\0';
	snprintf(path, sizeof(path),
		 "proc/driver/nvidia/gpus/%.32s/information", address);
	if (slu_root_read(root, path, 1 << 16, &text, NULL) == 0) {
		rest = text.data;
		while (!out[0] && slu_colon_line(&rest, &key, &value))
			if (strcmp(key, "Model") == 0)
				slu_copy(out, size, slu_printable(value));
	}
	slu_buf_free(&text);
	return out[0] != '\0';
}

/* Parses "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat ...",
 * or the module's version. */
static void driver_version(const struct slu_root *root, const char *driver,
			   char *out, size_t size)
{
	out[0] = '\0';
	if (driver[0])
		slu_root_attr(root, out, size, "sys/module/%s/version", driver);
}

static void add_gpu(const struct slu_root *root, const char *address,
		    struct slu_pci_name *name, struct json_object *out)
{
	char model[128], version[64];
	struct slu_pci pci;
	struct slu_gpu gpu = {.vendor = name->vendor, .device = name->device};

	slu_pci_read(root, address, &pci);
	driver_version(root, pci.driver, version, sizeof(version));
	if (!nvidia_model(root, address, model, sizeof(model)) &&
	    !slu_root_attr(root, model, sizeof(model),
			   SLU_PCI_DEVICES "/%s/product_name", address)) {
		slu_pci_names_read(root, name, 1);
		slu_copy(model, sizeof(model), name->device_name);
	}
	slu_root_number(root, &gpu.memory,
			SLU_PCI_DEVICES "/%s/mem_info_vram_total", address);
	gpu.model = model;
	gpu.driver_version = version;
	gpu.place = slu_pci_place(&pci);
	gpu.link = slu_pci_link_read(root, address);
	slu_gpu_add(out, &gpu);
}

int slu_linux_gpus(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err)
{
	struct functions f;

	if (functions_read(root, &f, err))
		return -1;
	*out = json_object_new_array();
	for (size_t i = 0; i < f.n && json_object_array_length(*out) < GPUS_MAX;
	     i++)
		if (slu_is_gpu(slu_pci_hex(root, f.address[i], "class"),
			       f.name[i].vendor, f.name[i].device))
			add_gpu(root, f.address[i], &f.name[i], *out);
	functions_free(&f);
	return 0;
}
