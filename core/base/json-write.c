/* Small JSON documents written member by member: commas are put where they belong. */
#include "base/json-write.h"

#include <string.h>

#include "base/json.h"
#include "base/num.h"

void json_put_item(GString *out)
{
  char last = out->len ? out->str[out->len - 1] : '{';
  if (last != '{' && last != '[' && last != ':') g_string_append(out, ", ");
}

void json_put_key(GString *out, const char *key)
{
  json_put_item(out);
  json_quote(out, key, strlen(key));
  g_string_append_c(out, ':');
}

void json_put_open(GString *out, const char *key, char bracket)
{
  if (key)
    json_put_key(out, key);
  else
    json_put_item(out);
  g_string_append_c(out, bracket);
}

void json_put_text(GString *out, const char *key, const char *text)
{
  json_put_key(out, key);
  if (text)
    json_quote(out, text, strlen(text));
  else
    g_string_append(out, "null");
}

void json_put_int(GString *out, const char *key, int64_t value)
{
  char buf[NUM_BUF];
  json_put_key(out, key);
  g_string_append_len(out, buf, (gssize)num_format_int(buf, value));
}

void json_put_real(GString *out, const char *key, double value)
{
  char buf[NUM_BUF];
  json_put_key(out, key);
  g_string_append_len(out, buf, (gssize)num_format_real(buf, value));
}

void json_put_bool(GString *out, const char *key, bool value)
{
  json_put_key(out, key);
  g_string_append(out, value ? "true" : "false");
}

static void put_texts(GString *out, const char *key, const char *const *items, guint n)
{
  json_put_key(out, key);
  g_string_append_c(out, '[');
  for (guint i = 0; i < n; i++) {
    json_put_item(out);
    json_quote(out, items[i], strlen(items[i]));
  }
  g_string_append_c(out, ']');
}

void json_put_list(GString *out, const char *key, const char *const *items)
{
  put_texts(out, key, items, items ? g_strv_length((char **)items) : 0);
}

void json_put_array(GString *out, const char *key, const GPtrArray *items)
{
  put_texts(out, key, items ? (const char *const *)items->pdata : NULL, items ? items->len : 0);
}

/* The start of a line, where one belongs before what comes next. */
static void start_line(GString *out, int depth, bool closes)
{
  char last = out->len ? out->str[out->len - 1] : '\0';
  bool opened = last == '{' || last == '[';
  if (closes ? opened : !opened && last != ',') return;
  g_string_append_c(out, '\n');
  for (int i = 0; i < depth; i++) g_string_append(out, "  ");
}

static const char *behind_string(const char *p, const char *end)
{
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\') p++;
  return p < end ? p + 1 : end;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

GString *json_indented(const char *json, size_t len)
{
  GString *out = g_string_sized_new(2 * len);
  const char *end = json + len;
  int depth = 0;
  for (const char *p = json, *next; p < end; p = next) {
    bool closes = *p == '}' || *p == ']';
    next = *p == '"' ? behind_string(p, end) : p + 1;
    if (is_space(*p)) continue;
    if (closes) depth--;
    if (*p != ',' && *p != ':') start_line(out, depth, closes);
    g_string_append_len(out, p, next - p);
    if (*p == ':') g_string_append_c(out, ' ');
    if (*p == '{' || *p == '[') depth++;
  }
  return out;
}
