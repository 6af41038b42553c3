/* json-glib's tree beside our own tokens: both have a type named JsonReader. */
#ifndef PLAN_JSON_TREE_H
#define PLAN_JSON_TREE_H

#define JsonReader JsonGlibReader
#include <json-glib/json-glib.h>
#undef JsonReader

#endif
