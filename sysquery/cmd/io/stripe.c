/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery stripe explain: recommends a layout for a file, with the reasons.
 * For stripe check see stripe_check.h. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <string.h>
#include "common/jsonx.h"
#include "select_io/stripe/composite_layout.h"
#include "sysquery/cmd/io/stripe_check.h"

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	const char *command = "";

	slu_json_str_opt(answer, "command", &command, NULL);
	if (slu_ask_part(ask, NULL, answer, slu_form_stripe.keys, "components",
			 out, err))
		return -1;
	slu_buf_puts(out, "\n");
	slu_ask_say_command(out, command, "FILE");
	return 0;
}

/* Can it be answered without sluiced? One of the paper's layouts, or, if
 * sluiced cannot be reached, the layout for an unnamed file system. */
static bool at_hand(const struct slu_ask *ask)
{
	if (slu_ask_given(ask, SLU_OPT_PRESET))
		return !ask->file;
	return !slu_ask_given(ask, SLU_OPT_FSNAME) && slu_ask_nobody(ask);
}

static int explain(struct slu_ask *ask, struct slu_err *err)
{
	static const struct slu_stripe_request nothing = {0};
	struct json_object *answer;
	int ret;

	if (slu_ask_given(ask, SLU_OPT_TOP))
		return slu_err(err, SLU_INVALID,
			       "stripe: --top belongs to stripe check");
	if (slu_ask_given(ask, SLU_OPT_PRESET) &&
	    (slu_ask_given(ask, SLU_OPT_SIZE) ||
	     slu_ask_given(ask, SLU_OPT_ACCESS) ||
	     slu_ask_given(ask, SLU_OPT_READERS) ||
	     slu_ask_given(ask, SLU_OPT_TASKS) ||
	     slu_ask_given(ask, SLU_OPT_TARGET_RATE) ||
	     slu_ask_given(ask, SLU_OPT_MDT) ||
	     slu_ask_given(ask, SLU_OPT_TARGETS)))
		return slu_err(err, SLU_INVALID,
			       "stripe: a --preset has no --size, --access, "
			       "--readers, --tasks, --targets, --mdt or "
			       "--target-rate");
	if (!at_hand(ask))
		return slu_ask_render(ask, "stripe", show, err);
	if (slu_stripe_explain(ask->args, &nothing, &answer, err))
		return -1;
	ret = slu_ask_present(ask, "stripe", answer, show, err);
	json_object_put(answer);
	return ret;
}

static int check(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->file || slu_ask_given(ask, SLU_OPT_PRESET) ||
	    slu_ask_given(ask, SLU_OPT_SIZE) ||
	    slu_ask_given(ask, SLU_OPT_TASKS) ||
	    slu_ask_given(ask, SLU_OPT_TARGETS) ||
	    slu_ask_given(ask, SLU_OPT_MDT) || slu_ask_given(ask, SLU_OPT_POOL))
		return slu_err(err, SLU_INVALID,
			       "stripe check has no -f, --preset, --size, "
			       "--tasks, --targets, --mdt or --pool: it looks "
			       "at what there is");
	return slu_stripe_check_files(ask, ask->operand[1], err);
}

int slu_cmd_stripe(struct slu_ask *ask, struct slu_err *err)
{
	const char *verb = ask->n_operands ? ask->operand[0] : "";

	if (ask->n_operands == 1 && strcmp(verb, "explain") == 0)
		return explain(ask, err);
	if (ask->n_operands == 2 && strcmp(verb, "check") == 0)
		return check(ask, err);
	return slu_err(err, SLU_INVALID,
		       "write: stripe explain, or stripe check DIRECTORY");
}
