/* Members of JSON objects; see json-members.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/json-members.h"

#include <string.h>

void members_of(JsonCursor *c, const JsonToken *object)
{
  JsonToken opening;
  json_open(c, object->start, object->len, false);
  json_next(c, &opening);
}

/* A word that is not JSON keeps its bytes; its kind says that it is not a number. */
bool member_next(JsonCursor *c, JsonToken *out_key, JsonToken *out_value)
{
  if (json_next(c, out_key) != JSON_KEY) return false;
  out_value->kind = json_skip(c, out_value);
  return out_value->kind != JSON_ERROR;
}

bool element_next(JsonCursor *c, JsonToken *out_value)
{
  JsonKind kind = json_skip(c, out_value);
  return kind != JSON_ARRAY_END && kind != JSON_ERROR && kind != JSON_END;
}

size_t members_last(const JsonToken *object, const char *const *names, size_t n, JsonToken *out)
{
  JsonCursor c;
  JsonToken key, value;
  size_t n_repeated = 0;
  for (size_t i = 0; i < n; i++) out[i] = (JsonToken){ JSON_NULL, object->start, 0 };
  if (object->kind != JSON_OBJECT) return 0;
  members_of(&c, object);
  while (member_next(&c, &key, &value)) {
    for (size_t i = 0; i < n; i++) {
      if (!json_is(&key, names[i])) continue;
      n_repeated += out[i].len > 0;
      out[i] = value;
    }
  }
  return n_repeated;
}
