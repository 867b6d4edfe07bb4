/* pictures.c - writes pictures in the requested format. */
#include "pictures.h"
#include "base/output.h"
#include "view/dot/drawings.h"
#include <errno.h>
#include <string.h>

bool choose_picture_form(struct call *call, struct picture_options *args)
{
	static const char *const forms[] = {"dot", "svg", "png", "pdf"};
	if (!args->as && !args->output)
		return true;
	if (args->output && !strcmp(args->output, "-"))
		args->output = NULL;
	const char *ending = args->output ? strrchr(args->output, '.') : NULL;
	if (!args->as)
		args->as = ending ? ending + 1 : "dot";
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(args->as, forms[i])) {
			if (call->json && !args->output && i > 1)
				return refuse_usage(
					call, NULL, "--json with --as %s needs --output", args->as);
			return true;
		}
	return refuse_usage(call, NULL, "--as: found %s, wanted dot, svg, png or pdf", args->as);
}

static bool deliver(struct call *call, const struct picture_options *args, FILE *image)
{
	struct ordo_error error;
	add_text(call->answer, "as", args->as);
	add_text(call->answer, "output", args->output);
	if (call->json && !args->output && !add_contents(call->answer, "picture", image, &error))
		return refuse_error(call, &error);
	if (args->output ? save(image, args->output, &error)
			 : call->json || copy_out(image, stdout, &error))
		return true;
	return refuse_error(call, &error);
}

bool deliver_picture(struct call *call, const struct picture_options *args, bool straight,
	picture_writer *write, const void *closure)
{
	struct ordo_error error;
	FILE *dot = tmpfile(), *image = tmpfile();
	bool worked = dot && image;
	if (!worked) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot make a temporary file: %s",
			strerror(errno));
		refuse_error(call, &error);
	}
	worked = worked && write(call, closure, straight ? image : dot);
	if (worked && !straight && !render(dot, args->as, image, &error))
		worked = refuse_error(call, &error);
	worked = worked && deliver(call, args, image);
	if (dot)
		fclose(dot);
	if (image)
		fclose(image);
	return worked;
}
