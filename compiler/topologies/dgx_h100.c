/* dgx_h100.c - NVIDIA DGX H100: eight GPUs at NVSwitches, a 400 Gb/s card for each.
 *
 * NVLink   900 GB/s a GPU both ways together, eighteen links, so 450 GB/s each way; four
 *          NVSwitches, each GPU at all of them. They are not blocking, and traffic of any pair
 *          goes over all of them: one switch here. Adding in the switches (SHARP) is not in the
 *          model
 * cards    eight ConnectX-7, 400 Gb/s, one a GPU: 50 GB/s each way
 * memory   H100 SXM: 3.35 TB/s
 * source   "Introducing NVIDIA HGX H100: An Accelerated Server Platform for AI and High-
 *          Performance Computing" (NVIDIA Technical Blog, 2022); "NVIDIA DGX H100/H200 User
 *          Guide" (NVIDIA); "NVIDIA H100 Tensor Core GPU" (datasheet, NVIDIA)
 *
 * Peak rates; what programs see is less. Latencies are assumptions.
 */
#include "boxes.h"
#include "generator.h"

static const struct ordo_box box = {.name = "dgx-h100",
	.class_name = "NVLink",
	.switched = true,
	.link_gbs = 450,
	.card_gbs = 50,
	.memory_gbs = 3350};

const struct ordo_topology_generator ordo_topology_dgx_h100 = {
	.facts = {.name = "dgx-h100",
		.summary = "NVIDIA DGX H100: 8 GPUs at a switch of 450 GB/s, rails of 400 Gb/s: "
			   "dgx-h100:4",
		.ranks = "8 a server",
		.how = "The eight GPUs of each server share one switch, which stands for its "
		       "NVSwitches: 450 GB/s in each direction. Each GPU has a network card of 50 "
		       "GB/s, connected to the rail of its number.",
		.where = "NVIDIA DGX H100; peak rates as published, with their sources in "
			 "compiler/topologies/dgx_h100.c.",
		.sample = "dgx-h100:1"},
	.box = &box,
};
