/* msccl_folder.h - a folder of programs of MSCCL, as a runtime chooses among them by size. */
#ifndef ORDO_TOOLS_REPORT_MSCCL_FOLDER_H
#define ORDO_TOOLS_REPORT_MSCCL_FOLDER_H

#include "base/report.h"

struct msccl_folder_question {
	const char *path;
	const char *runtime;	/* as on the command line */
	const char *collective; /* NULL: all */
	bool in_place;		/* calls in place only */
};

/* Judges every file, and reports which one each size selects, where none does, where several do,
 * and where the order of sums changes. Returns the exit code: ORDO_REFUTED if a file that is
 * selected is refuted or hangs at a size that selects it, or if several files match one size. */
int verify_msccl_folder(struct call *call, const struct msccl_folder_question *question);

#endif
