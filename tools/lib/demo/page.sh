# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Question 7: all of it as pictures. Sourced by tools/demo.

show_page() {
	local page=$BUILD/demo.html
	question 7 "And what does all of that look like?"
	on_controller sysquery page --since "@$BEGUN" >"$page.new" &&
		mv "$page.new" "$page" && [ -s "$page" ]
	verdict $? "Pictures of it are in $page: open it in any browser."
	say "It is one file without scripts, as cron or a mail would send it" \
		"(sysquery page); sluice-web serves the same live."
}
