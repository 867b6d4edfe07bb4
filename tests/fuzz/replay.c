/* replay.c - gives every file of the folders named to a fuzz target, once: for compilers without
 * libFuzzer.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static bool replay_file(const char *path)
{
	/* Exactly as long as the text, so that a sanitizer sees any step beyond it. */
	FILE *file = fopen(path, "rb");
	long size = -1;
	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	uint8_t *text = size < 0 ? NULL : malloc((size_t)size + !size);
	bool worked = false;
	if (text) {
		rewind(file);
		worked = fread(text, 1, (size_t)size, file) == (size_t)size;
	}
	if (worked)
		LLVMFuzzerTestOneInput(text, (size_t)size);
	free(text);
	if (file)
		fclose(file);
	return worked;
}

int main(int argc, char **argv)
{
	int count = 0;
	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		const struct dirent *entry;
		while (folder && (entry = readdir(folder))) {
			char path[4096];
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			if (entry->d_name[0] == '.')
				continue;
			if (!replay_file(path)) {
				fprintf(stderr, "%s: cannot be read\n", path);
				return 1;
			}
			count++;
		}
		if (folder)
			closedir(folder);
	}
	printf("%d inputs\n", count);
	return count ? 0 : 1;
}
