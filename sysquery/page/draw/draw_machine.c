/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the hosts by switch, and marks those that differ from slurm.conf. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "common/hostlist.h"
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define CELL 14.0
#define AT   130.0
#define LINE ((int)((SLU_SVG_RIGHT - AT) / CELL))

static const struct slu_html_column columns[] = {
	{"nodes", "Nodes", SLU_COL_PLAIN},
	{"severity", "Severity", SLU_COL_PLAIN},
	{"key", "Key", SLU_COL_PLAIN},
	{"conf", "slurm.conf says", SLU_COL_PLAIN},
	{"map", "They have", SLU_COL_PLAIN},
	{"change", "Write", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_html_column switch_columns[] = {
	{"switch", "Switch", SLU_COL_PLAIN},
	{"hosts", "Hosts", SLU_COL_PLAIN},
	{.key = NULL},
};

/* Sorted lists of hosts. */
struct machine {
	struct slu_hosts all, wrong, hint, silent, drawn;
};

static void take(struct slu_hosts *to, const char *list)
{
	struct slu_hosts hosts;

	if (slu_hosts_parse(list, &hosts, NULL) < 0)
		return;
	if (!to->n) { /* faster than one by one */
		slu_hosts_free(to);
		*to = hosts;
		return;
	}
	for (size_t i = 0; i < hosts.n; i++)
		slu_hosts_add(to, hosts.name[i]);
	slu_hosts_free(&hosts);
}

static void take_findings(struct machine *m, struct json_object *check)
{
	struct json_object *one;
	bool wrong;

	for (size_t i = 0; i < slu_doc_length(check); i++) {
		one = slu_doc_at(check, i);
		wrong = !strcmp(slu_doc_text(one, "severity"), "wrong");
		take(wrong ? &m->wrong : &m->hint, slu_doc_text(one, "nodes"));
	}
	slu_hosts_sort(&m->wrong);
	slu_hosts_sort(&m->hint);
}

static void draw_host(const struct slu_page *p, const struct machine *m,
		      const char *host, double x, double y)
{
	const char *class = "ok";

	if (slu_hosts_sorted_has(&m->wrong, host))
		class = "wrong";
	else if (slu_hosts_sorted_has(&m->silent, host))
		class = "quiet";
	else if (slu_hosts_sorted_has(&m->hint, host))
		class = "hint";
	slu_svg_rect(p->out, class, x, y, CELL - 3, CELL - 3, host);
	if (*class == 'w')
		slu_svg_cross(p->out, "cross", x + (CELL - 3) / 2,
			      y + (CELL - 3) / 2, 3.5);
}

static double height_of(const char *list)
{
	struct slu_hosts hosts;
	size_t n;

	if (slu_hosts_parse(list, &hosts, NULL) < 0)
		return 0;
	n = hosts.n;
	slu_hosts_free(&hosts);
	return CELL * (double)((n + LINE - 1) / LINE) + 5;
}

/* Returns the y of the next one. */
static double draw_switch(const struct slu_page *p, const struct machine *m,
			  const char *name, const char *list, double y)
{
	struct slu_hosts hosts;

	if (slu_hosts_parse(list, &hosts, NULL) < 0)
		return y;
	slu_svg_text(p->out, "", AT - 8, y + 10, "end", 18, name);
	for (size_t i = 0; i < hosts.n; i++)
		draw_host(p, m, hosts.name[i],
			  AT + CELL * (double)(i % (size_t)LINE),
			  y + CELL * (double)(i / (size_t)LINE));
	slu_hosts_free(&hosts);
	return y + height_of(list);
}

/* Hosts of the map without a known switch; caller frees. */
static char *elsewhere(struct machine *m, struct json_object *switches)
{
	struct slu_hosts rest = {0};
	char *text;

	for (size_t i = 0; i < slu_doc_length(switches); i++)
		take(&m->drawn, slu_doc_text(slu_doc_at(switches, i), "hosts"));
	slu_hosts_sort(&m->drawn);
	for (size_t i = 0; i < m->all.n; i++)
		if (!slu_hosts_sorted_has(&m->drawn, m->all.name[i]))
			slu_hosts_add(&rest, m->all.name[i]);
	text = rest.n ? slu_hosts_text(&rest) : NULL;
	slu_hosts_free(&rest);
	return text;
}

static void draw_map(const struct slu_page *p, struct machine *m,
		     struct json_object *switches)
{
	static const struct slu_legend legend[] = {
		{"ok", "as slurm.conf says", SLU_MARK_AREA},
		{"hint", "has more, or unknown to one", SLU_MARK_AREA},
		{"wrong", "less than slurm.conf says", SLU_MARK_AREA},
		{"quiet", "not heard of for two days", SLU_MARK_AREA},
		{NULL, NULL, SLU_MARK_AREA},
	};
	char *rest = elsewhere(m, switches);
	double height = rest ? height_of(rest) : 0, y = 0;
	struct json_object *one;

	for (size_t i = 0; i < slu_doc_length(switches); i++)
		height += height_of(
			slu_doc_text(slu_doc_at(switches, i), "hosts"));
	slu_svg_begin(p->out, "hosts", "Hosts by switch",
		      "A square for each host beside the name of its switch; a "
		      "cross marks what is less than slurm.conf says.",
		      height + 24);
	for (size_t i = 0; i < slu_doc_length(switches); i++) {
		one = slu_doc_at(switches, i);
		y = draw_switch(p, m, slu_doc_text(one, "switch"),
				slu_doc_text(one, "hosts"), y);
	}
	if (rest)
		draw_switch(p, m, "no switch known", rest, y);
	slu_svg_legend(p->out, height + 14, legend);
	slu_svg_end(p->out);
	free(rest);
}

static void say_check(const struct slu_page *p, const struct machine *m)
{
	const char *error = slu_doc_text(p->doc, "check_error");

	if (*error)
		slu_html_none(p->out, "Not compared with slurm.conf.", error);
	else if (!m->wrong.n && !m->hint.n)
		slu_html_p(p->out, NULL,
			   "%zu hosts are in the resource map, all as "
			   "slurm.conf says.",
			   m->all.n);
	else
		slu_html_p(p->out, NULL,
			   "%zu hosts are in the resource map; %zu have less "
			   "than slurm.conf says, %zu something that it does "
			   "not say.",
			   m->all.n, m->wrong.n, m->hint.n);
}

void slu_draw_machine(const struct slu_page *p)
{
	struct json_object *machine = slu_doc_object(p->doc, "machine");
	struct json_object *switches = slu_doc_list(machine, "switches");
	struct machine m = {0};

	take(&m.all, slu_doc_text(machine, "hosts"));
	if (!m.all.n) {
		slu_html_none(p->out, "The resource map is empty.",
			      "sysmap --push on the nodes (sysmap.timer does "
			      "so) tells what they have.");
		slu_hosts_free(&m.all);
		return;
	}
	take(&m.silent, slu_doc_text(machine, "silent"));
	slu_hosts_sort(&m.silent);
	take_findings(&m, slu_doc_list(p->doc, "check"));
	say_check(p, &m);
	draw_map(p, &m, switches);
	slu_html_details(p->out, "What differs from slurm.conf",
			 slu_doc_list(p->doc, "check"), columns);
	slu_html_details(p->out, "Hosts by switch", switches, switch_columns);
	slu_hosts_free(&m.all);
	slu_hosts_free(&m.wrong);
	slu_hosts_free(&m.hint);
	slu_hosts_free(&m.silent);
	slu_hosts_free(&m.drawn);
}
