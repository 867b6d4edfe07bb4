/* atomic_file.c - files and folders that are written completely or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <ordo/atomic_file.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool ordo_fail_file(struct ordo_error *error, const char *path, const char *what, int number)
{
	char reason[128] = "";
	if (strerror_r(number, reason, sizeof reason))
		snprintf(reason, sizeof reason, "error %d", number);
	ordo_fail(error, ORDO_ENVIRONMENT, 0, "%s: %s", what, reason);
	if (error)
		snprintf(error->file, sizeof error->file, "%s", path);
	return false;
}

/* The names of temporary files and folders that exist, for ordo_atomic_abandon. Where more are open
 * at once, the others are left behind by a signal. */
enum { MOST_UNFINISHED = 8 };
static _Atomic(char *) unfinished[MOST_UNFINISHED];

static void replace_unfinished(char *old, char *now)
{
	for (int i = 0; i < MOST_UNFINISHED; i++) {
		char *expected = old;
		if (atomic_compare_exchange_strong(&unfinished[i], &expected, now))
			return;
	}
}

/* Sets the target: without trailing slashes, and with a symbolic link resolved. */
static bool find_target(struct ordo_atomic_file *file, const char *path, struct ordo_error *error)
{
	*file = (struct ordo_atomic_file){0};
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	file->target = strndup(path, length);
	struct stat facts;
	if (file->target && !lstat(file->target, &facts) && S_ISLNK(facts.st_mode)) {
		char *behind = realpath(file->target, NULL);
		if (behind) {
			free(file->target);
			file->target = behind;
		}
	}
	return file->target ? true : ordo_fail_memory(error);
}

/* `folder/.name.PID.attempt.tmp`, beside the target. */
static char *name_temporary(const char *target, unsigned attempt)
{
	const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
	size_t size = strlen(target) + 64;
	char *name = malloc(size);
	if (name)
		snprintf(name, size, "%.*s.%.200s.%ld.%u.tmp", (int)(base - target), target, base,
			(long)getpid(), attempt);
	return name;
}

static int make_temporary(const char *name, bool folder, mode_t mode)
{
	if (!folder)
		return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (mkdir(name, mode))
		return -1;
	const int descriptor = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int number = errno;
	if (descriptor < 0)
		rmdir(name);
	errno = number;
	return descriptor;
}

/* A descriptor of a new temporary file or folder; -1 with an error. */
static int create_temporary(
	struct ordo_atomic_file *file, bool folder, mode_t mode, struct ordo_error *error)
{
	for (unsigned attempt = 0; attempt < 1000; attempt++) {
		char *name = name_temporary(file->target, attempt);
		if (!name) {
			ordo_fail_memory(error);
			return -1;
		}
		/* Listed first, so that no signal finds it made and unlisted; the name has this
		 * process's number, so it is nobody else's. */
		replace_unfinished(NULL, name);
		int made = make_temporary(name, folder, mode);
		if (made >= 0) {
			file->temporary = name;
			return made;
		}
		const int cause = errno;
		replace_unfinished(name, NULL);
		free(name);
		errno = cause;
		if (errno != EEXIST)
			break;
	}
	ordo_fail_file(error, file->target, "cannot write beside it", errno);
	return -1;
}

static bool open_stream(
	struct ordo_atomic_file *file, int descriptor, const char *name, struct ordo_error *error)
{
	file->out = fdopen(descriptor, "w");
	if (file->out) {
		/* The printer buffers its output itself. */
		setvbuf(file->out, NULL, _IONBF, 0);
		return true;
	}
	int number = errno;
	close(descriptor);
	return ordo_fail_file(error, name, "cannot write", number);
}

bool ordo_atomic_begin_file(
	struct ordo_atomic_file *file, const char *path, struct ordo_error *error)
{
	if (!find_target(file, path, error))
		return false;
	struct stat facts;
	bool exists = !stat(file->target, &facts);
	int descriptor;
	if (exists && !S_ISREG(facts.st_mode)) {
		descriptor = open(file->target, O_WRONLY | O_CLOEXEC);
		if (descriptor < 0)
			ordo_fail_file(error, file->target, "cannot write", errno);
	} else {
		descriptor = create_temporary(file, false, 0666, error);
		if (descriptor >= 0 && exists)
			(void)!fchmod(descriptor, facts.st_mode & 0777);
	}
	if (descriptor >= 0 && open_stream(file, descriptor, file->target, error))
		return true;
	return ordo_atomic_end(file, false, NULL);
}

/* `rank-7.json`, with the prefix "rank-" and the ending ".json". */
static bool is_numbered(const char *name, const char *prefix, const char *ending)
{
	const size_t length = strlen(prefix);
	if (strncmp(name, prefix, length) != 0)
		return false;
	const size_t digits = strspn(name + length, "0123456789");
	return digits && !strcmp(name + length + digits, ending);
}

bool ordo_is_range_name(const char *name)
{
	return is_numbered(name, "range-", ".json");
}

bool ordo_is_failure_name(const char *name)
{
	return is_numbered(name, "failure-", ".json");
}

/* Can a folder of a schedule, of a set or of its execution traces contain a file of this
 * name? */
static bool is_schedule_file(const char *name)
{
	return !strcmp(name, "schedule.json") || !strcmp(name, "plan-set.json") ||
	       !strcmp(name, "failure-set.json") || !strcmp(name, "topology.json") ||
	       is_numbered(name, "rank-", ".json") || ordo_is_range_name(name) ||
	       ordo_is_failure_name(name) || is_numbered(name, "schedule.", ".et");
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static void close_folder(DIR **folder)
{
	if (*folder)
		closedir(*folder);
	*folder = NULL;
}

/* Replacing a folder removes its files, so a folder with any other file is rejected. */
static bool check_replaceable(struct ordo_atomic_file *file, struct ordo_error *error)
{
	close_folder(&file->replaced);
	file->replaced = opendir(file->target);
	if (!file->replaced && errno == ENOENT)
		return true;
	if (!file->replaced)
		return ordo_fail_file(error, file->target, "cannot write a folder there", errno);
	const struct dirent *entry;
	while ((entry = readdir(file->replaced)))
		if (!is_dots(entry->d_name) && !is_schedule_file(entry->d_name)) {
			ordo_fail(error, ORDO_USAGE, 0,
				"%s contains \"%s\", which is not part of a schedule", file->target,
				entry->d_name);
			return ordo_hint(error,
				"choose another name, or one that ends in .json for a single file");
		}
	return true;
}

/* Creates the temporary folder and keeps it open. */
static bool create_folder(struct ordo_atomic_file *file, struct ordo_error *error)
{
	const int descriptor = create_temporary(file, true, 0777, error);
	if (descriptor < 0)
		return false;
	file->folder = fdopendir(descriptor);
	if (file->folder)
		return true;
	ordo_fail_file(error, file->target, "cannot write beside it", errno);
	close(descriptor);
	rmdir(file->temporary);
	return false;
}

bool ordo_atomic_begin_folder(
	struct ordo_atomic_file *file, const char *path, struct ordo_error *error)
{
	if (!find_target(file, path, error))
		return false;
	if (check_replaceable(file, error) && create_folder(file, error))
		return true;
	return ordo_atomic_end(file, false, NULL);
}

bool ordo_atomic_open(struct ordo_atomic_file *file, const char *name, struct ordo_error *error)
{
	int descriptor =
		openat(dirfd(file->folder), name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (descriptor < 0)
		return ordo_fail_file(error, file->target, "cannot write", errno);
	return open_stream(file, descriptor, file->target, error);
}

bool ordo_atomic_close(struct ordo_atomic_file *file, struct ordo_error *error)
{
	FILE *out = file->out;
	file->out = NULL;
	if (out && fclose(out))
		return ordo_fail_file(error, file->target, "cannot write", errno);
	return true;
}

/* Removes a folder, now at `path`, and those of its files that a schedule can have. */
static void remove_folder(DIR *folder, const char *path)
{
	if (!folder)
		return;
	rewinddir(folder);
	const struct dirent *entry;
	while ((entry = readdir(folder)))
		if (is_schedule_file(entry->d_name))
			unlinkat(dirfd(folder), entry->d_name, 0);
	rmdir(path);
}

static bool exchange(const char *one, const char *other)
{
#ifdef SYS_renameat2
	return !syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
#else
	errno = ENOSYS;
	return false;
#endif
}

/* Without an atomic exchange there is a moment with no folder; if the new one cannot be renamed,
 * the old one is restored. */
static bool move_aside(struct ordo_atomic_file *file)
{
	size_t size = strlen(file->temporary) + 8;
	char *aside = malloc(size);
	if (!aside)
		return false;
	snprintf(aside, size, "%s.old", file->temporary);
	bool worked = !rename(file->target, aside);
	if (worked && rename(file->temporary, file->target)) {
		int number = errno;
		(void)!rename(aside, file->target);
		errno = number;
		worked = false;
	}
	if (worked)
		remove_folder(file->replaced, aside);
	free(aside);
	return worked;
}

static bool replace_folder(struct ordo_atomic_file *file, struct ordo_error *error)
{
	if (!check_replaceable(file, error))
		return false;
	/* Works if the name is free or an empty folder. */
	if (!rename(file->temporary, file->target))
		return true;
	if (exchange(file->temporary, file->target)) {
		remove_folder(file->replaced, file->temporary);
		return true;
	}
	if ((errno == ENOSYS || errno == EINVAL) && move_aside(file))
		return true;
	return ordo_fail_file(error, file->target, "cannot replace it", errno);
}

static bool replace(struct ordo_atomic_file *file, struct ordo_error *error)
{
	if (!file->temporary)
		return true;
	if (file->folder)
		return replace_folder(file, error);
	return rename(file->temporary, file->target)
		       ? ordo_fail_file(error, file->target, "cannot replace it", errno)
		       : true;
}

bool ordo_atomic_end(struct ordo_atomic_file *file, bool worked, struct ordo_error *error)
{
	worked = ordo_atomic_close(file, worked ? error : NULL) && worked && replace(file, error);
	if (!worked && file->temporary) {
		if (file->folder)
			remove_folder(file->folder, file->temporary);
		else
			unlink(file->temporary);
	}
	close_folder(&file->folder);
	close_folder(&file->replaced);
	if (file->temporary)
		replace_unfinished(file->temporary, NULL);
	free(file->temporary);
	free(file->target);
	*file = (struct ordo_atomic_file){0};
	return worked;
}

/* readdir may allocate, so a handler of signals asks the kernel, whose entries are laid out as
 * those of readdir where file offsets have 64 bits (meson makes it so). */
static void abandon_folder(const char *path)
{
	_Alignas(struct dirent) char entries[4096];
	const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long length = 0;
	for (bool removed = true; folder >= 0 && removed;) {
		removed = false;
		lseek(folder, 0, SEEK_SET);
		while ((length = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
			for (long at = 0; at < length;) {
				const struct dirent *entry =
					(const struct dirent *)(const void *)(entries + at);
				at += entry->d_reclen;
				if (is_schedule_file(entry->d_name))
					removed |= !unlinkat(folder, entry->d_name, 0);
			}
	}
	rmdir(path);
}

void ordo_atomic_abandon(void)
{
	for (int i = 0; i < MOST_UNFINISHED; i++) {
		const char *path = atomic_load(&unfinished[i]);
		if (path && unlink(path) && (errno == EISDIR || errno == EPERM))
			abandon_folder(path);
	}
}
