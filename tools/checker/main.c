/* main.c - `ordo-check SCHEDULE CERTIFICATE`: exit code 0, it is proved; 1, it is not; 3, one
 * cannot be read; 5, the answer was lost. */
#include "checker.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOST = 5 };

/* A file, or the document of a folder; and the folder in which files of programs would be. */
static char *open_document(const char *path, struct document *document)
{
	char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	document->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool file = document->folder < 0;
	if (slash)
		slash[1] = '\0';
	if (file && folder)
		document->folder = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	char *text = file ? read_file(AT_FDCWD, path, true, &document->size)
			  : read_file(document->folder, "schedule.json", true, &document->size);
	document->text = text;
	return text;
}

static void close_document(const struct document *document, char *text)
{
	if (document->folder >= 0)
		close(document->folder);
	free(text);
}

int main(int argc, char **argv)
{
	char report[256] = "error: it cannot be read; both must be files, or the schedule a folder";
	if (argc != 3) {
		fputs("usage: ordo-check SCHEDULE CERTIFICATE\n", stderr);
		return UNREADABLE;
	}
	struct document documents[2];
	char *schedule = open_document(argv[1], &documents[0]),
	     *certificate = open_document(argv[2], &documents[1]);
	const char *of = schedule && !certificate ? argv[2] : argv[1];
	const enum verdict verdict =
		schedule && certificate ? check_certificate(&documents[0], &documents[1], report)
					: UNREADABLE;
	fprintf(verdict == ACCEPTED ? stdout : stderr, "%s: %s\n", of, report);
	close_document(&documents[0], schedule);
	close_document(&documents[1], certificate);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("error: cannot write to stdout\n", stderr);
		return LOST;
	}
	return (int)verdict;
}
