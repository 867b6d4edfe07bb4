/* dgx_a100.c - NVIDIA DGX A100: eight GPUs at NVSwitches, a 200 Gb/s card for each.
 *
 * NVLink   600 GB/s a GPU both ways together, twelve links, so 300 GB/s each way; six
 *          NVSwitches, two links of each GPU to every one. They are not blocking, and traffic of
 *          any pair goes over all of them: one switch here
 * cards    eight ConnectX-6 for compute, 200 Gb/s, one a GPU: 25 GB/s each way
 * memory   A100 80GB: 2,039 GB/s
 * source   "NVIDIA DGX A100 System Architecture" (white paper, NVIDIA 2020); "Defining AI
 *          Innovation with NVIDIA DGX A100" (NVIDIA Technical Blog, 2020); "NVIDIA A100 Tensor
 *          Core GPU" (datasheet, NVIDIA 2021)
 *
 * Peak rates; what programs see is less. Latencies are assumptions.
 */
#include "boxes.h"
#include "generator.h"

static const struct ordo_box box = {.name = "dgx-a100",
	.class_name = "NVLink",
	.switched = true,
	.link_gbs = 300,
	.card_gbs = 25,
	.memory_gbs = 2039};

const struct ordo_topology_generator ordo_topology_dgx_a100 = {
	.facts = {.name = "dgx-a100",
		.summary = "NVIDIA DGX A100: 8 GPUs at a switch of 300 GB/s, rails of 200 Gb/s: "
			   "dgx-a100:4 is 4 servers",
		.ranks = "8 a server",
		.how = "The eight GPUs of each server share one switch, which stands for its "
		       "NVSwitches: 300 GB/s in each direction. Each GPU has a network card of 25 "
		       "GB/s, connected to the rail of its number.",
		.where = "NVIDIA DGX A100; peak rates as published, with their sources in "
			 "compiler/topologies/dgx_a100.c.",
		.sample = "dgx-a100:1"},
	.box = &box,
};
