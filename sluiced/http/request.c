/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a request's headers, arguments and peer address from libmicrohttpd, and
 * maps each kind of error to an HTTP status.
 */
#include "sluiced/http/request.h"

#include <arpa/inet.h>
#include <string.h>
#include <microhttpd.h>

int slu_httpd_status(enum slu_kind kind)
{
	switch (kind) {
	case SLU_NOTFOUND:
		return MHD_HTTP_NOT_FOUND;
	case SLU_INVALID:
		return MHD_HTTP_BAD_REQUEST;
	case SLU_DENIED:
		return MHD_HTTP_FORBIDDEN;
	case SLU_BUSY:
		return MHD_HTTP_CONFLICT;
	case SLU_TIMEOUT:
		return MHD_HTTP_GATEWAY_TIMEOUT;
	case SLU_IO:
	case SLU_NOMEM:
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	case SLU_INTERNAL:
		break;
	}
	return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

const char *slu_httpd_header(struct slu_req *req, const char *name)
{
	return MHD_lookup_connection_value(req->conn, MHD_HEADER_KIND, name);
}

const char *slu_httpd_argument(struct slu_req *req, const char *name)
{
	return MHD_lookup_connection_value(req->conn, MHD_GET_ARGUMENT_KIND,
					   name);
}

#define MAPPED "::ffff:"

const char *slu_httpd_peer(const struct slu_req *req, char text[SLU_HTTPD_PEER])
{
	const union MHD_ConnectionInfo *info =
		req->conn
			? MHD_get_connection_info(
				  req->conn, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
			: NULL;
	const struct sockaddr *addr = info ? info->client_addr : NULL;

	slu_copy(text, SLU_HTTPD_PEER, "?");
	if (addr && addr->sa_family == AF_INET)
		inet_ntop(AF_INET,
			  &((const struct sockaddr_in *)addr)->sin_addr, text,
			  SLU_HTTPD_PEER);
	else if (addr && addr->sa_family == AF_INET6)
		inet_ntop(AF_INET6,
			  &((const struct sockaddr_in6 *)addr)->sin6_addr, text,
			  SLU_HTTPD_PEER);
	/* an IPv4 address on a socket that also takes IPv6 */
	return strncmp(text, MAPPED, strlen(MAPPED)) ? text
						     : text + strlen(MAPPED);
}
