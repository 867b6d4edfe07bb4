/* birs_published.h - BIRS with the synchronisation written by hand, as published and put right. */
#ifndef TESTS_BIRS_PUBLISHED_H
#define TESTS_BIRS_PUBLISHED_H

#include <ordo/schedule.h>

/* Whom a rank tells, over HCCS, that its memory may be written to. */
enum acknowledges {
	/* the rank it will send to itself: described as found in the published schedule */
	THE_DESTINATION,
	THE_SOURCE, /* the rank that will send to it */
};

/* nrank is even and at least 4. The caller destroys it. */
struct ordo_schedule *birs_published(uint32_t nrank, enum acknowledges whom);

#endif
