/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* tune.h - the fastest algorithm at a size, or at each size of a range: found by simulating all
 * that apply.
 *
 * Every candidate (compiler.h) is compiled for the topology, proved, asked whether it suits, and
 * predicted (predict.h) with the topology's own links, ports and adders, so what contends there
 * counts. Where chunks follow each other, several K are candidates of their own.
 *
 * Predicted times are, over the bytes, mostly pieces of lines. Both sides of a size at which the
 * fastest changes are simulated, byte by byte, with every candidate: there it is exact. Between two
 * simulated sizes that have one fastest candidate in common, that one is taken to be the fastest.
 */
#ifndef ORDO_TUNE_H
#define ORDO_TUNE_H

#include <ordo/detail/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a candidate. */
enum ordo_standing {
	ORDO_TIMED, /* compiled, proved, suits, predicted */
	/* lazily: predicted, but not proved, for one that suits is faster at every size looked
	 * at */
	ORDO_SLOWER,
	/* lazily: not even compiled, or not simulated to its end, for it takes longer already than
	 * one that suits */
	ORDO_OUTRUN,
	ORDO_UNSUITABLE,   /* proved, but not what is wanted */
	ORDO_UNCARRIED,	   /* the topology lacks a link it needs */
	ORDO_INAPPLICABLE, /* not for this problem */
};
#define ORDO_NSTANDING 6
/* "timed", "slower", "outrun", "unsuitable", "no link", "not applicable" */
ORDO_API const char *ordo_standing_name(enum ordo_standing standing);

struct ordo_contender {
	const char *algorithm;	   /* with its parameters */
	uint32_t chunks_per_block; /* K; 0: inapplicable */
	enum ordo_standing standing;
	const char *why; /* the refusal; NULL if there is none */
	double bound;	 /* seconds at the first size: no prediction of it can be less */
	double first,
		/* predicted seconds at the first and the last size; negative: not predicted
		 * there */
		last;
	char digest[33]; /* of its order; empty if it was not proved, or has none */
};

/* Among more ranks than the first a choice among all algorithms compiles about so many tasks in
 * all, and no schedule that takes more memory, as far as that can be estimated: minutes of one
 * core. Of what it leaves out, `why` says what it would take. */
#define ORDO_CHOICE_FEW_RANKS 2048
#define ORDO_CHOICE_TASKS (UINT64_C(1) << 27)
#define ORDO_CHOICE_BYTES (UINT64_C(8) << 30)

struct ordo_tune_wish {
	/* from_bytes..to_bytes may be one size. The machine is what the topology does not say. */
	struct ordo_selection_wish selection;
	/* Only this algorithm, with its parameters, as for a request; where chunks follow each
	 * other it competes with itself, cut into one chunk and into more. NULL: all. */
	const char *algorithm;
	uint32_t element_bytes, scratch_element_bytes; /* as for a prediction (predict.h) */
	/* leave out what cannot be the fastest, for many ranks; with one_order nothing can be left
	 * out */
	bool lazily;
	/* [nblock] the proportions of the blocks at every size (predict.h), whose elements are
	 * divisible; NULL: equal blocks */
	const uint64_t *block_count;
	double add_cost; /* as for a prediction */
};

/* Seconds at the first, some middle and the last size of a range (of an endless one: the last that
 * was simulated); negative: not predicted. */
struct ordo_tuned_times {
	double first, middle, last;
};

/* Of a range: what was predicted of its algorithm, and of the one that comes second in the middle,
 * those that are as fast not counted. */
struct ordo_tuned {
	uint64_t middle_bytes;
	uint32_t contender, runner_up; /* indexes; runner_up ORDO_NONE: no slower one suits */
	struct ordo_tuned_times times, runner_up_times;
	/* Where it begins: seconds of the one before at the first size, and of this one a byte
	 * before that. 0 for the first range. */
	double before, early;
};

struct ordo_tuning {
	struct ordo_selection selection; /* costs in it are 0; schedules are proved */
	struct ordo_tuned *ranges;	 /* [selection.nrange] */
	/* [ncontender] those that were predicted by the time at the first size, then the others */
	struct ordo_contender *contenders;
	uint32_t ncontender;
	uint32_t nsize;			  /* how many sizes were simulated */
	uint64_t nprediction;		  /* and how often a schedule was */
	uint64_t first_bytes, last_bytes; /* the smallest and the largest of them */
};

/* Of candidates whose times differ by less than 1e-9 those are taken with which the order changes
 * least often from range to range, and then those that come first among candidates. With one_order
 * the order is taken whose greatest ratio to the fastest, over the sizes simulated, is least. An
 * endless range is simulated up to 1 TiB (or twice its first size). The caller frees the tuning,
 * also after false: ORDO_REFUTED if nothing suits (contenders say why), or whatever kept it from
 * being found. */
ORDO_API bool ordo_tune(
	const struct ordo_tune_wish *wish, struct ordo_tuning *tuning, struct ordo_error *error);
ORDO_API void ordo_tuning_free(struct ordo_tuning *tuning);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API bool ordo_tune_sized(size_t size, const struct ordo_tune_wish *wish,
	struct ordo_tuning *tuning, struct ordo_error *error);
#define ordo_tune(...) ordo_tune_sized(sizeof(struct ordo_tune_wish), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
