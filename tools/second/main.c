/* main.c - `ordo-check SCHEDULE CERTIFICATE`: exit code 0, it is proved; 1, it is not; 3, one cannot be read. */
#include "checker.h"
#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path)
{
	FILE *file = path ? fopen(path, "rb") : NULL;
	const long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
	char *text = size < 0 ? NULL : calloc(1, (size_t)size + 1);
	if (text && !fseek(file, 0, SEEK_SET))
		text[fread(text, 1, (size_t)size, file)] = '\0';
	return file && !fclose(file) ? text : NULL;
}

int main(int argc, char **argv)
{
	char report[256] = "usage: ordo-check SCHEDULE CERTIFICATE; both must be files";
	char *schedule = read_file(argc == 3 ? argv[1] : NULL),
	     *certificate = read_file(argc == 3 ? argv[2] : NULL);
	const enum verdict verdict =
		schedule && certificate ? check_certificate(schedule, certificate, report) : UNREADABLE;
	fprintf(verdict == ACCEPTED ? stdout : stderr, "%s: %s\n", argc == 3 ? argv[1] : "ordo-check",
		report);
	free(schedule);
	free(certificate);
	return (int)verdict;
}
