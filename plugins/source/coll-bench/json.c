/* Results as JSON: a document of nccl-tests, objects of rccl-tests, one a line or in a list. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/json-value.h"
#include "coll-bench.h"

/* Numbers may be texts: root, booleans and NaN are. */
static double number_in(const JsonValue *o, const char *key)
{
  const JsonValue *node = json_member(o, key);
  if (json_holds(node, JSON_STRING)) return log_number(node->text);
  if (json_is_truth(node)) return node->kind == JSON_TRUE;
  return json_holds(node, JSON_NUMBER) ? node->real : (double)NAN;
}

static int64_t whole_in(const JsonValue *o, const char *key, int64_t otherwise)
{
  double v = number_in(o, key);
  return v >= 0 && v < 9e18 ? (int64_t)v : otherwise;
}

static const char *text_in(Log *log, const JsonValue *o, const char *key)
{
  const char *text = json_text(json_member(o, key));
  return text ? g_string_chunk_insert_const(log->names, text) : NULL;
}

static const JsonValue *object_in(const JsonValue *o, const char *key)
{
  return json_as(json_member(o, key), JSON_OBJECT);
}

static const JsonValue *list_in(const JsonValue *o, const char *key)
{
  return json_as(json_member(o, key), JSON_ARRAY);
}

static bool is_true(Log *log, const JsonValue *o, const char *key)
{
  const char *text = text_in(log, o, key);
  return text ? !g_ascii_strcasecmp(text, "true") || !strcmp(text, "1") : number_in(o, key) > 0;
}

/* -------------------------------------------------------------- nccl-tests */

static void add_half(Log *log, const JsonValue *result, CollRow row, const char *key, bool in_place)
{
  const JsonValue *half = object_in(result, key);
  if (!half) return;
  row.in_place = in_place;
  row.time_us = number_in(half, "time");
  if (isnan(row.time_us)) row.time_us = number_in(half, "cpu_time");
  row.algbw = number_in(half, "alg_bw");
  row.busbw = number_in(half, "bus_bw");
  row.wrong = whole_in(half, "nwrong", -1);
  if (row.time_us > 0) g_array_append_val(log->rows, row);
}

static void take_document(Log *log, const JsonValue *root)
{
  const JsonValue *results = list_in(root, "results"),
                  *devices = list_in(object_in(root, "config"), "devices");
  const JsonValue *bounds = object_in(root, "out_of_bounds"),
                  *average = object_in(root, "average_bus_bandwidth");
  log->run.ranks = json_count(devices);
  for (guint i = 0; i < json_count(results); i++) {
    const JsonValue *result = json_as(json_item(results, i), JSON_OBJECT);
    if (!result) continue;
    const char *name = text_in(log, result, "experiment_name");
    CollRow row = { .collective = name ? log_collective(log, name) : NULL,
                    .type = text_in(log, result, "type"),
                    .redop = text_in(log, result, "redop"),
                    .bytes = whole_in(result, "size", -1),
                    .count = whole_in(result, "count", -1) };
    if (row.bytes < 0) continue;
    add_half(log, result, row, "out_of_place", false);
    add_half(log, result, row, "in_place", true);
  }
  log->run.out_of_bounds = whole_in(bounds, "count", -1);
  log->run.failed = bounds && !is_true(log, bounds, "okay");
  log->run.avg_busbw = number_in(average, "bandwidth");
  log->run.complete = bounds || average;
}

/* -------------------------------------------------------------- rccl-tests */

static void take_object(Log *log, const JsonValue *o)
{
  const char *name = text_in(log, o, "name");
  CollRow row = { .collective = name ? log_collective(log, name) : NULL,
                  .type = text_in(log, o, "type"),
                  .redop = text_in(log, o, "redop"),
                  .bytes = whole_in(o, "size", -1),
                  .count = -1,
                  .in_place = is_true(log, o, "inPlace"),
                  .time_us = number_in(o, "time"),
                  .algbw = number_in(o, "algBw"),
                  .busbw = number_in(o, "busBw"),
                  .wrong = whole_in(o, "#wrong", -1) };
  if (row.bytes < 0 || !(row.time_us > 0)) return;
  log_on_ranks(
      log,
      log_ranks(whole_in(o, "gpus", -1), whole_in(o, "ranks", -1), whole_in(o, "gpusPerRank", -1)),
      whole_in(o, "nodes", -1));
  g_array_append_val(log->rows, row);
}

static bool parse(const char *text, size_t len, JsonDoc **out, char **out_why, uint64_t *io_line)
{
  JsonPlace place = { 0, 0 };
  *out = json_doc_parse(text, len, &place, out_why);
  if (*out) return true;
  *io_line += place.line;
  return false;
}

static bool take_lines(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line)
{
  uint64_t line = 0;
  for (const char *p = text, *end = text + len; p < end; line++) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    size_t n = (size_t)(stop - p);
    g_autofree char *object = g_strstrip(g_strndup(p, n));
    size_t used = strlen(object);
    if (used && object[used - 1] == ',') object[--used] = '\0';
    p = stop + 1;
    if (*object != '{') continue;
    JsonDoc *doc;
    *out_line = line;
    if (!parse(object, used, &doc, out_why, out_line)) return true;
    take_object(log, json_doc_root(doc));
    json_doc_free(doc);
  }
  return true;
}

bool log_read_json(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line)
{
  JsonDoc *doc;
  g_autofree char *why = NULL;
  uint64_t line = 0;
  bool in_lines = *text == '{' && !g_strstr_len(text, (gssize)len, "\"results\"");
  if (in_lines) return take_lines(log, text, len, out_why, out_line);
  if (!parse(text, len, &doc, &why, &line)) {
    *out_why = g_steal_pointer(&why);
    *out_line = line;
    return true;
  }
  const JsonValue *root = json_doc_root(doc);
  if (json_holds(root, JSON_OBJECT)) take_document(log, root);
  const JsonValue *list = json_as(root, JSON_ARRAY);
  for (guint i = 0; i < json_count(list); i++)
    if (json_holds(json_item(list, i), JSON_OBJECT)) take_object(log, json_item(list, i));
  json_doc_free(doc);
  return true;
}

bool log_is_json(const char *text, size_t len)
{
  size_t i = 0;
  while (i < len && g_ascii_isspace(text[i])) i++;
  if (i == len || (text[i] != '{' && text[i] != '[')) return false;
  bool nccl = g_strstr_len(text, (gssize)len, "\"out_of_place\"") ||
              g_strstr_len(text, (gssize)len, "\"in_place\"");
  return nccl || (g_strstr_len(text, (gssize)len, "\"busBw\"") &&
                  g_strstr_len(text, (gssize)len, "\"inPlace\""));
}
