/* dyadic.h - inputs of ranks that are no round numbers, and their sum by the dyadic tree, evaluated
 * without the library. For programs of one file. */
#ifndef MPI_DYADIC_H
#define MPI_DYADIC_H

/* Element i of rank r; other elements for every salt. */
static float value(int r, int i, int salt)
{
	const int a = ((i + salt * 31) * 7919 + r * 104729) % 1000003;
	return (float)(a *
		       (i % 3 == 0	    ? 16384.0
			       : i % 3 == 1 ? 1.0 / 1024
					    : 1.0) /
		       (r % 2 ? 3 : 7));
}

/* Of the ranks [begin, end). */
static float tree(int begin, int end, int i, int salt)
{
	int half = 1;
	if (end - begin == 1)
		return value(begin, i, salt);
	while (half * 2 < end - begin)
		half *= 2;
	const float left = tree(begin, begin + half, i, salt),
		    right = tree(begin + half, end, i, salt);
	return left + right;
}

#endif
