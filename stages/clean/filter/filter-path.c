/* Paths of the stage filter; see filter-path.h.  The JSON was checked when it was read, so only its brackets and
 * quotes are looked at here; whatever does not fit is not found. */
/* SPDX-License-Identifier: MIT */
#include "filter-path.h"

#include <string.h>

typedef struct Span {
  const char *at, *end;
} Span;

void path_open(FilterPath *p, const MillHost *common, const char *path)
{
  static const char *const fields[] = { [FIELD_NAME] = "name",
                                        [FIELD_CAT] = "cat",
                                        [FIELD_PHASE] = "ph",
                                        [FIELD_PROCESS] = "pid",
                                        [FIELD_THREAD] = "tid" };
  *p = (FilterPath){ .inner = "" };
  for (uint32_t f = FIELD_NAME; f < MILL_COUNT(fields); f++)
    if (strcmp(path, fields[f]) == 0) p->field = (FilterField)f;
  const char *attr = strncmp(path, "args.", 5) == 0 ? path + 5 : path;
  size_t len = strcspn(attr, ".");
  p->attr = common->intern(common, attr, len);
  if (attr[len] == '.') p->inner = attr + len + 1;
}

/* ---- JSON */

static const char *skip_space(Span s)
{
  while (s.at < s.end && (*s.at == ' ' || *s.at == '\t' || *s.at == '\n' || *s.at == '\r')) s.at++;
  return s.at;
}

/* From after the first quote to the last one. */
static const char *skip_string(Span s)
{
  for (; s.at < s.end && *s.at != '"'; s.at++)
    if (*s.at == '\\' && s.at + 1 < s.end) s.at++;
  return s.at;
}

/* To after a value, or to the comma or bracket that follows it. */
static const char *skip_value(Span s)
{
  uint32_t depth = 0;
  for (; s.at < s.end; s.at++) {
    if (*s.at == '"') s.at = skip_string((Span){ s.at + 1, s.end });
    if (s.at == s.end) break;
    bool closes = *s.at == '}' || *s.at == ']';
    if (depth == 0 && (closes || *s.at == ',')) break;
    if (*s.at == '{' || *s.at == '[') depth++;
    if (closes) depth--;
  }
  return s.at;
}

/* The value of the member of that name of an object; of duplicates the last. */
static bool find_member(Span *io, const char *key, size_t key_len)
{
  Span s = { skip_space(*io), io->end };
  bool found = false;
  if (s.at == s.end || *s.at++ != '{') return false;
  for (;;) {
    s.at = skip_space(s);
    if (s.at == s.end || *s.at != '"') return found;
    const char *start = ++s.at;
    s.at = skip_string(s);
    size_t len = (size_t)(s.at - start);
    if (s.at == s.end) return found;
    s.at++;
    s.at = skip_space(s);
    if (s.at == s.end || *s.at++ != ':') return found;
    const char *value = s.at = skip_space(s);
    s.at = skip_value(s);
    if (len == key_len && memcmp(start, key, len) == 0) {
      *io = (Span){ value, s.at };
      found = true;
    }
    if (s.at == s.end || *s.at++ != ',') return found;
  }
}

bool path_walk(const char *inner, const char **io_text, size_t *io_len)
{
  Span s = { *io_text, *io_text + *io_len };
  while (*inner) {
    size_t len = strcspn(inner, ".");
    if (!find_member(&s, inner, len)) return false;
    inner += len + (inner[len] == '.');
  }
  while (s.end > s.at && strchr(" \t\r\n", s.end[-1])) s.end--;
  size_t n = (size_t)(s.end - s.at);
  if (n == 0 || *s.at == '{' || (n == 4 && memcmp(s.at, "null", 4) == 0)) return false;
  bool is_text = *s.at == '"' && n >= 2;
  *io_text = s.at + is_text;
  *io_len = n - 2 * (size_t)is_text;
  return true;
}
