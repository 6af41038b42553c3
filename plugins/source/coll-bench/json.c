/* Results as JSON: a document of nccl-tests, objects of rccl-tests, one a line or in a list. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "coll-bench.h"

/* Numbers may be texts: root, booleans and NaN are. */
static double number_in(JsonObject *o, const char *key)
{
  JsonNode *node = o ? json_object_get_member(o, key) : NULL;
  if (!node || !JSON_NODE_HOLDS_VALUE(node)) return (double)NAN;
  GType type = json_node_get_value_type(node);
  if (type == G_TYPE_STRING) return log_number(json_node_get_string(node));
  if (type == G_TYPE_BOOLEAN) return json_node_get_boolean(node);
  return json_node_get_double(node);
}

static int64_t whole_in(JsonObject *o, const char *key, int64_t otherwise)
{
  double v = number_in(o, key);
  return v >= 0 && v < 9e18 ? (int64_t)v : otherwise;
}

static const char *text_in(Log *log, JsonObject *o, const char *key)
{
  JsonNode *node = o ? json_object_get_member(o, key) : NULL;
  if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING)
    return NULL;
  return g_string_chunk_insert_const(log->names, json_node_get_string(node));
}

static JsonObject *object_in(JsonObject *o, const char *key)
{
  JsonNode *node = o ? json_object_get_member(o, key) : NULL;
  return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static JsonArray *list_in(JsonObject *o, const char *key)
{
  JsonNode *node = o ? json_object_get_member(o, key) : NULL;
  return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static bool is_true(Log *log, JsonObject *o, const char *key)
{
  const char *text = text_in(log, o, key);
  return text ? !g_ascii_strcasecmp(text, "true") || !strcmp(text, "1") : number_in(o, key) > 0;
}

/* -------------------------------------------------------------- nccl-tests */

static void add_half(Log *log, JsonObject *result, CollRow row, const char *key, bool in_place)
{
  JsonObject *half = object_in(result, key);
  if (!half) return;
  row.in_place = in_place;
  row.time_us = number_in(half, "time");
  if (isnan(row.time_us)) row.time_us = number_in(half, "cpu_time");
  row.algbw = number_in(half, "alg_bw");
  row.busbw = number_in(half, "bus_bw");
  row.wrong = whole_in(half, "nwrong", -1);
  if (row.time_us > 0) g_array_append_val(log->rows, row);
}

static void take_document(Log *log, JsonObject *root)
{
  JsonArray *results = list_in(root, "results"),
            *devices = list_in(object_in(root, "config"), "devices");
  JsonObject *bounds = object_in(root, "out_of_bounds"),
             *average = object_in(root, "average_bus_bandwidth");
  log->run.ranks = devices ? json_array_get_length(devices) : 0;
  for (guint i = 0; results && i < json_array_get_length(results); i++) {
    JsonNode *node = json_array_get_element(results, i);
    if (!JSON_NODE_HOLDS_OBJECT(node)) continue;
    JsonObject *result = json_node_get_object(node);
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

static void take_object(Log *log, JsonObject *o)
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
    take_object(log, json_node_get_object(json_doc_root(doc)));
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
  JsonNode *root = json_doc_root(doc);
  if (JSON_NODE_HOLDS_OBJECT(root)) take_document(log, json_node_get_object(root));
  JsonArray *list = JSON_NODE_HOLDS_ARRAY(root) ? json_node_get_array(root) : NULL;
  for (guint i = 0; list && i < json_array_get_length(list); i++)
    if (JSON_NODE_HOLDS_OBJECT(json_array_get_element(list, i)))
      take_object(log, json_array_get_object_element(list, i));
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
