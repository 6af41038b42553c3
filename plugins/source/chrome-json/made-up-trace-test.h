/* Pseudo-random traces full of braces and look-alikes, and what the JSON reader makes of them. */
/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_CHROME_JSON_MADE_UP_TRACE_TEST_H
#define SOURCE_CHROME_JSON_MADE_UP_TRACE_TEST_H

#include "base/json.h"
#include "base/num.h"

#include <string.h>

static uint64_t made_seed = 1;

static uint32_t pick(uint32_t n)
{
  made_seed = made_seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(made_seed >> 33) % n;
}

static void add_text(GString *out)
{
  static const char *const parts[] = { "aten::mm",
                                       "}",
                                       "{",
                                       "\\\"",
                                       "\\\\",
                                       "},{\\\"ph\\\":\\\"X\\\"",
                                       "[",
                                       "]",
                                       " ",
                                       "\\u00e9",
                                       "void k<int>(float*, 3)",
                                       "," };
  g_string_append_c(out, '"');
  for (unsigned n = pick(8); n; n--) g_string_append(out, parts[pick(12)]);
  g_string_append_c(out, '"');
}

static void add_args(GString *out)
{
  g_string_append(out, ", \"args\": {");
  for (unsigned n = pick(5), i = 0; i < n; i++) {
    g_string_append_printf(out, "%s\n  \"k%u\": ", i ? "," : "", i);
    switch (pick(4)) {
    case 0: add_text(out); break;
    case 1: g_string_append_printf(out, "%u.%u", pick(1000), pick(10)); break;
    case 2:
      g_string_append(out, "[ {\"ph\":\"X\",\"ts\":1} , {\"ph\":\"X\"},{\"ts\": 3}]");
      break; /* looks like events */
    default: g_string_append_printf(out, "%u", pick(100000));
    }
  }
  g_string_append(out, "}");
}

static char *made_up_trace(unsigned n)
{
  GString *out = g_string_new("{\"schemaVersion\": 1, \"traceEvents\": [");
  for (unsigned i = 0; i < n; i++) {
    g_string_append(out, i ? "," : "");
    g_string_append(out, pick(2) ? "\n  " : "");
    g_string_append_printf(
        out, "{\"ph\": \"X\", \"ts\": %u.%03u, \"dur\": %u, \"pid\": %u, \"name\": ", pick(1000000),
        pick(1000), pick(100), pick(3));
    add_text(out);
    if (pick(2)) add_args(out);
    g_string_append(out, "}");
  }
  g_string_append(out, "\n], \"traceName\": \"x\"}");
  return g_string_free(out, FALSE);
}

/* Name, ts and dur as the JSON reader finds them. */
static char *oracle(const char *text)
{
  GString *out = g_string_new(NULL);
  JsonCursor r;
  JsonToken t, v;
  json_open(&r, strchr(text, '['), strlen(strchr(text, '[')), false);
  json_next(&r, &t);
  while (json_next(&r, &t) == JSON_OBJECT) {
    int64_t ts = 0, dur = 0;
    unsigned flags;
    g_autoptr(GString) name = g_string_new(NULL);
    while (json_next(&r, &t) == JSON_KEY) {
      json_skip(&r, &v);
      if (strncmp(t.start, "\"ts\"", 4) == 0)
        num_scan_scaled(v.start, v.start + v.len, 3, &ts, &flags);
      if (strncmp(t.start, "\"dur\"", 5) == 0)
        num_scan_scaled(v.start, v.start + v.len, 3, &dur, &flags);
      if (strncmp(t.start, "\"name\"", 6) == 0) json_decode(&v, name);
    }
    g_string_append_printf(out, "%lld %lld %s\n", (long long)ts, (long long)dur, name->str);
  }
  return g_string_free(out, FALSE);
}

#endif
