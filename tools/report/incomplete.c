/* incomplete.c - an answer in which something is missing for want of memory is none. */
#include "incomplete.h"
#include <cJSON.h>
#include <stdlib.h>

static bool incomplete, json_incomplete;

void set_incomplete(void)
{
	incomplete = true;
}

bool is_json_incomplete(void)
{
	return json_incomplete;
}

bool is_incomplete(void)
{
	return incomplete;
}

static void *allocate(size_t size)
{
	void *memory = malloc(size);
	json_incomplete = json_incomplete || !memory;
	return memory;
}

void watch_json_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){allocate, free});
}
