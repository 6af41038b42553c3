/* Lists and objects in Python's words; see python.h. */
/* SPDX-License-Identifier: MIT */
#include "python.h"

#include <stdbool.h>
#include <string.h>

#include "base/num.h"

enum { MAX_DEPTH = 16 };

/* The end of the text that begins at a quote. */
static const char *end_of_text(const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\' && p + 1 < end) p++;
  return p < end ? p + 1 : end;
}

/* Without its quotes; escapes other than of quotes stay as they are. */
static void put_text(GString *out, const char *from, const char *to)
{
  g_string_append_c(out, '\'');
  for (const char *p = from + 1; p < to - 1; p++) {
    if (*p == '\\' && p[1] == '"') continue;
    if (*p == '\'') g_string_append_c(out, '\\');
    g_string_append_c(out, *p);
  }
  g_string_append_c(out, '\'');
}

void python_tuple(GString *out, const char *json, size_t len)
{
  const char *end = json + len;
  unsigned commas[MAX_DEPTH + 1] = { 0 }, depth = 0;
  bool empty = true;
  for (const char *p = json; p < end;) {
    const char *next = *p == '"' ? end_of_text(p, end) : p + 1;
    if (*p == '"') {
      put_text(out, p, next);
    } else if (*p == '[' && depth < MAX_DEPTH) {
      g_string_append_c(out, '(');
      commas[++depth] = 0;
    } else if (*p == ']' && depth) {
      g_string_append(out, commas[depth] || empty ? ")" : ",)");
      depth--;
    } else if (*p == ',') {
      g_string_append(out, ", ");
      commas[depth]++;
    } else if (*p != ' ') {
      g_string_append_c(out, *p);
    }
    if (*p != ' ') empty = *p == '[';
    p = next;
  }
}

/* ---- kernels */

static const struct {
  const char *ours, *theirs;
} keys[] = {
  { "\"total_ns\"", "total_duration_us" },   { "\"mean_ns\"", "mean_duration_us" },
  { "\"median_ns\"", "median_duration_us" }, { "\"std_ns\"", "std_dev_duration_us" },
  { "\"min_ns\"", "min_duration_us" },       { "\"max_ns\"", "max_duration_us" },
};

/* A key of a time: its name there; NULL for others. */
static const char *time_key(const char *from, const char *to)
{
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
    if ((size_t)(to - from) == strlen(keys[i].ours) &&
        memcmp(from, keys[i].ours, strlen(keys[i].ours)) == 0)
      return keys[i].theirs;
  return NULL;
}

/* The number after ": " in us. */
static const char *put_time(GString *out, const char *p, const char *end)
{
  char buf[NUM_BUF];
  double ns = 0;
  const char *from = p + 2, *to = from;
  while (to < end && *to != ',' && *to != '}') to++;
  (void)num_real(from, (size_t)(to - from), &ns);
  g_string_append(out, ": ");
  g_string_append_len(out, buf, (gssize)num_format_real(buf, ns / 1000));
  return to;
}

void python_details(GString *out, const char *json, size_t len)
{
  const char *end = json + len;
  for (const char *p = json; p < end;) {
    if (*p != '"') {
      g_string_append_c(out, *p++);
      continue;
    }
    const char *after = end_of_text(p, end);
    const char *key = after < end && *after == ':' ? time_key(p, after) : NULL;
    if (key)
      g_string_append_printf(out, "'%s'", key);
    else
      put_text(out, p, after);
    p = key ? put_time(out, after, end) : after;
  }
}
