/* cache_line.h - the bytes that a core takes from another, or from memory, at once. Private to
 * runtime/. */
#ifndef ORDO_CACHE_LINE_H
#define ORDO_CACHE_LINE_H

#define CACHE_LINE 64

#endif
