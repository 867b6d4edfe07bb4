/* shared_object.c - loads algorithms from shared objects. They stay loaded until the process
 * ends. */
#include "shared_object.h"
#include "base/report.h"
#include <dlfcn.h>
#include <errno.h>
#include <ordo/plugin.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What paths were replaced by: as many as a command line may name. */
static char names[4][4096];
static unsigned count;

bool is_added(const char *text)
{
	for (unsigned i = 0; i < count; i++)
		if (text == names[i])
			return true;
	return false;
}

/* Where the path ends and the parameters begin: `./mine.so(map=auto)`. */
static size_t path_length(const char *text)
{
	const char *end = strstr(text, ".so(");
	return end ? (size_t)(end - text) + 3 : strlen(text);
}

bool is_shared_object(const char *text)
{
	const size_t length = path_length(text);
	return length > 3 && !memcmp(text + length - 3, ".so", 3);
}

static bool fail_object(struct call *call, const char *path, const char *hint, const char *format,
	...) __attribute__((format(printf, 4, 5)));
static bool fail_object(
	struct call *call, const char *path, const char *hint, const char *format, ...)
{
	struct ordo_error error = {.code = ORDO_USAGE};
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error.text, sizeof error.text, format, arguments);
	va_end(arguments);
	snprintf(error.file, sizeof error.file, "%s", path);
	snprintf(error.hint, sizeof error.hint, "%s", hint);
	return refuse_error(call, &error);
}

/* The plugin of an object. NULL: call->status. */
static const struct ordo_plugin *open_object(struct call *call, const char *path)
{
	char local[4096 + 2];
	if (access(path, R_OK)) {
		fail_object(call, path, "", "cannot read: %s", strerror(errno));
		return NULL;
	}
	/* A name without a slash would be looked for among the libraries of the system. */
	snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
	void *object = dlopen(local, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		const char *why = dlerror();
		fail_object(call, path,
			"`cc -shared -fPIC $(pkg-config --cflags libordo) mine.c -o mine.so` makes "
			"one",
			"cannot be loaded as a shared object: %.500s", why ? why : "");
		return NULL;
	}
	const struct ordo_plugin *plugin = dlsym(object, ORDO_PLUGIN_SYMBOL);
	if (!plugin) {
		fail_object(call, path, "ORDO_PLUGIN(...) of <ordo/plugin.h> defines it",
			"found no symbol \"%s\", wanted an algorithm", ORDO_PLUGIN_SYMBOL);
		dlclose(object);
	}
	return plugin;
}

bool load_algorithm(struct call *call, const char **text)
{
	struct ordo_error error;
	char path[4096];
	if (!*text || !is_shared_object(*text))
		return true;
	const size_t length = path_length(*text);
	if (length >= sizeof path || count == sizeof names / sizeof *names)
		return refuse_usage(call, NULL, "found %.100s..., wanted a shorter path", *text);
	memcpy(path, *text, length);
	path[length] = 0;
	const struct ordo_plugin *plugin = open_object(call, path);
	if (!plugin)
		return false;
	if (!ordo_plugin_add(plugin, &error))
		return fail_object(call, path,
			plugin->version == ORDO_PLUGIN_VERSION
				? ""
				: "compile it with the <ordo/plugin.h> of this version",
			"%s: %s", ORDO_PLUGIN_SYMBOL, error.text);
	snprintf(names[count], sizeof names[count], "%s%s", plugin->name, *text + length);
	*text = names[count++];
	return true;
}
