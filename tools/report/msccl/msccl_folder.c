/* msccl_folder.c - a folder of programs of MSCCL, as a runtime chooses among them by size. */
#include "msccl_folder.h"
#include "cli/msccl_file.h"
#include "msccl/runtimes.h"
#include "msccl/slots.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/verify.h>
#include <stdlib.h>
#include <string.h>

/* One file, and what was found. */
struct judged {
	const char *name;
	struct msccl_file file; /* program NULL: it cannot be read */
	struct msccl_capacity capacity;
	char digest[33];
	bool is_expressed, is_proved;
};

struct folder {
	struct call *call;
	const struct msccl_folder_question *question;
	enum msccl_runtime runtime;
	struct ordo_arena arena;
	struct judged *files;
	struct msccl_program **programs; /* [nfile] of those that can be read */
	uint32_t *file_of;		 /* [nprogram] */
	uint32_t nfile, nprogram;
	bool is_wrong;
};

static int is_program(const struct dirent *entry)
{
	return is_xml(entry->d_name) && entry->d_name[0] != '.';
}

static bool list_files(struct folder *folder)
{
	struct dirent **entries = NULL;
	const int n = scandir(folder->question->path, &entries, is_program, alphasort);
	if (n <= 0) {
		free(entries);
		return refuse(folder->call,
			fail_usage(folder->call, NULL,
				n ? "%s: %s" : "%s: found no file that ends in .xml%s",
				folder->question->path, n ? strerror(errno) : ""));
	}
	folder->files = calloc((size_t)n, sizeof *folder->files);
	folder->programs = calloc((size_t)n, sizeof *folder->programs);
	folder->file_of = calloc((size_t)n, sizeof *folder->file_of);
	bool worked = folder->files && folder->programs && folder->file_of;
	for (int i = 0; i < n; i++) {
		if (worked)
			folder->files[folder->nfile++].name = ordo_arena_text(
				&folder->arena, entries[i]->d_name, strlen(entries[i]->d_name));
		worked = worked && folder->files[i].name;
		free(entries[i]);
	}
	free(entries);
	return worked || refuse_memory(folder->call);
}

/* A file that cannot be read is reported, and selected by no size. */
static bool judge_file(struct folder *folder, struct judged *file)
{
	struct ordo_error error;
	const struct msccl_options options = {.root = 0, .in_place = folder->question->in_place};
	const char *path =
		ordo_arena_format(&folder->arena, "%s/%s", folder->question->path, file->name);
	if (!path)
		return refuse_memory(folder->call);
	if (!open_msccl_file(folder->call, path, &file->file)) {
		close_msccl_file(&file->file);
		file->file = (struct msccl_file){0};
		folder->is_wrong = true;
		return true;
	}
	struct ordo_schedule *schedule = msccl_schedule(folder->call, &file->file, &options);
	struct ordo_proof *proof = schedule ? ordo_verify(schedule, NULL, &error) : NULL;
	const bool worked =
		(!schedule || proof) &&
		msccl_find_capacity(file->file.program, &file->file.links, &file->capacity, &error);
	file->is_expressed = schedule;
	file->is_proved = proof && proof->proved;
	if (file->is_proved)
		memcpy(file->digest, proof->digest, sizeof file->digest);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	folder->file_of[folder->nprogram] = (uint32_t)(file - folder->files);
	folder->programs[folder->nprogram++] = file->file.program;
	return worked || refuse_error(folder->call, &error);
}

static void report_file(struct folder *folder, const struct report *list, const struct judged *file)
{
	char text[128];
	const struct msccl_program *program = file->file.program;
	const struct report one = report_item(list);
	const char *refusal =
		program ? msccl_refusal(program, folder->runtime, text) : "it cannot be read";
	report_text(&one, "  %s<file>: ", file->name);
	report_members(&one, "%d<proved?> %s<order_digest> %s<ignored>", file->is_proved,
		text_or_null(file->digest), refusal);
	report_text(&one, "%s%s%s\n",
		!program	      ? "not read"
		: !file->is_expressed ? "cannot be expressed"
		: !file->is_proved    ? "refuted"
		: file->digest[0]     ? file->digest
				      : "proved, its ranks' results differ or have no fixed order",
		refusal ? "; ignored: " : "", refusal ? refusal : "");
}

/* The file that a range selects: its verdict; several, none. */
static const struct judged *report_selected(
	struct folder *folder, const struct report *one, const struct msccl_range *range)
{
	const struct judged *file =
		range->nprogram ? &folder->files[folder->file_of[range->programs[0]]] : NULL;
	const struct report names = report_list(one, "files");
	for (uint32_t i = 0; i < range->nprogram; i++)
		report_text(&names, "%s%s<>", i ? ", " : "",
			folder->files[folder->file_of[range->programs[i]]].name);
	if (!file) {
		report_text(one, "none: the library's own choice, whose order is not known\n");
		return NULL;
	}
	if (range->nprogram > 1) {
		folder->is_wrong = true;
		report_text(one, ": the order of the directory decides, and may differ between "
				 "hosts: it can hang\n");
		return NULL;
	}
	const bool hangs =
		file->capacity.safe_bytes < range->to && file->capacity.safe_bytes < UINT64_MAX;
	folder->is_wrong |= !file->is_proved || hangs;
	report_members(one, "%u<multiple_of> %d<hangs?>", file->file.program->nchunk, hangs);
	report_text(one, ", of multiples of %u elements%s", file->file.program->nchunk,
		file->is_proved ? "" : "; refuted");
	if (hangs && file->capacity.safe_bytes)
		report_text(one, "; hangs above %g<:bytes>", (double)file->capacity.safe_bytes);
	else if (hangs)
		report_text(one, "; hangs");
	report_text(one, "\n");
	return file;
}

static void report_range(struct folder *folder, const struct report *list,
	const struct msccl_range *range, const struct judged **before, bool is_first)
{
	const struct report one = report_item(list);
	report_text(&one, "    %" PRIu64 "<from_bytes>", range->from);
	if (range->to == UINT64_MAX)
		report_text(&one, " and more: ");
	else
		report_text(&one, "..%" PRIu64 "<to_bytes>: ", range->to);
	const struct judged *file = report_selected(folder, &one, range);
	const bool both = file && *before && file->digest[0] && (*before)->digest[0];
	const bool changes = !is_first && (!both || strcmp(file->digest, (*before)->digest) != 0);
	report_members(&one, "%d<order_changes?>", changes);
	if (changes && file && *before)
		report_text(&one, "      the order of sums changes here\n");
	*before = file;
}

static bool report_calls(
	struct folder *folder, const struct report *list, const struct msccl_calls *calls)
{
	uint32_t count;
	bool served = false;
	for (uint32_t i = 0; i < folder->nprogram; i++)
		served |= msccl_serves(folder->programs[i], calls);
	if (!served)
		return true;
	struct msccl_range *ranges =
		msccl_select(folder->programs, folder->nprogram, calls, &folder->arena, &count);
	if (!ranges)
		return refuse_memory(folder->call);
	const struct report one = report_item(list);
	const struct judged *before = NULL;
	report_text(&one, "%s<collective> on %u<ranks> gpus, %s\n", calls->collective, calls->ngpu,
		calls->in_place ? "in place" : "out of place");
	report_members(&one, "%d<in_place?>", calls->in_place);
	const struct report each = report_list(&one, "ranges");
	for (uint32_t r = 0; r < count; r++)
		report_range(folder, &each, &ranges[r], &before, !r);
	return true;
}

/* Is an earlier program for the same collective and number of gpus? */
static bool is_repeated(const struct folder *folder, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (!strcmp(folder->programs[i]->collective, folder->programs[index]->collective) &&
			folder->programs[i]->ngpu == folder->programs[index]->ngpu)
			return true;
	return false;
}

static bool report_folder(struct folder *folder)
{
	const struct msccl_folder_question *question = folder->question;
	const struct report report = report_of(folder->call, stdout);
	report_text(&report, "%s, as %s<runtime> chooses\n", question->path,
		msccl_runtime_names[folder->runtime]);
	const struct report files = report_list(&report, "files");
	for (uint32_t i = 0; i < folder->nfile; i++)
		report_file(folder, &files, &folder->files[i]);
	const struct report list = report_list(&report, "calls");
	for (uint32_t i = 0; i < folder->nprogram; i++) {
		struct msccl_calls calls = {.runtime = folder->runtime,
			.collective = folder->programs[i]->collective,
			.ngpu = folder->programs[i]->ngpu};
		if (is_repeated(folder, i) ||
			(question->collective &&
				strcmp(question->collective, calls.collective) != 0))
			continue;
		if (!question->in_place && !report_calls(folder, &list, &calls))
			return false;
		calls.in_place = true;
		if (!report_calls(folder, &list, &calls))
			return false;
	}
	return true;
}

static bool read_runtime(struct folder *folder)
{
	for (int i = 0; i < MSCCL_NRUNTIME; i++)
		if (!strcmp(folder->question->runtime, msccl_runtime_names[i])) {
			folder->runtime = (enum msccl_runtime)i;
			return true;
		}
	return refuse_usage(folder->call, NULL,
		"--runtime: found %s, wanted rccl, azure or microsoft", folder->question->runtime);
}

int verify_msccl_folder(struct call *call, const struct msccl_folder_question *question)
{
	struct folder folder = {.call = call, .question = question};
	bool worked = read_runtime(&folder) && list_files(&folder);
	for (uint32_t i = 0; worked && i < folder.nfile; i++)
		worked = judge_file(&folder, &folder.files[i]);
	worked = worked && report_folder(&folder);
	for (uint32_t i = 0; i < folder.nfile; i++)
		close_msccl_file(&folder.files[i].file);
	free(folder.files);
	free(folder.programs);
	free(folder.file_of);
	ordo_arena_free(&folder.arena);
	return !worked ? call->status : folder.is_wrong ? ORDO_REFUTED : ORDO_OK;
}
