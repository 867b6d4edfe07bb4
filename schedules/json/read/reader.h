/* reader.h - the shared state of the schedule reader: schedule.c, program.c, folder.c. Private to
 * them. */
#ifndef ORDO_SCHEDULES_JSON_READ_READER_H
#define ORDO_SCHEDULES_JSON_READ_READER_H

#include "base/source.h"
#include "fields.h"
#include <ordo/document.h>
#include <ordo/map.h>

/* A program as read. */
struct ordo_met_program {
	uint32_t rank, first_stream, end_stream;
	struct ordo_place place; /* of the value of "rank" */
	const char *file;
};

/* A stream that names its way. */
struct ordo_met_via {
	uint32_t stream;
	struct ordo_place place; /* of the value of "via" */
	const char *file;
};

struct ordo_reader {
	struct ordo_schedule *schedule;
	struct ordo_read_options options;
	struct ordo_error *error;
	struct ordo_source *source; /* of the text being read; NULL if it is the caller's */
	/* descriptor of the folder that file names refer to; -1: there is none */
	int folder;
	const char *folder_name; /* with its slash */
	bool has_files;		 /* programs are names of files */

	struct ordo_place places[ORDO_FIELD_LIMIT]; /* of their values */
	struct ordo_met_program *programs;	    /* [nprogram] */
	uint32_t nprogram;
	size_t program_room;
	struct ordo_map program_of; /* (rank, 0) -> index into programs */

	struct ordo_met_via *vias; /* [nvia] */
	uint32_t nvia;
	size_t via_room;

	/* named by a task, the first that names it; ORDO_NO_PHASE: none does */
	uint32_t largest_phase;
	struct ordo_place phase_place;
	const char *phase_file;
};

/* One program: an object with its rank and its streams. */
bool ordo_read_program(struct ordo_reader *reader, struct ordo_cursor *cursor);
/* A program of the folder form: the name of its file. */
bool ordo_read_program_name(
	struct ordo_reader *reader, struct ordo_cursor *cursor, const struct ordo_field *field);

/* The document behind a path, and the folder its file names refer to. */
struct ordo_opened {
	int file, folder; /* descriptors; folder may be -1 */
	char name[4096];  /* of the document */
	char folder_name[4096];
};
/* In a folder the document is the file of that name. */
bool ordo_open_document(const char *path, const char *in_folder, struct ordo_opened *opened,
	struct ordo_error *error);
/* Does a folder, by its name in another one or a path at AT_FDCWD, hold such a file? */
bool ordo_holds_document(int folder, const char *name, const char *document_name);
/* Is a folder one that holds the document, or a file one of that schema? false for "-", devices and
 * pipes, and what cannot be read. document_name "": no folder is one. */
bool ordo_is_kind(const char *path, const char *document_name, const char *schema);
/* Is a text a document of that schema? It must be among the first bytes. */
bool ordo_names_schema(const char *text, size_t size, const char *schema);
/* Reads the source of what was opened; closes neither. */
struct ordo_schedule *ordo_schedule_read_source(struct ordo_source *source,
	const struct ordo_opened *opened, const struct ordo_read_options *options,
	struct ordo_error *error);
/* Reads what was opened, and closes it. */
struct ordo_schedule *ordo_schedule_read_opened(struct ordo_opened *opened,
	const struct ordo_read_options *options, struct ordo_error *error);

#endif
