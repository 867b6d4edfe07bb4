/* folder.c - where the text of a document comes from: a file, a pipe, or the files of a folder. */
#include "base/source.h"
#include "reader.h"
#include <errno.h>
#include <fcntl.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a program's file: only a regular file in the folder itself, no link that leaves it and no
 * device that could block. */
static int open_program(const struct ordo_reader *reader, const struct ordo_cursor *cursor,
	const struct ordo_piece *value, const char *name)
{
	int descriptor =
		openat(reader->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat facts;
	if (descriptor >= 0 && !fstat(descriptor, &facts) && S_ISREG(facts.st_mode))
		return descriptor;
	char reason[128] = "it is not a regular file in the folder";
	if (descriptor >= 0)
		close(descriptor);
	else if (errno != ELOOP && strerror_r(errno, reason, sizeof reason))
		snprintf(reason, sizeof reason, "error %d", errno);
	ordo_fail_rule_at(cursor, value->place, 2,
		"programs: cannot read the program \"%.200s\": %s", name, reason);
	return -1;
}

static bool read_program_file(struct ordo_reader *reader, const struct ordo_cursor *cursor,
	const struct ordo_piece *value, const char *name)
{
	struct ordo_source source, *outer = reader->source;
	struct ordo_cursor inner;
	const char *file =
		ordo_arena_format(&reader->schedule->arena, "%s%s", reader->folder_name, name);
	if (!file)
		return ordo_fail_memory(reader->error);
	int descriptor = open_program(reader, cursor, value, name);
	if (descriptor < 0 || !ordo_source_from(&source, descriptor, file, reader->error))
		return false;
	ordo_cursor_begin_source(&inner, &source, file, reader->error);
	inner.arena = cursor->arena;
	inner.reader = reader;
	reader->source = &source;
	bool worked = ordo_read_program(reader, &inner) && ordo_skip_rest(&inner);
	reader->source = outer;
	ordo_source_close(&source);
	return worked;
}

bool ordo_read_program_name(
	struct ordo_reader *reader, struct ordo_cursor *cursor, const struct ordo_field *field)
{
	struct ordo_piece value;
	const char *name = NULL;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json && ordo_as_string(cursor, json, &value, field->key, &name);
	if (worked && reader->folder < 0)
		worked = ordo_fail_value(
			cursor, &value, field->key, "a program itself: there is no folder here");
	if (worked && !ordo_is_plain_name(name))
		worked = ordo_fail_value(
			cursor, &value, field->key, "the plain name of a file in the same folder");
	worked = worked && read_program_file(reader, cursor, &value, name);
	cJSON_Delete(json);
	return worked;
}

bool ordo_open_document(const char *path, const char *in_folder, struct ordo_opened *opened,
	struct ordo_error *error)
{
	struct stat facts;
	opened->folder = -1;
	snprintf(opened->name, sizeof opened->name, "%s", path);
	opened->file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (opened->file < 0)
		return ordo_fail_file(error, path, "cannot read", errno);
	if (opened->file == STDIN_FILENO) {
		snprintf(opened->name, sizeof opened->name, "stdin");
		return true;
	}
	if (!fstat(opened->file, &facts) && S_ISDIR(facts.st_mode)) {
		size_t length = strlen(path);
		snprintf(opened->folder_name, sizeof opened->folder_name, "%s%s", path,
			length && path[length - 1] == '/' ? "" : "/");
		opened->folder = opened->file;
		if (snprintf(opened->name, sizeof opened->name, "%s%s", opened->folder_name,
			    in_folder) < 0)
			opened->name[0] = '\0';
		opened->file = openat(opened->folder, in_folder, O_RDONLY | O_CLOEXEC);
		if (opened->file >= 0)
			return true;
		int number = errno;
		close(opened->folder);
		return ordo_fail_file(error, opened->name, "cannot read", number);
	}
	const char *slash = strrchr(path, '/');
	snprintf(opened->folder_name, sizeof opened->folder_name, "%.*s",
		slash ? (int)(slash - path + 1) : 0, path);
	opened->folder =
		open(slash ? opened->folder_name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return true;
}

bool ordo_names_schema(const char *text, size_t size, const char *schema)
{
	struct ordo_cursor cursor;
	struct ordo_piece key, value;
	char name[32];
	bool first = true;
	ordo_cursor_begin(&cursor, text, size, "", NULL);
	if (!ordo_skip_character(&cursor, '{', ""))
		return false;
	while (ordo_next_member(&cursor, &first, &key) == ORDO_ITEM_FOUND) {
		if (!ordo_skip_value(&cursor, &value))
			return false;
		ordo_decode(&key, name, sizeof name);
		if (strcmp(name, "schema") != 0)
			continue;
		if (value.text[0] != '"')
			return false;
		ordo_decode(&value, name, sizeof name);
		return !strcmp(name, schema);
	}
	return false;
}

bool ordo_holds_document(int folder, const char *name, const char *document_name)
{
	char path[4096];
	struct stat facts;
	const int length = snprintf(path, sizeof path, "%s/%s", name, document_name);
	return length < (int)sizeof path && !fstatat(folder, path, &facts, AT_SYMLINK_NOFOLLOW);
}

bool ordo_is_kind(const char *path, const char *document_name, const char *schema)
{
	static const size_t prefix_size = 64 * 1024;
	struct stat facts;
	struct ordo_opened opened;
	bool is_kind = false;
	if (!strcmp(path, "-") || stat(path, &facts))
		return false;
	/* A folder that holds the document is of its kind, even if it is broken. */
	if (S_ISDIR(facts.st_mode))
		return *document_name && ordo_holds_document(AT_FDCWD, path, document_name);
	if (!S_ISREG(facts.st_mode) || !ordo_open_document(path, document_name, &opened, NULL))
		return false;
	char *text = malloc(prefix_size);
	const ssize_t size = text ? read(opened.file, text, prefix_size) : -1;
	if (size > 0)
		is_kind = ordo_names_schema(text, (size_t)size, schema);
	free(text);
	close(opened.file);
	if (opened.folder >= 0)
		close(opened.folder);
	return is_kind;
}
