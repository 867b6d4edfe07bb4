/* cache_line.h - the size of a cache line. Private to runtime/. */
#ifndef ORDO_CACHE_LINE_H
#define ORDO_CACHE_LINE_H

#define CACHE_LINE 64

#endif
