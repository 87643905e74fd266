/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin node_features/sluice: declares which node features are ours, so
 * that Slurm does not take them for the administrator's. They are ion_free,
 * ion_assigned and ion_shared and never any other: slurmctld keeps every name
 * it has ever seen. They are set by libsluice's thread (node_labels.c), never
 * by rebooting a node. Loaded by slurmd too, where it does nothing.
 */
#include "config.h"
#include "plugins/host.h"

const char plugin_name[] = "Sluice node features plugin";
const char plugin_type[] = "node_features/sluice";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

static struct slu_ctl *ctl;

int init(void)
{
	ctl = slu_host_acquire(plugin_type);
	return SLURM_SUCCESS;
}

int fini(void)
{
	slu_ctl_release(ctl);
	ctl = NULL;
	return SLURM_SUCCESS;
}

/* Asked to know which features a reboot may change: none. */
bool node_features_p_changeable_feature(char *feature)
{
	(void)feature;
	return false;
}

int node_features_p_get_node(char *node_list)
{
	(void)node_list;
	return SLURM_SUCCESS;
}

int node_features_p_job_valid(char *job_features SLU_SINCE_23_02(list_t *))
{
	(void)job_features;
	return SLURM_SUCCESS;
}

/* Required since 26.05. */
bool node_features_p_job_features_need_reboot(char *features)
{
	(void)features;
	return false;
}

char *node_features_p_job_xlate(char *job_features SLU_SINCE_23_02(list_t *,
								   bitstr_t *))
{
	(void)job_features;
	return NULL;
}

bitstr_t *node_features_p_get_node_bitmap(void)
{
	return NULL;
}

int node_features_p_overlap(bitstr_t *active_bitmap)
{
	(void)active_bitmap;
	return 0;
}

bool node_features_p_node_power(void)
{
	return false;
}

int node_features_p_node_set(char *active_features SLU_SINCE_24_05(bool *))
{
	(void)active_features;
	return SLURM_SUCCESS;
}

void node_features_p_node_state(char **avail_modes, char **current_mode)
{
	(void)avail_modes;
	(void)current_mode;
}

int node_features_p_node_update(char *active_features, bitstr_t *node_bitmap)
{
	(void)active_features;
	(void)node_bitmap;
	return SLURM_SUCCESS;
}

bool node_features_p_node_update_valid(void *node_ptr,
				       update_node_msg_t *update_node_msg)
{
	(void)node_ptr;
	(void)update_node_msg;
	return true;
}

/* An administrator's new features: ours, if there are any, stay as they are. */
char *node_features_p_node_xlate(char *new_features, char *orig_features,
				 char *avail_features, int node_inx)
{
	(void)avail_features;
	(void)node_inx;
	return new_features
		       ? slu_node_labels_features(new_features, orig_features)
		       : xstrdup(orig_features);
}

char *node_features_p_node_xlate2(char *new_features)
{
	return xstrdup(new_features);
}

void node_features_p_step_config(bool mem_sort, bitstr_t *numa_bitmap)
{
	(void)mem_sort;
	(void)numa_bitmap;
}

uint32_t node_features_p_reboot_weight(void)
{
	return INFINITE - 1;
}

int node_features_p_reconfig(void)
{
	if (ctl)
		slu_ctl_reload(ctl);
	return SLURM_SUCCESS;
}

bool node_features_p_user_update(uid_t uid)
{
	(void)uid;
	return false;
}

uint32_t node_features_p_boot_time(void)
{
	return 0;
}

void node_features_p_get_config(config_plugin_params_t *p)
{
	(void)p;
}
