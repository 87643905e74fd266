/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises the columns of sacct by their titles, in all releases. Columns
 * with unknown titles are treated as free text.
 */
#include "config.h"
#include "job_submit/import/sacct_table.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NOT_READ SLU_SACCT_COLUMNS

struct title {
	const char *text;
	enum slu_sacct_form form;
	enum slu_sacct_column column;
};

/* Of several titles with one meaning, messages use the first. */
static const struct title titles[] = {
	{"JobID", SLU_SACCT_ID, SLU_SACCT_JOB_ID},
	{"JobIDRaw", SLU_SACCT_ID, SLU_SACCT_JOB_ID_RAW},
	{"UID", SLU_SACCT_NUMBER, SLU_SACCT_UID},
	{"Submit", SLU_SACCT_TIME, SLU_SACCT_SUBMIT},
	{"Eligible", SLU_SACCT_TIME, SLU_SACCT_ELIGIBLE},
	{"Start", SLU_SACCT_TIME, SLU_SACCT_START},
	{"End", SLU_SACCT_TIME, SLU_SACCT_END},
	{"Elapsed", SLU_SACCT_SPAN, SLU_SACCT_ELAPSED},
	{"ElapsedRaw", SLU_SACCT_SPAN, SLU_SACCT_ELAPSED},
	{"State", SLU_SACCT_STATUS, SLU_SACCT_STATE},
	{"NNodes", SLU_SACCT_NUMBER, SLU_SACCT_NODES},
	{"AllocNodes", SLU_SACCT_NUMBER, SLU_SACCT_NODES},
	{"NCPUS", SLU_SACCT_NUMBER, SLU_SACCT_CPUS},
	{"AllocCPUS", SLU_SACCT_NUMBER, SLU_SACCT_CPUS},
	{"Timelimit", SLU_SACCT_SPAN, SLU_SACCT_TIME_LIMIT},
	{"TimelimitRaw", SLU_SACCT_SPAN, SLU_SACCT_TIME_LIMIT},
	{"GID", SLU_SACCT_NUMBER, SLU_SACCT_GID},
	{"ExitCode", SLU_SACCT_EXIT, SLU_SACCT_EXIT_CODE},
	{"ReqMem", SLU_SACCT_SIZE, SLU_SACCT_MEMORY},
	{"NTasks", SLU_SACCT_NUMBER, SLU_SACCT_TASKS},
	{"AllocTRES", SLU_SACCT_TRES, SLU_SACCT_ALLOC_TRES},
	{"TRESUsageInTot", SLU_SACCT_TRES, SLU_SACCT_READ},
	{"TRESUsageOutTot", SLU_SACCT_TRES, SLU_SACCT_WRITTEN},
	{"NodeList", SLU_SACCT_LIST, SLU_SACCT_NODE_LIST},
	{"Partition", SLU_SACCT_WORD, SLU_SACCT_PARTITION},
	{"QOS", SLU_SACCT_WORD, SLU_SACCT_QOS},
	{"Account", SLU_SACCT_WORD, SLU_SACCT_ACCOUNT},
	{"User", SLU_SACCT_WORD, SLU_SACCT_USER},
	{"JobName", SLU_SACCT_FREE, SLU_SACCT_NAME},
	{"WorkDir", SLU_SACCT_FREE, SLU_SACCT_WORK_DIR},
	{"AdminComment", SLU_SACCT_FREE, SLU_SACCT_COMMENT},
	{"AssocID", SLU_SACCT_NUMBER, NOT_READ},
	{"AveCPU", SLU_SACCT_SPAN, NOT_READ},
	{"AveCPUFreq", SLU_SACCT_NUMBER, NOT_READ},
	{"AveDiskRead", SLU_SACCT_NUMBER, NOT_READ},
	{"AveDiskWrite", SLU_SACCT_NUMBER, NOT_READ},
	{"AvePages", SLU_SACCT_NUMBER, NOT_READ},
	{"AveRSS", SLU_SACCT_NUMBER, NOT_READ},
	{"AveVMSize", SLU_SACCT_NUMBER, NOT_READ},
	{"BlockID", SLU_SACCT_WORD, NOT_READ},
	{"Cluster", SLU_SACCT_WORD, NOT_READ},
	{"ConsumedEnergy", SLU_SACCT_NUMBER, NOT_READ},
	{"ConsumedEnergyRaw", SLU_SACCT_NUMBER, NOT_READ},
	{"CPUTime", SLU_SACCT_SPAN, NOT_READ},
	{"CPUTimeRAW", SLU_SACCT_NUMBER, NOT_READ},
	{"DBIndex", SLU_SACCT_NUMBER, NOT_READ},
	{"DerivedExitCode", SLU_SACCT_EXIT, NOT_READ},
	{"Group", SLU_SACCT_WORD, NOT_READ},
	{"Layout", SLU_SACCT_WORD, NOT_READ},
	{"MaxDiskRead", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxDiskReadNode", SLU_SACCT_LIST, NOT_READ},
	{"MaxDiskReadTask", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxDiskWrite", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxDiskWriteNode", SLU_SACCT_LIST, NOT_READ},
	{"MaxDiskWriteTask", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxPages", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxPagesNode", SLU_SACCT_LIST, NOT_READ},
	{"MaxPagesTask", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxRSS", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxRSSNode", SLU_SACCT_LIST, NOT_READ},
	{"MaxRSSTask", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxVMSize", SLU_SACCT_NUMBER, NOT_READ},
	{"MaxVMSizeNode", SLU_SACCT_LIST, NOT_READ},
	{"MaxVMSizeTask", SLU_SACCT_NUMBER, NOT_READ},
	{"McsLabel", SLU_SACCT_WORD, NOT_READ},
	{"MinCPU", SLU_SACCT_SPAN, NOT_READ},
	{"MinCPUNode", SLU_SACCT_LIST, NOT_READ},
	{"MinCPUTask", SLU_SACCT_NUMBER, NOT_READ},
	{"Planned", SLU_SACCT_SPAN, NOT_READ},
	{"PlannedCPU", SLU_SACCT_SPAN, NOT_READ},
	{"PlannedCPURAW", SLU_SACCT_NUMBER, NOT_READ},
	{"Priority", SLU_SACCT_NUMBER, NOT_READ},
	{"QOSRAW", SLU_SACCT_NUMBER, NOT_READ},
	{"ReqCPUS", SLU_SACCT_NUMBER, NOT_READ},
	{"ReqNodes", SLU_SACCT_NUMBER, NOT_READ},
	{"ReqTRES", SLU_SACCT_TRES, NOT_READ},
	{"Reservation", SLU_SACCT_WORD, NOT_READ},
	{"ReservationId", SLU_SACCT_NUMBER, NOT_READ},
	{"Reserved", SLU_SACCT_SPAN, NOT_READ},
	{"Restarts", SLU_SACCT_NUMBER, NOT_READ},
	{"ResvCPU", SLU_SACCT_SPAN, NOT_READ},
	{"ResvCPURAW", SLU_SACCT_NUMBER, NOT_READ},
	{"Suspended", SLU_SACCT_SPAN, NOT_READ},
	{"SystemCPU", SLU_SACCT_SPAN, NOT_READ},
	{"TotalCPU", SLU_SACCT_SPAN, NOT_READ},
	{"TRESUsageInAve", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageInMax", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageInMaxNode", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageInMaxTask", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageInMin", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageInMinNode", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageInMinTask", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutAve", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutMax", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutMaxNode", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutMaxTask", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutMin", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutMinNode", SLU_SACCT_TRES, NOT_READ},
	{"TRESUsageOutMinTask", SLU_SACCT_TRES, NOT_READ},
	{"UserCPU", SLU_SACCT_SPAN, NOT_READ},
	{"WCKeyID", SLU_SACCT_NUMBER, NOT_READ},
	{"Comment", SLU_SACCT_FREE, NOT_READ},
	{"Constraints", SLU_SACCT_FREE, NOT_READ},
	{"Container", SLU_SACCT_FREE, NOT_READ},
	{"Extra", SLU_SACCT_FREE, NOT_READ},
	{"FailedNode", SLU_SACCT_FREE, NOT_READ},
	{"Flags", SLU_SACCT_FREE, NOT_READ},
	{"Licenses", SLU_SACCT_FREE, NOT_READ},
	{"QOSREQ", SLU_SACCT_FREE, NOT_READ},
	{"Reason", SLU_SACCT_FREE, NOT_READ},
	{"ReqCPUFreq", SLU_SACCT_WORD, NOT_READ},
	{"ReqCPUFreqGov", SLU_SACCT_WORD, NOT_READ},
	{"ReqCPUFreqMax", SLU_SACCT_WORD, NOT_READ},
	{"ReqCPUFreqMin", SLU_SACCT_WORD, NOT_READ},
	{"SLUID", SLU_SACCT_WORD, NOT_READ},
	{"StdErr", SLU_SACCT_FREE, NOT_READ},
	{"StdIn", SLU_SACCT_FREE, NOT_READ},
	{"StdOut", SLU_SACCT_FREE, NOT_READ},
	{"SubmitLine", SLU_SACCT_FREE, NOT_READ},
	{"SystemComment", SLU_SACCT_FREE, NOT_READ},
	{"WCKey", SLU_SACCT_FREE, NOT_READ},
};

const char *slu_sacct_title(enum slu_sacct_column column)
{
	const struct title *t = titles;

	while (t->column != column)
		t++;
	return t->text;
}

static const struct title *find(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (strncasecmp(titles[i].text, text, len) == 0 &&
		    titles[i].text[len] == '\0')
			return &titles[i];
	return NULL;
}

/* The text between the first two words; false: it is not a plausible delimiter.
 */
static bool find_delimiter(const char *line, char out[8])
{
	const char *end = line;
	size_t len = 0, same;

	while (isalnum((unsigned char)*end))
		end++;
	while (end[len] && !isalnum((unsigned char)end[len]))
		len++;
	if (!isalpha((unsigned char)*line) || len == 0)
		return false;
	/* empty last columns, such as the trailing delimiter of `sacct -p`, or
	 * padding blanks */
	same = strspn(end, (char[]){*end, '\0'});
	len = same == len ? 1 : len;
	if (len >= 8)
		return false;
	memcpy(out, end, len);
	out[len] = '\0';
	return true;
}

/* Counts words (named) and those that are titles (known). */
static void read_titles(const char *line, struct slu_sacct_table *t,
			size_t *known, size_t *named)
{
	const struct title *title;
	size_t step = strlen(t->delimiter), len;
	const char *end;

	for (t->n = *known = *named = 0; line; line = end ? end + step : NULL) {
		end = strstr(line, t->delimiter);
		len = end ? (size_t)(end - line) : slu_sacct_length(line);
		title = find(line, len);
		*known += title != NULL;
		*named += len > 0;
		if (t->n < SLU_SACCT_MOST) {
			t->at[t->n].column = title ? title->column : NOT_READ;
			t->at[t->n].form = title ? title->form
					   : len ? SLU_SACCT_FREE
						 : SLU_SACCT_EMPTY;
		}
		t->n++;
	}
}

/* Each of these columns is needed. */
static int check_titles(const struct slu_sacct_table *t, struct slu_err *err)
{
	static const enum slu_sacct_column needed[][2] = {
		{SLU_SACCT_JOB_ID, SLU_SACCT_JOB_ID_RAW},
		{SLU_SACCT_USER, SLU_SACCT_UID},
		{SLU_SACCT_START, SLU_SACCT_START},
		{SLU_SACCT_END, SLU_SACCT_END}};

	if (t->n > SLU_SACCT_MOST)
		return slu_err(err, SLU_INVALID, "more than %d columns",
			       SLU_SACCT_MOST);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!slu_sacct_has(t, needed[i][0]) &&
		    !slu_sacct_has(t, needed[i][1]))
			return slu_err(err, SLU_INVALID,
				       "there is no column %s",
				       slu_sacct_title(needed[i][0]));
	return 1;
}

int slu_sacct_header(const char *line, struct slu_sacct_table *out,
		     struct slu_err *err)
{
	size_t known, named;

	*out = (struct slu_sacct_table){.n = 0};
	if (!find_delimiter(line, out->delimiter))
		return 0;
	read_titles(line, out, &known, &named);
	if (known < 2 || 2 * known < named)
		return 0;
	if (strpbrk(out->delimiter, " -_:.+=[]"))
		return slu_err(
			err, SLU_INVALID,
			"the columns are separated by \"%s\", of which a "
			"part also occurs within them: print it with "
			"sacct's option -P",
			out->delimiter);
	return check_titles(out, err);
}

void slu_sacct_implied(struct slu_sacct_table *out)
{
	slu_sacct_header("JobID|JobIDRaw|Cluster|Partition|QOS|Account|Group|"
			 "GID|User|UID|Submit|Eligible|Start|End|Elapsed|"
			 "ExitCode|State|NNodes|NCPUS|ReqCPUS|ReqMem|ReqTRES|"
			 "AllocTRES|Timelimit|NodeList|JobName",
			 out, NULL);
	out->implied = true;
}

size_t slu_sacct_length(const char *line)
{
	size_t len = strlen(line);

	return len && line[len - 1] == '\r' ? len - 1 : len;
}

bool slu_sacct_has(const struct slu_sacct_table *t,
		   enum slu_sacct_column column)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].column == column)
			return true;
	return false;
}
