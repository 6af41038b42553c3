/* JSON documents written member by member; see json-write.h. */
/* SPDX-License-Identifier: MIT */
#include "base/json-write.h"

#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "base/text-put.h"

typedef struct Mark {
  const char *text;
  size_t len;
} Mark;

static const Mark commas[] = { { ",", 1 }, { ", ", 2 }, { ", ", 2 }, { ",", 1 } };
static const Mark colons[] = { { ": ", 2 }, { ": ", 2 }, { ":", 1 }, { ":", 1 } };

static void start_line(JsonWriter *w)
{
  char line[1 + 2 * JSON_WRITER_DEPTH];
  memset(line, ' ', sizeof line);
  *line = '\n';
  text_put(w->text, line, w->layout == JSON_DENSE ? 1 : 1 + 2 * (size_t)w->depth);
}

/* What comes before a value. */
static void begin(JsonWriter *w, const char *key)
{
  bool lines = w->open[w->depth].lines;
  if (w->more) text_put(w->text, commas[w->layout].text, lines ? 1 : commas[w->layout].len);
  if (lines) start_line(w);
  w->more = w->depth > 0;
  if (!key) return;
  json_quote(w->text, key, strlen(key));
  text_put(w->text, colons[w->layout].text, colons[w->layout].len);
}

static void open_one(JsonWriter *w, const char *key, char bracket, bool lines)
{
  begin(w, key);
  g_assert(w->depth < JSON_WRITER_DEPTH);
  g_string_append_c(w->text, bracket);
  w->depth++;
  w->open[w->depth].end = bracket == '[' ? ']' : '}';
  w->open[w->depth].lines = lines;
  w->more = false;
}

void json_put_open(JsonWriter *w, const char *key, char bracket)
{
  open_one(w, key, bracket, w->layout == JSON_LINES);
}

void json_put_lines(JsonWriter *w, const char *key, char bracket)
{
  open_one(w, key, bracket, true);
}

void json_put_close(JsonWriter *w)
{
  g_assert(w->depth);
  char end = w->open[w->depth].end;
  bool lines = w->open[w->depth--].lines;
  if (lines && w->more) start_line(w);
  g_string_append_c(w->text, end);
  w->more = w->depth > 0;
}

void json_put_end(JsonWriter *w)
{
  json_put_close(w);
  g_string_append_c(w->text, '\n');
}

void json_put_string(JsonWriter *w, const char *key, const char *text, size_t len)
{
  begin(w, key);
  json_quote(w->text, text, len);
}

void json_put_raw(JsonWriter *w, const char *key, const char *json, size_t len)
{
  begin(w, key);
  text_put(w->text, json, len);
}

void json_put_text(JsonWriter *w, const char *key, const char *text)
{
  if (text)
    json_put_string(w, key, text, strlen(text));
  else
    json_put_raw(w, key, "null", 4);
}

void json_put_int(JsonWriter *w, const char *key, int64_t value)
{
  char buf[NUM_BUF];
  json_put_raw(w, key, buf, num_format_int(buf, value));
}

void json_put_uint(JsonWriter *w, const char *key, uint64_t value)
{
  char buf[NUM_BUF];
  json_put_raw(w, key, buf, num_format_uint(buf, value));
}

void json_put_real(JsonWriter *w, const char *key, double value)
{
  char buf[NUM_BUF];
  json_put_raw(w, key, buf, num_format_real(buf, value));
}

void json_put_bool(JsonWriter *w, const char *key, bool value)
{
  json_put_raw(w, key, value ? "true" : "false", value ? 4 : 5);
}

static void put_texts(JsonWriter *w, const char *key, const char *const *items, guint n)
{
  json_put_open(w, key, '[');
  for (guint i = 0; i < n; i++) json_put_text(w, NULL, items[i]);
  json_put_close(w);
}

void json_put_list(JsonWriter *w, const char *key, const char *const *items)
{
  put_texts(w, key, items, items ? g_strv_length((char **)items) : 0);
}

void json_put_array(JsonWriter *w, const char *key, const GPtrArray *items)
{
  put_texts(w, key, items ? (const char *const *)items->pdata : NULL, items ? items->len : 0);
}
