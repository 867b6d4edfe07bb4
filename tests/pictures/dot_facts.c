/* dot_facts.c - reads DOT with cgraph and lists what is in it: `node NAME`, `edge TAIL HEAD`,
 * `cluster NAME` and `graph`, each with its attributes, parted by tabs. */
#include <cgraph.h>
#include <stdio.h>

static void print_value(const char *text)
{
	for (; *text; text++)
		putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
}

static void print_attributes(Agraph_t *graph, int kind, void *object)
{
	for (Agsym_t *symbol = agnxtattr(graph, kind, NULL); symbol;
		symbol = agnxtattr(graph, kind, symbol)) {
		const char *value = agxget(object, symbol);
		if (!value || !*value)
			continue;
		printf("\t%s=", symbol->name);
		print_value(value);
	}
	putchar('\n');
}

int main(void)
{
	Agraph_t *graph = agread(stdin, NULL);
	if (!graph) {
		fprintf(stderr, "no graph\n");
		return 1;
	}
	printf("graph");
	print_attributes(graph, AGRAPH, graph);
	for (Agraph_t *part = agfstsubg(graph); part; part = agnxtsubg(part)) {
		printf("cluster\t%s", agnameof(part));
		print_attributes(graph, AGRAPH, part);
	}
	for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node)) {
		printf("node\t%s", agnameof(node));
		print_attributes(graph, AGNODE, node);
	}
	for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
		for (Agedge_t *edge = agfstout(graph, node); edge; edge = agnxtout(graph, edge)) {
			printf("edge\t%s\t%s", agnameof(agtail(edge)), agnameof(aghead(edge)));
			print_attributes(graph, AGEDGE, edge);
		}
	agclose(graph);
	return 0;
}
