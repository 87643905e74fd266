/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `sluice-node probe --push`: sends the results as documents of the resource
 * map. */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"

#include <fcntl.h>
#include "burst_buffer/node/talk.h"
#include "common/cred.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "sysmap/extract.h"

#define SECONDS 10.0

static int push(struct slu_node *n, const char *name,
		struct json_object *document, struct slu_err *err)
{
	struct json_object *body = json_object_new_object();
	struct json_object *documents = json_object_new_object();
	struct slu_buf reply = {0};
	int rc;

	slu_json_set_str(body, "host", n->name);
	slu_json_set_str(documents, name, slu_json_text(document));
	json_object_object_add(body, "documents", documents);
	rc = slu_talk_once(n, "/v1/sysmap/documents",
			   json_object_to_json_string(body), SECONDS, &reply,
			   err);
	slu_buf_free(&reply);
	json_object_put(body);
	return rc;
}

/* The SHA-256 of the sluice.conf in use; "": it cannot be read. */
static const char *conf_hash(const struct slu_node *n, char hash[65])
{
	struct slu_buf text = {0};

	slu_copy(hash, 65, n->origin.hash);
	if (!*n->origin.from && slu_file_read(AT_FDCWD, n->origin.path,
					      SLU_CONF_MOST, &text, NULL) == 0)
		slu_sha256(text.data ? text.data : "", text.len, hash);
	slu_buf_free(&text);
	return hash;
}

/* The document that `sysquery doctor` reads. */
static struct json_object *document(const struct slu_node *n,
				    const struct slu_probe *p)
{
	struct json_object *doc = json_object_new_object();
	char hash[65];

	slu_json_set_str(doc, "release", PACKAGE_VERSION);
	slu_json_set_str(doc, "conf", conf_hash(n, hash));
	json_object_object_add(doc, "rows", json_object_get(p->stable));
	return doc;
}

/* sluiced refuses requests at submission for which too few nodes are able, and
 * stores the rest for administrators. An older sluiced ignores it. */
int slu_probe_push(struct slu_node *n, const struct slu_probe *p,
		   struct slu_err *err)
{
	struct json_object *doc = document(n, p);
	int rc = push(n, SLU_DOCUMENT_FILESYSTEMS, p->fs, err);

	if (rc == 0)
		rc = push(n, SLU_DOCUMENT_PROBE, doc, err);
	json_object_put(doc);
	return rc && err->kind == SLU_INVALID ? 0 : rc;
}
