/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates, reads and compares the token. A token file must belong to the user
 * and be readable by no other. */
#include "config.h"
#include "sysquery/web/token.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"

#define BYTES 32

int slu_token_make(char out[SLU_TOKEN_TEXT], struct slu_err *err)
{
	unsigned char random[BYTES];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return slu_errno(err, SLU_IO, "random numbers");
	for (size_t i = 0; i < BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", random[i]);
	return 0;
}

static bool is_token(const char *text)
{
	size_t n = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ-_");

	return !text[n] && n >= SLU_TOKEN_LEAST && n < SLU_TOKEN_TEXT;
}

/* Of the open file, so that the checked file is the one that is read. */
static int check(int fd, const char *path, struct slu_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return slu_err(err, SLU_DENIED,
			       "%s: it must be yours, and no other's to read "
			       "or write: chmod 600",
			       path);
	return 0;
}

static int take(int fd, const char *path, char out[SLU_TOKEN_TEXT],
		struct slu_err *err)
{
	struct slu_buf text = {0};
	char *token;
	int rc = check(fd, path, err);

	if (rc == 0)
		rc = slu_fd_read(fd, path, 4096, &text, err);
	token = rc == 0 ? slu_trim(text.data ? text.data : (char[]){""}) : NULL;
	if (rc == 0 && !is_token(token))
		rc = slu_err(err, SLU_INVALID,
			     "%s: no token: want %d to %d letters, digits, '-' "
			     "or '_'",
			     path, SLU_TOKEN_LEAST, SLU_TOKEN_TEXT - 1);
	if (rc == 0)
		slu_copy(out, SLU_TOKEN_TEXT, token);
	slu_buf_free(&text);
	return rc;
}

static int make_file(const char *path, char out[SLU_TOKEN_TEXT],
		     struct slu_err *err)
{
	char line[SLU_TOKEN_TEXT + 1];

	if (slu_token_make(out, err) < 0)
		return -1;
	snprintf(line, sizeof(line), "%s\n", out);
	return slu_file_write(AT_FDCWD, path, line, strlen(line), 0600, false,
			      err);
}

int slu_token_of_file(const char *path, char out[SLU_TOKEN_TEXT],
		      struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd < 0 && access(path, F_OK) < 0)
		return make_file(path, out, err);
	if (fd < 0)
		return slu_errno(err, SLU_DENIED, "%s", path);
	rc = take(fd, path, out, err);
	close(fd);
	return rc;
}

bool slu_token_is(const char *token, const char *said)
{
	size_t n = strlen(token), m = said ? strlen(said) : 0;
	unsigned char other = n != m;

	for (size_t i = 0; i < n; i++)
		other |= (unsigned char)(token[i] ^ (i < m ? said[i] : 0));
	return !other;
}
