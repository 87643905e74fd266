#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `make html`: every page is there, is well-formed enough for a strict parser to
# find its anchors, and every link between pages and to pictures leads to one.
set -u
command -v pandoc >/dev/null || exit 77
make -s html || exit 1
failed=0
pages=$(find html -name '*.html')
[ "$(wc -l <<<"$pages")" -gt 15 ] || { echo "too few pages" && exit 1; }

attribute() { # NAME PAGE
	tr '\n' ' ' <"$2" | grep -oE " $1=\"[^\"]*\"" | cut -d'"' -f2
}

for page in $pages; do
	while read -r link; do
		file=$(dirname "$page")/${link%%#*}
		[ "${link%%#*}" ] || file=$page
		case $link in
		*.md | *.md#*) echo "$page: $link is no HTML" ;;
		http* | mailto:*) continue ;;
		*.html* | *.svg | \#*)
			if [ ! -e "$file" ]; then
				echo "$page: there is no $link"
			elif [[ $link = *\#* ]] &&
				! attribute id "$file" | grep -qxF -- "${link#*#}"; then
				echo "$page: there is no place $link"
			else
				continue
			fi
			;;
		*) continue ;;
		esac
		failed=1
	done < <(attribute href "$page" && attribute src "$page")
done
exit $failed
