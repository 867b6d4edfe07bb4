/* doctor.c - `ordo doctor`: checks whether this machine has what the commands need or profit
 * from. */
#include "cli/options.h"
#include "commands/commands.h"
#include "doctor/machine.h"
#include "doctor/programs.h"
#include "mpi_launch/library.h"
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ordo/float_mode.h>
#include <ordo/runtime.h>
#include <stdarg.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Open MPI lists all its components, and chromium starts slowly. */
enum { PATIENCE_SECONDS = 5, MOST_LISTED = 1 << 18 };

enum verdict { GOOD, NOTE, PROBLEM };
static const struct {
	const char *name;
	enum colour colour;
} verdicts[] = {{"ok", GREEN}, {"note", YELLOW}, {"problem", RED}};

struct doctor {
	struct report findings;
	uint32_t count[3]; /* number of each verdict */
};

/* hint may be NULL. */
static void find(struct doctor *doctor, enum verdict verdict, const char *what, const char *hint,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
static void find(struct doctor *doctor, enum verdict verdict, const char *what, const char *hint,
	const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	tame(text, false);
	doctor->count[verdict]++;
	const struct report one = report_item(&doctor->findings);
	report_text(&one, "%s%-8s<verdict>%s %-14s<what> %s<text>\n",
		paint(one.text, verdicts[verdict].colour), verdicts[verdict].name,
		paint(one.text, PLAIN), what, text);
	if (hint)
		report_text(&one, "%-8s %-14s hint: %s<hint>\n", "", "", hint);
	else
		add_text(one.json, "hint", NULL);
}

/* The options of the compiler. */
#if defined(__has_feature)
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define SANITIZER "with the address sanitizer"
#elif defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
#define SANITIZER "with the thread sanitizer"
#else
#define SANITIZER NULL
#endif
#if defined(__OPTIMIZE__)
enum { OPTIMISED = true };
#else
enum { OPTIMISED = false };
#endif
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void examine_build(struct doctor *doctor)
{
	const char *sanitizer = SANITIZER;
	find(doctor, sanitizer || !OPTIMISED ? NOTE : GOOD, "ordo",
		sanitizer || !OPTIMISED
			? "for meaningful times: meson setup build -Dbuildtype=release"
			: NULL,
		"version %s, built by %s, %s%s, %s, %zu-bit", ORDO_VERSION, COMPILER, ORDO_BUILD,
		OPTIMISED ? "" : ", not optimised", sanitizer ? sanitizer : "no sanitizer",
		sizeof(void *) * 8);
}

static void examine_float_mode(struct doctor *doctor)
{
	struct ordo_error error;
	if (ordo_float_mode_check(&error))
		find(doctor, GOOD, "float mode", NULL,
			"subnormals are kept (no FTZ, no DAZ), results rounded to nearest");
	else
		find(doctor, PROBLEM, "float mode", error.hint, "%s", error.text);
}

static void examine_loops(struct doctor *doctor)
{
	const char *chosen = ordo_element_loops();
	char features[128] = "";
#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;
	snprintf(features, sizeof features, "; the CPU has%s%s%s%s",
		__builtin_cpu_supports("avx2") ? " AVX2" : "",
		__get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C ? " F16C" : "",
		__builtin_cpu_supports("fma") ? " FMA (not used, because it omits a rounding)" : "",
		__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? " AVX-512"
											: "");
	if (features[strlen(features) - 1] == 's')
		snprintf(features, sizeof features, "; the CPU has no AVX2");
#endif
	find(doctor, GOOD, "element loops", NULL, "%s%s; every form gives the same bits", chosen,
		features);
}

static void examine_processors(struct doctor *doctor)
{
	struct processors processors;
	char cores[64] = "", quota[64] = "";
	read_processors(&processors);
	double usable = processors.allowed;
	if (processors.cores)
		snprintf(cores, sizeof cores, " on %u core%s", processors.cores,
			plural(processors.cores));
	if (processors.quota > 0 && processors.quota < usable) {
		usable = processors.quota;
		snprintf(quota, sizeof quota, ", with a quota of %.3g", processors.quota);
	}
	find(doctor, *quota ? NOTE : GOOD, "processors",
		*quota ? "threads are throttled when the control group has used up its quota"
		       : NULL,
		"%u may be used%s, of %u%s", processors.allowed, cores, processors.online, quota);
	uint32_t ranks = usable < 1 ? 1 : (uint32_t)usable;
	if (processors.cores && processors.cores < ranks)
		ranks = processors.cores;
	find(doctor, ranks < 2 ? NOTE : GOOD, "ranks",
		ranks < 2 ? "schedules of any number of ranks are proved and run here, but not in "
			    "parallel"
			  : NULL,
		"%u rank%s at full speed, each on its own core; more share cores, which takes "
		"longer and gives the same bits",
		ranks, plural(ranks));
}

static void examine_memory(struct doctor *doctor)
{
	struct memory memory;
	char total[32], available[32], limit[32], huge[32];
	read_memory(&memory);
	ordo_bytes_text(total, (double)memory.total);
	ordo_bytes_text(available, (double)memory.available);
	ordo_bytes_text(limit, (double)memory.limit);
	ordo_bytes_text(huge, (double)memory.huge_page);
	const bool small = memory.available && memory.available < UINT64_C(1) << 30;
	find(doctor, small || memory.limit ? NOTE : GOOD, "memory",
		small ? "ordo run --size needs twice the size for every rank, and more with --check"
		      : NULL,
		"%s%s%s%s%s, pages of %llu bytes", total, memory.available ? ", available " : "",
		memory.available ? available : "",
		memory.limit ? ", of which the control group may use " : "",
		memory.limit ? limit : "", (unsigned long long)memory.page);
	const bool never = !strcmp(memory.transparent, "never");
	find(doctor, never ? NOTE : GOOD, "huge pages",
		never ? "large buffers are slower without them: echo madvise > "
			"/sys/kernel/mm/transparent_hugepage/enabled"
		      : NULL,
		"transparent: %s; reserved: %llu of %s, %llu free",
		*memory.transparent ? memory.transparent : "unknown",
		(unsigned long long)memory.huge_total, memory.huge_page ? huge : "unknown size",
		(unsigned long long)memory.huge_free);
}

static void examine_timer(struct doctor *doctor)
{
	struct timer timer;
	read_timer(&timer);
	const bool slow = timer.cost > 200e-9 || timer.step > 1e-6;
	find(doctor, slow ? NOTE : GOOD, "clock",
		slow ? "times of short runs and of traces include the cost of reading the clock"
		     : NULL,
		"%s: reading it takes %.0f ns, its resolution is %.0f ns",
		*timer.source ? timer.source : "source unknown", timer.cost * 1e9,
		timer.step * 1e9);
	const bool sleeps = has_futex();
	find(doctor, sleeps ? GOOD : NOTE, "waiting",
		sleeps ? NULL : "waiting ranks poll instead, and occupy processors",
		sleeps ? "threads sleep on a word of memory (futex)" : "there are no futexes");
}

static void examine_files(struct doctor *doctor)
{
	FILE *file = tmpfile();
	if (file)
		find(doctor, GOOD, "files", NULL, "temporary files can be made");
	else
		find(doctor, PROBLEM, "files",
			"pictures and --json of documents need temporary files",
			"none can be created: %s", strerror(errno));
	if (file)
		fclose(file);
}

static void examine_locale(struct doctor *doctor)
{
	const locale_t locale = newlocale(LC_ALL_MASK, "", (locale_t)0);
	if (!locale) {
		find(doctor, NOTE, "locale", "ordo is not affected; other programs may be",
			"the one in LANG or LC_ALL is not installed");
		return;
	}
	find(doctor, GOOD, "locale", NULL,
		"characters are %s; numbers are written with a point in every locale",
		nl_langinfo_l(CODESET, locale));
	freelocale(locale);
}

static void examine_dot(struct doctor *doctor)
{
	static const char *const version[] = {"dot", "-V", NULL}, *const picture[] = {
									  "dot", "-Tsvg", NULL};
	static const char install[] =
		"apt-get install graphviz; without it `ordo draw` writes dot and text only";
	char path[1024], text[8192], number[256];
	if (!find_program("dot", path, sizeof path)) {
		find(doctor, PROBLEM, "dot", install,
			"not found: no svg, png or pdf can be drawn with it");
		return;
	}
	const bool answers = ask_program(version, NULL, PATIENCE_SECONDS, text, sizeof text);
	if (!answers || !find_line(text, "version", number, sizeof number))
		snprintf(number, sizeof number, "of unknown version");
	if (ask_program(picture, "digraph { a -> b }", PATIENCE_SECONDS, text, sizeof text) &&
		strstr(text, "<svg"))
		find(doctor, GOOD, "dot", NULL, "%s, %s; it draws", path, number);
	else
		find(doctor, PROBLEM, "dot", install, "%s, %s, does not draw an svg of two nodes",
			path, number);
}

/* A variant of MPI, optional: only tools/bench-collectives compares with it. */
static void examine_open_mpi(struct doctor *doctor, char *text)
{
	static const char *const start[] = {"mpirun.openmpi", "--version", NULL},
				 *const plain[] = {"mpirun", "--version", NULL},
				 *const parts[] = {"ompi_info", NULL};
	char path[1024], version[128], layer[256] = "without the UCX layer";
	const bool named = find_program(start[0], path, sizeof path);
	const bool found = named || find_program(plain[0], path, sizeof path);
	if (!found ||
		!ask_program(named ? start : plain, NULL, PATIENCE_SECONDS, text, MOST_LISTED) ||
		(!find_line(text, "(OpenRTE)", version, sizeof version) &&
			!find_line(text, "(Open MPI)", version, sizeof version))) {
		find(doctor, NOTE, "Open MPI",
			"only tools/bench-collectives compares with it: apt-get install "
			"openmpi-bin libopenmpi-dev",
			"not found");
		return;
	}
	if (ask_program(parts, NULL, PATIENCE_SECONDS, text, MOST_LISTED) &&
		strstr(text, "MCA pml: ucx"))
		snprintf(layer, sizeof layer, "with the UCX layer (pml ucx)");
	find(doctor, GOOD, "Open MPI", NULL, "%s, %s, %s", version, path, layer);
}

static void examine_mpich(struct doctor *doctor, char *text)
{
	static const char *const start[] = {"mpichversion", NULL};
	char path[1024], version[128], device[128];
	if (!ask_program(start, NULL, PATIENCE_SECONDS, text, MOST_LISTED) ||
		!find_line(text, "MPICH Version:", version, sizeof version) ||
		(!find_program("mpirun.mpich", path, sizeof path) &&
			!find_program("mpiexec.hydra", path, sizeof path))) {
		find(doctor, NOTE, "MPICH",
			"only tools/bench-collectives compares with it: apt-get install mpich "
			"libmpich-dev",
			"not found");
		return;
	}
	if (!find_line(text, "MPICH Device:", device, sizeof device))
		snprintf(device, sizeof device, "unknown");
	find(doctor, GOOD, "MPICH", NULL, "%s, %s, device %s", version, path, device);
}

static void examine_our_libraries(struct doctor *doctor)
{
	char found[2][1100] = {"", ""}, path[1024];
	bool is_missing = false;
	for (int i = 0; i < NMPI_KIND; i++) {
		const bool is_there = find_mpi_library(&mpi_kinds[i], path, sizeof path);
		snprintf(found[i], sizeof found[i], "%s for %s", is_there ? path : "none",
			mpi_kinds[i].name);
		is_missing = is_missing || !is_there;
	}
	find(doctor, is_missing ? NOTE : GOOD, "ordo mpi",
		is_missing ? "a library is built where the development files of its MPI are "
			     "installed: libopenmpi-dev, libmpich-dev"
			   : NULL,
		"%.500s; %.500s", found[0], found[1]);
}

static void examine_browser(struct doctor *doctor)
{
	static const char *const names[] = {
		"chromium", "chromium-browser", "google-chrome", "firefox"};
	char path[1024];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (find_program(names[i], path, sizeof path)) {
			find(doctor, GOOD, "browser", NULL, "%s", path);
			return;
		}
	find(doctor, NOTE, "browser", "pages and pictures can be viewed on another machine",
		"none found on this one");
}

static int doctor(struct call *call)
{
	struct doctor doctor = {.count = {0}};
	const struct report report = report_of(call, stdout);
	static char text[MOST_LISTED];
	if (!read_options(call, NULL, 0))
		return call->status;
	if (call->noperand)
		return fail_usage(
			call, NULL, "doctor takes no operand, found %s", call->operands[0]);
	doctor.findings = report_list(&report, "findings");
	examine_build(&doctor);
	examine_float_mode(&doctor);
	examine_loops(&doctor);
	examine_processors(&doctor);
	examine_memory(&doctor);
	examine_timer(&doctor);
	examine_files(&doctor);
	examine_locale(&doctor);
	examine_dot(&doctor);
	examine_open_mpi(&doctor, text);
	examine_mpich(&doctor, text);
	examine_our_libraries(&doctor);
	examine_browser(&doctor);
	report_members(&report, "%u<problems>", doctor.count[PROBLEM]);
	if (doctor.count[PROBLEM])
		report_text(&report, "\n%u problem%s, ", doctor.count[PROBLEM],
			plural(doctor.count[PROBLEM]));
	else
		report_text(&report, "\neverything that the commands need is present; ");
	report_text(&report, "%u<notes> note%s\n", doctor.count[NOTE], plural(doctor.count[NOTE]));
	return doctor.count[PROBLEM] ? ORDO_ENVIRONMENT : ORDO_OK;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "checks whether this machine has what the commands need",
	.usage = "[OPTION]...",
	.examples = "  ordo doctor\n"
		    "  ordo doctor --json",
	.run = doctor,
};
