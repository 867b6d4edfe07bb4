/* xml_file.h - what readers of XML share. */
#ifndef ORDO_TOOLS_XML_XML_FILE_H
#define ORDO_TOOLS_XML_XML_FILE_H

#include <ordo/error.h>
#include <stdbool.h>
#include <stddef.h>

/* The bytes of a file, "-" is stdin. NULL: an error with the file's name; freed by the caller with
 * free. */
char *read_whole_file(const char *path, size_t *size, struct ordo_error *error);
/* Does a text begin as UTF-16 does, which expat would read? */
bool is_utf16(const char *text, size_t size);
/* The value of an attribute, of name and value by turns; NULL: there is none. */
const char *xml_attribute(const char *const *attributes, const char *name);

#endif
