#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sluice-web: who is let in, with which headers, and what is refused; then the
# page in a real browser, where there is one. Run in the build directory.
set -u
export TZ=UTC LC_ALL=C
command -v curl >/dev/null || {
	echo 'skipped: no curl'
	exit 77
}
dir=$(mktemp -d)
failed=0 web=
trap '[ -z "$web" ] || kill $web; rm -rf "$dir"' EXIT

complain() {
	echo "$*"
	failed=1
}

start() { # OPTION...: sets web, url
	: >"$dir/out"
	./sluice-web -f "$dir/site.db" --listen 127.0.0.1:0 "$@" \
		>"$dir/out" 2>"$dir/err" &
	web=$!
	for ((i = 0; i < 600; i++)); do
		grep -q '^http' "$dir/out" && break
		sleep 0.1
	done
	url=$(head -1 "$dir/out")
	[ "$url" ] || {
		echo "it does not start: $(cat "$dir/err")"
		exit 1
	}
	base=${url%%\?*}
}

stop() {
	kill $web
	wait $web || complain "status $? at SIGTERM"
	web=
}

status() { # CURL-WORD...
	curl -s -m 60 -o "$dir/body" -D "$dir/head" -w '%{http_code}' "$@"
}

want() { # STATUS CURL-WORD...
	local got
	got=$(status "${@:2}")
	[ "$got" = "$1" ] || complain "${*:2}: $got instead of $1"
}

has() { # HEADER-PATTERN
	grep -qiE "^$1"$'\r?$' "$dir/head" || complain "no $1: $(cat "$dir/head")"
}

tests/unit/sysquery/make_site "$dir/site.db" 100 1000 "$(date +%s)" '<i>&"' || exit 99
start --since 30d
token=${url#*token=}
[ ${#token} = 64 ] || complain "the address: $url"

# Nobody without it is told anything, whatever they ask for.
for path in '' nothing '?token=' "?token=${token%?}" "?token=${token}x"; do
	want 403 "$base$path"
	grep -q '<' "$dir/body" && complain "$path: $(cat "$dir/body")"
done
want 403 -b "sluice-web=$token" "$base"
want 403 -H 'Authorization: Bearer no' "$base"

# Who has it gets a cookie, and goes on with it alone.
want 303 "$url"
has 'Location: /'
has "Set-Cookie: sluice-web-[0-9]+=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax"
cookie=$(sed -nE 's/^Set-Cookie: ([^;]*);.*/\1/ip' "$dir/head")
want 403 -b "${cookie%%=*}=$token" "$base"
want 200 -b "$cookie" "$base"
grep -q '<!DOCTYPE html>' "$dir/body" || complain 'no page'
grep -q "$token" "$dir/body" && complain 'the token is in the page'
grep -q 'http-equiv="refresh" content="60"' "$dir/body" || complain 'refresh'
want 200 -H "Authorization: Bearer $token" "$base"

# The token is in no cookie: who has the port next is sent it.
case $cookie in *"$token"*) complain "the cookie has the token" ;; esac

# Headers of all answers.
for words in "-b $cookie $base" "$base" "$url"; do
	# shellcheck disable=SC2086
	status $words >/dev/null
	has 'Cache-Control: no-store'
	has "Content-Security-Policy: default-src 'none'; .*frame-ancestors 'none'"
	has 'X-Content-Type-Options: nosniff'
	has 'Referrer-Policy: no-referrer'
	has 'X-Frame-Options: DENY'
done

# There is nothing else.
want 404 -b "$cookie" "${base}nothing"
want 404 -b "$cookie" --path-as-is "${base}../../etc/passwd"
want 405 -X POST -d x -b "$cookie" "$base"
want 405 -X DELETE -b "$cookie" "$base"
want 200 -I -b "$cookie" "$base"

# Only this host can come.
port=${base##*:}
port=${port%/}
! command -v ss >/dev/null ||
	[ "$(ss -Hltn "sport = :$port" | awk '{ print $4 }')" = "127.0.0.1:$port" ] ||
	complain "it listens elsewhere: $(ss -Hltn "sport = :$port")"

if command -v chromium >/dev/null && command -v python3 >/dev/null; then
	timeout 120 "${srcdir:-.}/tests/browser/look" "$url" >"$dir/found" ||
		complain "browser: $(cat "$dir/found")"
	python3 - "$dir/found" "$base" <<'EOT' || failed=1
import json, sys
found = json.load(open(sys.argv[1]))
want = {"console": [], "elsewhere": [], "nameless": 0, "scripts": 0,
        "sections": 7, "url": sys.argv[2]}
wrong = {k: found[k] for k, v in want.items() if found[k] != v}
if wrong:
    sys.exit(f"not as it should be: {wrong}")
EOT
else
	echo 'not looked at in a browser: no chromium (tools/setup --browser)'
fi
stop

# A token that stays, and is not printed.
start --token-file "$dir/token" --refresh 0
grep -q "$(cat "$dir/token")" "$dir/out" && complain 'it is printed'
[ "$(stat -c %a "$dir/token")" = 600 ] || complain 'the mode of the token'
want 303 "$base?token=$(cat "$dir/token")"
want 200 -H "Authorization: Bearer $(cat "$dir/token")" "$base"
grep -q http-equiv=.refresh "$dir/body" && complain 'refresh 0'
# What cannot be had is said, and comes back by itself.
mv "$dir/site.db" "$dir/away"
sleep 6
want 503 -H "Authorization: Bearer $(cat "$dir/token")" "$base"
has 'Retry-After: 10'
grep -q 'no such file' "$dir/body" || complain "503: $(cat "$dir/body")"
mv "$dir/away" "$dir/site.db"
want 200 -H "Authorization: Bearer $(cat "$dir/token")" "$base"
stop
chmod 644 "$dir/token"
./sluice-web -f "$dir/site.db" --listen 0 -t "$dir/token" >/dev/null \
	2>"$dir/err"
[ $? = 1 ] && grep -q 'chmod 600' "$dir/err" ||
	complain "a token for all: $(cat "$dir/err")"
exit $failed
