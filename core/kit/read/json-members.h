/* Members of JSON objects that are in memory and whose syntax is known to be right. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_JSON_MEMBERS_H
#define KIT_JSON_MEMBERS_H

#include "base/json.h"

/* False after the last. */
void members_of(JsonCursor *c, const JsonToken *object);
bool member_next(JsonCursor *c, JsonToken *out_key, JsonToken *out_value);
bool element_next(JsonCursor *c, JsonToken *out_value); /* of a list, after members_of */
/* The last value of each of these members, with length 0 where there is none; how many were there before them. */
size_t members_last(const JsonToken *object, const char *const *names, size_t n, JsonToken *out);

#endif
