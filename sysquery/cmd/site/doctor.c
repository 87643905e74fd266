/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery doctor: finds problems of the cluster, and prints commands that show
 * or solve them. Why this host cannot query sluiced is checked here; the other
 * checks are sluiced's (sluiced/doctor/doctor.h).
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include "common/conf_host.h"
#include "common/cred.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/size.h"

static void add(struct json_object *findings, const char *kind,
		const char *what, const char *on, const char *type)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "severity", "error");
	slu_json_set_str(row, "kind", kind);
	slu_json_set_str(row, "what", what);
	slu_json_set_str(row, "on", on);
	slu_json_set_str(row, "type", type);
	json_object_array_add(findings, row);
}

static const char *this_host(char name[256])
{
	*name = '\0';
	gethostname(name, 255);
	return name;
}

/* munged */

static bool check_munge(struct json_object *findings)
{
	char nonce[SLU_NONCE_TEXT], host[256];
	struct slu_err err;
	char *cred = slu_cred_request("POST", "/", "", 0, nonce, &err);

	if (!cred)
		add(findings, "munge", err.text, this_host(host),
		    "systemctl start munge");
	free(cred);
	return cred != NULL;
}

/* sluice.conf */

/* From an invalid file only the address of sluiced is used. */
static struct slu_conf *whom_to_ask(const char *path)
{
	static const char key[] = "DaemonAddr";
	struct slu_buf text = {0}, lines = {0};
	struct slu_conf *conf = NULL;
	char *rest, *line;

	if (slu_file_read(AT_FDCWD, path, SLU_CONF_MOST, &text, NULL) == 0) {
		slu_buf_puts(&lines, "\n");
		for (rest = text.data; (line = strsep(&rest, "\n"));) {
			line += strspn(line, " \t");
			if (!strncasecmp(line, key, strlen(key)))
				slu_buf_printf(&lines, "%s\n", line);
		}
		conf = slu_conf_parse(lines.data, path, NULL);
	}
	slu_buf_free(&lines);
	slu_buf_free(&text);
	return conf;
}

/* NULL: there is no file, or it is invalid, which is a finding. */
static struct slu_conf *check_conf(const struct slu_ask *ask,
				   struct json_object *findings)
{
	struct slu_conf_origin origin;
	struct slu_conf *conf;
	struct slu_err err;
	char host[256];

	if (ask->server)
		return NULL;
	conf = slu_conf_of_host(5, &origin, &err);
	if (conf)
		return conf;
	/* sluiced reports an invalid file of its own, with what it uses */
	conf = *origin.path ? whom_to_ask(origin.path) : NULL;
	if (!conf)
		add(findings, "sluice.conf", err.text, this_host(host),
		    "sluiced --check-conf");
	return conf;
}

/* sluiced */

/* The host of an address: the part before the colon. */
static void check_answer(const struct slu_conf *conf, const struct slu_err *err,
			 struct json_object *findings)
{
	char host[256];

	this_host(host);
	if (conf && conf->daemon_addr && conf->daemon_addr[0]) {
		slu_copy(host, sizeof(host), conf->daemon_addr[0]);
		host[strcspn(host, ":")] = '\0';
	}
	add(findings, "sluiced", err->text, host, "systemctl start sluiced");
}

static struct json_object *ask_at(struct slu_ask *ask, const char *server,
				  struct slu_err *err)
{
	const char *was = ask->server;
	struct json_object *answer;

	ask->server = server;
	answer = slu_ask_object(ask, "doctor", err);
	ask->server = was;
	return answer;
}

/* Asks each address of sluiced until one answers. With an invalid sluice.conf
 * no other code does this. */
static struct json_object *ask_sluiced(struct slu_ask *ask,
				       const struct slu_conf *conf,
				       struct slu_err *err)
{
	struct json_object *answer = NULL;

	if (ask->server || !conf)
		return slu_ask_object(ask, "doctor", err);
	for (char **addr = conf->daemon_addr; !answer && addr && *addr; addr++)
		answer = ask_at(ask, *addr, err);
	return answer;
}

/* All findings; -1: the user may not ask. Caller puts. */
static struct json_object *examine(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *mine = json_object_new_array(), *answer = NULL;
	struct slu_conf *conf = check_conf(ask, mine);

	if (check_munge(mine) && (conf || ask->server)) {
		answer = ask_sluiced(ask, conf, err);
		if (!answer && err->kind != SLU_DENIED)
			check_answer(conf, err, mine);
	}
	slu_conf_free(conf);
	if (!answer && json_object_array_length(mine)) {
		answer = json_object_new_object();
		slu_json_set_i64(answer, "time", (int64_t)time(NULL));
		json_object_object_add(answer, "findings",
				       json_object_get(mine));
	}
	json_object_put(mine);
	return answer;
}

/* As text */

/* Quotes text for a shell, without characters that control a terminal. */
static void put(struct slu_buf *out, const char *text)
{
	char *copy = strdup(text ? text : "?");

	slu_buf_puts(out, copy ? slu_printable(copy) : "?");
	free(copy);
}

/* Does the sentence of this kind already have the age? */
static bool tells_age(const char *kind)
{
	return kind && (!strcmp(kind, "phase") || !strcmp(kind, "kept"));
}

static void print_one(const struct slu_ask *ask, struct json_object *row,
		      int64_t now, struct slu_buf *out)
{
	const char *on = slu_json_str_at(row, "on"),
		   *type = slu_json_str_at(row, "type");
	const char *severity = slu_json_str_at(row, "severity");
	const char *what = slu_json_str_at(row, "what");
	char age[SLU_TIME_TEXT] = "";
	int64_t since = 0;

	slu_json_i64_opt(row, "since", &since, NULL);
	if (since > 0 && since < now &&
	    !tells_age(slu_json_str_at(row, "kind")))
		slu_seconds_text((double)(now - since), age);
	slu_ask_say(ask, out, "%s: %s%s%s%s", severity ? severity : "?",
		    what ? what : "?", *age ? " (for " : "", age,
		    *age ? ")" : "");
	if (!type)
		return;
	slu_buf_puts(out, on ? "    on " : "    ");
	if (on)
		put(out, on);
	slu_buf_puts(out, on ? ": " : "");
	put(out, type);
	slu_buf_puts(out, "\n");
}

static bool is_ill(struct json_object *answer)
{
	struct json_object *findings = NULL;
	const char *severity;

	json_object_object_get_ex(answer, "findings", &findings);
	for (size_t i = 0; json_object_is_type(findings, json_type_array) &&
			   i < json_object_array_length(findings);
	     i++) {
		severity = slu_json_str_at(
			json_object_array_get_idx(findings, i), "severity");
		if (!slu_eq(severity, "note"))
			return true;
	}
	return false;
}

static int print_all(const struct slu_ask *ask, struct json_object *answer,
		     struct slu_buf *out, struct slu_err *err)
{
	struct json_object *findings;
	int64_t now = 0;

	slu_json_i64_opt(answer, "time", &now, NULL);
	if (!json_object_object_get_ex(answer, "findings", &findings) ||
	    !json_object_is_type(findings, json_type_array))
		return slu_err(err, SLU_IO, "the answer has no findings");
	for (size_t i = 0; i < json_object_array_length(findings); i++)
		print_one(ask, json_object_array_get_idx(findings, i), now,
			  out);
	if (!is_ill(answer))
		slu_buf_puts(out,
			     json_object_array_length(findings)
				     ? "nothing is wrong\n"
				     : "nothing is wrong, nothing to do\n");
	return 0;
}

int slu_cmd_doctor(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *answer;
	int ret;

	if (ask->file)
		return slu_err(err, SLU_INVALID,
			       "only sluiced can answer this: leave out -f");
	answer = examine(ask, err);
	if (!answer)
		return -1;
	ret = slu_ask_present(ask, "doctor", answer, print_all, err);
	ask->differs = is_ill(answer);
	json_object_put(answer);
	return ret;
}
