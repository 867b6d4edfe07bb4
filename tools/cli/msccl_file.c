/* msccl_file.c - a program of MSCCL from a file, for commands. */
#include "msccl_file.h"
#include "base/report.h"
#include "inputs.h"
#include <inttypes.h>
#include <string.h>

bool is_xml(const char *path)
{
	const size_t length = strlen(path);
	return length > 4 && !strcmp(path + length - 4, ".xml");
}

bool open_msccl_file(struct call *call, const char *path, struct msccl_file *file)
{
	struct ordo_error error;
	*file = (struct msccl_file){.program = msccl_read(path, &error)};
	const bool worked = file->program && msccl_link(&file->links, file->program, &error);
	for (uint32_t i = 0; file->program && i < file->program->nwarning; i++) {
		const struct msccl_warning *warning = &file->program->warnings[i];
		warn(call, "%s:%" PRIu32 ":%" PRIu32 ": %s", path, warning->place.line,
			warning->place.column, warning->text);
	}
	return worked || refuse_error(call, &error);
}

void close_msccl_file(struct msccl_file *file)
{
	msccl_links_close(&file->links);
	msccl_destroy(file->program);
}

struct ordo_schedule *msccl_schedule(
	struct call *call, const struct msccl_file *file, const struct msccl_options *options)
{
	struct ordo_error error;
	return tame_schedule(
		call, msccl_lower(file->program, &file->links, options, &error), &error);
}
