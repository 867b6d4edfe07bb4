/* overwrite.c - refuses to overwrite an input. The kind of an option (options.h) marks it as input
 * or output, so no command checks this itself. Files are compared by identity, not by name: links
 * to an input are refused too. Devices such as /dev/null may always be written. */
#include "overwrite.h"
#include <assert.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find_file(const char *path, struct stat *facts)
{
	const bool there = strcmp(path, "-") ? !stat(path, facts) : !fstat(STDIN_FILENO, facts);
	return there && (S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode));
}

static bool refuse_overwriting(struct call *call, const struct written *written, const char *input)
{
	return refuse_usage(call, "the document would be lost: write to another name",
		"--%s: found %s, which is what is read%s%s", written->option, written->path,
		strcmp(written->path, input) ? ": " : "",
		strcmp(written->path, input) ? input : "");
}

bool keep_file(struct call *call, const char *input)
{
	struct stat one, other;
	for (size_t i = 0; i < call->nwritten; i++)
		if (strcmp(call->written[i].path, "-") && find_file(call->written[i].path, &one) &&
			find_file(input, &other) && one.st_dev == other.st_dev &&
			one.st_ino == other.st_ino)
			return refuse_overwriting(call, &call->written[i], input);
	return true;
}

/* A file, or a folder that holds a schedule or a set. */
static bool keep_document(struct call *call, const char *input)
{
	static const char *const names[] = {"schedule.json", "plan-set.json", "failure-set.json"};
	char path[4096];
	if (!keep_file(call, input))
		return false;
	for (int i = 0; i < 3; i++) {
		const int length = snprintf(path, sizeof path, "%s/%s", input, names[i]);
		if (length < (int)sizeof path && !keep_file(call, path))
			return false;
	}
	return true;
}

/* Names of topologies are distinguished from files as in compiler.h. */
static bool names_file(const char *text)
{
	const size_t length = strlen(text);
	return strchr(text, '/') || (length > 5 && !strcmp(text + length - 5, ".json"));
}

static bool take_written(struct call *call, const struct option *option)
{
	const char *path = *(const char **)option->value;
	assert(call->nwritten < MOST_WRITTEN);
	for (size_t i = 0; i < call->nwritten; i++)
		if (!strcmp(call->written[i].path, path) && strcmp(path, "-") &&
			strcmp(path, "/dev/null"))
			return refuse_usage(call, NULL,
				"--%s: found %s, wanted a file of its own, not that of --%s",
				option->name, path, call->written[i].option);
	call->written[call->nwritten++] = (struct written){option->name, path};
	return true;
}

bool keep_inputs(struct call *call, const struct option *options, size_t noption)
{
	for (size_t i = 0; i < noption; i++)
		if (options[i].kind == WRITTEN && *(const char **)options[i].value &&
			!take_written(call, &options[i]))
			return false;
	for (size_t i = 0; i < call->noperand && call->command->reads; i++)
		if (!keep_document(call, call->operands[i]))
			return false;
	for (size_t i = 0; i < noption; i++) {
		const bool read = options[i].kind == READ, named = options[i].kind == NAMED;
		const char *path = read || named ? *(const char **)options[i].value : NULL;
		if (path && (read || names_file(path)) && !keep_document(call, path))
			return false;
	}
	return true;
}

bool keep_schedule(struct call *call, const struct ordo_schedule *schedule)
{
	const uint32_t nfile = schedule->program_files ? schedule->problem.nrank : 0;
	if (!call->nwritten)
		return true;
	for (uint32_t i = 0; i < nfile; i++)
		if (!keep_file(call, schedule->program_files[i]))
			return false;
	return true;
}

bool keep_set(struct call *call, const struct ordo_plan_set *set)
{
	char path[4096];
	for (uint32_t i = 0; i < set->nrange && call->nwritten; i++) {
		if (!set->ranges[i].schedule)
			continue;
		const int length = snprintf(path, sizeof path, "%s%s",
			set->folder_name ? set->folder_name : "", set->ranges[i].schedule);
		if (length < (int)sizeof path && !keep_document(call, path))
			return false;
	}
	return true;
}
