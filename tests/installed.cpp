// installed.cpp - a C++ program of somebody else: reads a schedule from memory and sums the vectors of its ranks, a std::thread a rank.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <ordo/runtime.h>
#include <string>
#include <thread>
#include <vector>

struct destroyer {
	void operator()(ordo_schedule *schedule) const { ordo_schedule_destroy(schedule); }
	void operator()(ordo_plan *plan) const { ordo_plan_destroy(plan); }
};

int main(int argc, char **argv)
{
	std::ifstream file(argc == 2 ? argv[1] : "");
	const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
	ordo_error error = {};
	const std::unique_ptr<struct ordo_schedule, destroyer> schedule(
		ordo_schedule_read_text(text.data(), text.size(), "memory", nullptr, &error));
	ordo_plan_options options = {};
	options.type = ORDO_F32;
	options.reduction = ORDO_SUM;
	options.count = 1000;
	const std::unique_ptr<struct ordo_plan, destroyer> plan(
		schedule ? ordo_plan_create(schedule.get(), &options, &error) : nullptr);
	if (!plan) {
		std::fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	const uint32_t nrank = schedule->problem.nrank;
	std::vector<std::vector<float>> input(nrank), output(nrank, std::vector<float>(1000));
	std::vector<std::thread> ranks;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		input[rank].assign(1000, float(rank + 1));
		if (!ordo_plan_bind(plan.get(), rank, input[rank].data(), output[rank].data(), nullptr))
			return 1;
	}
	for (uint32_t rank = 0; rank < nrank; rank++)
		ranks.emplace_back([&plan, rank] { ordo_plan_run_rank(plan.get(), rank, nullptr); });
	for (std::thread &rank : ranks)
		rank.join();
	uint32_t nalgorithm;
	ordo_algorithms(&nalgorithm);
	std::printf("%g by one of %s algorithms\n", double(output[nrank - 1][999]), nalgorithm > 1 ? "many" : "no");
	return 0;
}
