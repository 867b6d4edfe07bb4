/* choice.h - a schedule for each link that may be down: chosen for a few links of a class, the
 * fastest of them renumbered for the others. */
#ifndef ORDO_TOOLS_FAILURES_CHOICE_H
#define ORDO_TOOLS_FAILURES_CHOICE_H

#include "choose/tuning.h"
#include "failures.h"

/* What every choice is for. */
struct choosing {
	const struct failures_request *request;
	struct predicting setting;
	struct predicted whole; /* the topology without a failure */
};

/* A schedule that was chosen, and proved, for a state. */
struct made_schedule {
	struct ordo_schedule *schedule; /* NULL: none */
	char digest[33];		/* of its order */
	double seconds;			/* predicted */
};

/* Links whose loss leaves the same network but for the numbers of its ranks and switches. */
struct link_class {
	uint64_t key;
	uint32_t nmember, nseen;
	uint32_t base;		   /* the link that the best schedule was chosen for */
	struct made_schedule best; /* owned until it is taken for the base */
	bool taken;
};

struct failed_link {
	uint32_t a, b;	      /* vertices, a < b */
	uint32_t class_index; /* ORDO_NONE: without it, ranks are cut off */
	double seconds;	      /* of the algorithm of the best schedule of its class; 0: not tried */
};

struct failed_links {
	struct failed_link *links;  /* [count] ascending */
	struct link_class *classes; /* [nclass] */
	uint32_t count, nclass;
};

/* The links of the topology that are up, in classes. false: call->status; freed by the caller
 * likewise. */
bool find_failed_links(
	struct call *call, const struct choosing *choosing, struct failed_links *failed);
void free_failed_links(struct failed_links *failed);

/* The fastest of all algorithms, or of the one asked for. The caller destroys the schedule. false:
 * call->status. */
bool choose_freely(struct call *call, const struct choosing *choosing,
	struct ordo_topology *topology, struct made_schedule *made);

/* How often the next call chooses. */
uint32_t count_choices(const struct failed_links *failed);
/* Chooses for some links of each class. false: call->status. */
bool choose_for_classes(
	struct call *call, const struct choosing *choosing, struct failed_links *failed);

/* The schedule for a link that cuts no rank off: that of its class, on `topology`, without it. The
 * caller destroys it, after the schedules of all links were made. false: call->status. */
bool make_for_link(struct call *call, const struct choosing *choosing, struct failed_links *failed,
	uint32_t link, struct ordo_topology *topology, struct made_schedule *made);

#endif
