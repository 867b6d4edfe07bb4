/* program.c - the MPI that a program uses: the libraries that its own loader lists for it, so that
 * all rules of ld.so hold (RUNPATH, LD_LIBRARY_PATH, its cache). */
#include "program.h"
#include "base/report.h"
#include "doctor/programs.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 20, MOST_LISTED = 1 << 18 };

/* A part of a file at an offset, which may be past its end. */
static bool read_part(int file, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(file, to, size, (off_t)offset) == (ssize_t)size;
}

/* One program header, of either width; begin: the first bytes of the file. */
static bool read_header(int file, const unsigned char *begin, unsigned at, Elf64_Phdr *header)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;
	Elf32_Phdr small;
	memcpy(&wide, begin, sizeof wide);
	memcpy(&narrow, begin, sizeof narrow);
	if (begin[EI_CLASS] == ELFCLASS64)
		return at < wide.e_phnum &&
		       read_part(file, header, sizeof *header, wide.e_phoff + at * sizeof *header);
	if (at >= narrow.e_phnum ||
		!read_part(file, &small, sizeof small, narrow.e_phoff + at * sizeof small))
		return false;
	*header = (Elf64_Phdr){
		.p_type = small.p_type, .p_offset = small.p_offset, .p_filesz = small.p_filesz};
	return true;
}

/* false: the file is no ELF; loader is "" if it names none. */
static bool read_elf(const char *path, char *loader, size_t size)
{
	unsigned char begin[sizeof(Elf64_Ehdr)];
	Elf64_Phdr header;
	loader[0] = 0;
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const bool is_elf = file >= 0 && read_part(file, begin, sizeof begin, 0) &&
			    !memcmp(begin, ELFMAG, SELFMAG);
	for (unsigned at = 0; is_elf && read_header(file, begin, at, &header); at++)
		if (header.p_type == PT_INTERP && header.p_filesz < size &&
			read_part(file, loader, (size_t)header.p_filesz, header.p_offset))
			loader[header.p_filesz] = 0;
	if (file >= 0)
		close(file);
	return is_elf;
}

bool read_loader(const char *file, char *loader, size_t size)
{
	return read_elf(file, loader, size) && *loader;
}

/* Does a line of the list, "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x...)", begin with it? */
static bool is_library(const char *line, const char *name)
{
	line += strspn(line, " \t");
	return !strncmp(line, name, strlen(name));
}

/* libmpi.so.12 is the name of MPICH's common ABI; Open MPI has had 20 and above since version 2. */
static const struct mpi_kind *kind_of_line(const char *line)
{
	static const char *const mpich[] = {"libmpich.so", "libmpi.so.12 ", "libmpi_cray.so",
		"libmpi_gnu", "libmpi_intel.so", "libmpifort.so.12 "};
	if (is_library(line, "libmpi.so.") && !is_library(line, "libmpi.so.12 "))
		return &mpi_kinds[0];
	for (size_t i = 0; i < sizeof mpich / sizeof *mpich; i++)
		if (is_library(line, mpich[i]))
			return &mpi_kinds[1];
	return NULL;
}

/* Our own library, if it is loaded already, must not count. */
static bool list_libraries(const char *loader, const char *file, char *text)
{
	const char *const words[] = {loader, "--list", file, NULL};
	const char *before = getenv("LD_PRELOAD");
	char *kept = before ? strdup(before) : NULL;
	unsetenv("LD_PRELOAD");
	const bool worked = ask_program(words, NULL, PATIENCE_SECONDS, text, MOST_LISTED);
	if (kept)
		setenv("LD_PRELOAD", kept, 1);
	free(kept);
	return worked;
}

/* The first word after the arrow, or what stands for a library that is not found. */
static void copy_path(const char *line, char *path, size_t size)
{
	const char *arrow = strstr(line, "=> ");
	const char *from = arrow ? arrow + 3 : line + strspn(line, " \t");
	snprintf(path, size, "%.*s", (int)strcspn(from, " "), from);
}

const struct mpi_kind *find_linked_mpi(const char *loader, const char *file, char *mpi, size_t size)
{
	static char text[MOST_LISTED];
	*mpi = 0;
	if (!list_libraries(loader, file, text))
		return NULL;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const struct mpi_kind *kind = kind_of_line(line);
		if (kind) {
			copy_path(line, mpi, size);
			return kind;
		}
	}
	return NULL;
}

static bool refuse_program(struct call *call, const char *name, const char *why)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_BAD_INPUT, 0, "the program %s: %s", name, why);
	return refuse_error(call, &error);
}

bool examine_program(struct call *call, const char *name, struct mpi_program *program)
{
	struct stat facts;
	char loader[MOST_PATH];
	*program = (struct mpi_program){.form = SCRIPT};
	if (strchr(name, '/'))
		snprintf(program->path, sizeof program->path, "%s", name);
	else if (!find_program(name, program->path, sizeof program->path))
		return refuse_program(call, name, "not in any folder of PATH");
	if (stat(program->path, &facts))
		return refuse_program(call, name, strerror(errno));
	if (!S_ISREG(facts.st_mode))
		return refuse_program(call, name, "not a file");
	if (access(program->path, X_OK))
		return refuse_program(call, name, "no permission to execute it");
	if (!read_elf(program->path, loader, sizeof loader))
		return true;
	program->form = *loader ? LINKED_PROGRAM : STATIC_PROGRAM;
	if (*loader)
		program->kind =
			find_linked_mpi(loader, program->path, program->mpi, sizeof program->mpi);
	return true;
}
