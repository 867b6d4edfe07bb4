/* guides.c - algorithms and topologies in plain words. */
#include "guides.h"
#include <strings.h>

static const struct guide algorithm_guides[] = {
	{"ring",
		"The ranks stand in a circle, each with one slice of the vector to finish. In the "
		"first phase every rank adds a slice onto its neighbour's, which adds the sum on: "
		"after N-1 steps each slice has gone round once and lies summed on one rank. In "
		"the second phase the sums go round once more, as they are.",
		"Much data and few links: it sends the least there is to send and needs one circle "
		"of links, also one around links that are down. Two directions or several rings "
		"use more links at once. Not for little data (its steps grow with N), and not for "
		"G3: every slice is added in an order of its own.",
		NULL},
	{"mesh",
		"Every rank sends to every other directly, all at once. With one shot each gets "
		"everybody's data and adds it up for itself; with two, each adds up one share and "
		"then deals it round.",
		"There is a link between every two ranks: one or two steps, and an order of sums "
		"to choose (dyadic, folded, linear) that is the same for all chunks. Two shots "
		"send the least there is to send; one shot is for little data.",
		NULL},
	{"alltoall",
		"Pairwise: in step k every rank sends to the rank k further the block that is "
		"meant for it, and gets one from the rank k back. Bruck: blocks travel by the "
		"binary digits of their way, so that many go together and some go several times.",
		"Pairwise where blocks are large, as each goes once and one port is enough; bruck "
		"where they are small, as it takes log2 N steps.",
		NULL},
	{"star",
		"One rank, the hub, gets everybody's data, adds it up in ascending order, and "
		"sends back what each is to have.",
		"A few ranks around one that is linked with all; little data. The hub's links "
		"carry everything.",
		NULL},
	{"dyadic",
		"N = 2^a m, m odd. Inside aligned groups of 2^a ranks the nearest exchange first "
		"and halve what they have, a times; then the same ranks of all groups exchange "
		"their sums, and each adds them by a stride-doubling fold. Every chunk becomes the "
		"same tree, (((0+1)+(2+3))+...), as if one rank had added neighbours first.",
		"Bits must not depend on where an element stands, on the number of chunks or on "
		"which rank owns it (G3), for any N, at the bandwidth of the best; with --shards, "
		"not on the number of ranks either (G5).",
		NULL},
	{"forest",
		"There is one tree over virtual shards, whatever N is. Every rank adds up those of "
		"its subtrees that its own shards fill, and sends these sums to whoever owns the "
		"chunk, who adds them in the tree's order.",
		"Results must be the same on any number of ranks (G5), also where N is no power of "
		"two times smaller than the shards. It sends more than the least: a sum for every "
		"subtree.",
		NULL},
	{"birs",
		"Two ranks of a column share a fast link (SIO), the ranks of a lane others (HCCS). "
		"In every round a rank adds its part over SIO to what its neighbour will send "
		"next, sends over HCCS the sum that its column made in the round before, and "
		"copies its own part of the next. In the end each has one sum from every column "
		"and folds them in their order.",
		"A3 servers, whose two kinds of links it keeps busy at once, where bits must not "
		"depend on the position (G3).",
		NULL},
	{"halving-doubling",
		"N = 2^q. In each of q steps a rank exchanges with the one that differs in one "
		"bit, and keeps half of what it had, summed; doubling back, each step gathers "
		"twice as much.",
		"A power of two of ranks, hypercubes and switched networks: log2 N steps and the "
		"least there is to send.",
		NULL},
	{"recursive-doubling",
		"N = 2^q. In each of q steps a rank exchanges all it has with the rank that "
		"differs in one bit, and both add.",
		"Little data on a power of two of ranks: q steps, and no second phase. Each step "
		"sends the whole vector.",
		NULL},
	{"rhd",
		"The first ranks pair up until a power of two is left: the odd one of a pair gives "
		"all it has to the even one. Those left do halving and doubling, and the even ones "
		"give the odd ones their share.",
		"As halving-doubling, for numbers of ranks that are no power of two; the pairs "
		"send the vector once more.",
		NULL},
	{"nhr",
		"In the step k of ReduceScatter every rank sends to the one 2^k back on a circle "
		"all slices that still have to go that way: about half of the data in the step "
		"between the nearest. AllGather goes the same way back.",
		"Few steps, ceil(log2 N), for any number of ranks, and the least there is to send, "
		"where near ranks have the better links. For little data a form that goes up and "
		"down one tree.",
		NULL},
	{"nb",
		"The mirror image of nhr: the step k of ReduceScatter sends to the rank 2^k "
		"further, the other way round.",
		"As nhr: few steps for any number of ranks, on switched networks.", NULL},
	{"tree",
		"Sums go up a tree to the root, chunk after chunk, and results go down it. In a "
		"binomial tree the root has log2 N children; two binary trees, of which each rank "
		"is a leaf in one, halve what anybody sends.",
		"Broadcast, Reduce and little data; with many chunks, one step apart, also much. "
		"Binomial from root 0 adds in the dyadic order.",
		NULL},
	{"circulant",
		"In round k every rank sends all blocks beyond a skip s to the rank s further, and "
		"adds what comes onto the blocks it keeps; the skips halve, rounded up: N, N/2, "
		"N/4, ... 1.",
		"Any number of ranks in ceil(log2 N) rounds with N-1 blocks sent, the least of "
		"both, on switched networks.",
		NULL},
	{"hierarchical",
		"Ranks form levels: in a server, between servers, between pods. Each level has an "
		"algorithm of its own; the inner one leaves each rank with a share, and the outer "
		"one works on the shares side by side.",
		"Links inside are much faster than those between: the slow ones carry a share "
		"instead of everything.",
		NULL},
};

static const struct guide topology_guides[] = {
	{"full-mesh", "A link between every two ranks, each way.",
		"servers whose processors are all joined directly; what is assumed when only "
		"--fail-link is given",
		"full-mesh"},
	{"ring",
		"Links between each rank and the next, both ways, and between the last and the "
		"first.",
		"cards joined in a circle; algorithms: ring", "ring"},
	{"star", "One switch with all ranks at it; a rank drives one link at a time.",
		"ranks at one switch, one port each", "star"},
	{"a3",
		"Servers of pairs and lanes: ranks r and r^1 share a SIO link, ranks of one lane "
		"are fully joined by HCCS. Between servers, ranks of the same number meet at a "
		"switch.",
		"A3 servers: a3:8 is one of 8 ranks, a3:2x8 two", "a3:8"},
	{"servers",
		"A full mesh in each server; ranks of the same number of all servers meet at a "
		"leaf switch (a rail), and the leaves at spines.",
		"clusters with rails: servers:4x8,spines=2,oversubscription=4", "servers:2x4"},
	{"dgx-a100",
		"Eight GPUs at one switch in each server, which stands for its NVSwitches: 300 "
		"GB/s each way. A network card of 25 GB/s for each leads to the rail of its "
		"number.",
		"NVIDIA DGX A100; peak rates as published, in compiler/topologies/dgx_a100.c with "
		"their sources",
		"dgx-a100:1"},
	{"dgx-h100",
		"Eight GPUs at one switch in each server, which stands for its NVSwitches: 450 "
		"GB/s each way. A network card of 50 GB/s for each leads to the rail of its "
		"number.",
		"NVIDIA DGX H100; peak rates as published, in compiler/topologies/dgx_h100.c with "
		"their sources",
		"dgx-h100:1"},
	{"mi300x",
		"Eight GPUs in each server, 64 GB/s each way between every two. A network card of "
		"50 GB/s for each leads to the rail of its number.",
		"AMD Instinct MI300X; peak rates as published, in compiler/topologies/mi300x.c "
		"with their sources",
		"mi300x:1"},
	{"torus", "A grid of two or three dimensions whose rows and columns are rings.",
		"torus:4x4, torus:2x3x4", "torus:2x4"},
	{"hypercube", "A link between every two ranks whose numbers differ in one binary digit.",
		"a power of two of ranks; algorithms: halving-doubling, dyadic", "hypercube"},
};

static const struct guide *find(const struct guide *guides, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcasecmp(guides[i].name, name))
			return &guides[i];
	return NULL;
}

const struct guide *find_algorithm_guide(const char *name)
{
	return find(algorithm_guides, sizeof algorithm_guides / sizeof *algorithm_guides, name);
}

const struct guide *find_topology_guide(const char *name)
{
	return find(topology_guides, sizeof topology_guides / sizeof *topology_guides, name);
}
