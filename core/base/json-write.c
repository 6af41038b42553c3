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

static void put_string(GString *out, const char *text)
{
  if (text)
    json_quote(out, text, strlen(text));
  else
    g_string_append(out, "null");
}

void json_put_text(GString *out, const char *key, const char *text)
{
  json_put_key(out, key);
  put_string(out, text);
}

void json_put_int(GString *out, const char *key, int64_t value)
{
  char buf[NUM_BUF];
  json_put_key(out, key);
  g_string_append_len(out, buf, (gssize)num_format_int(buf, value));
}

void json_put_bool(GString *out, const char *key, bool value)
{
  json_put_key(out, key);
  g_string_append(out, value ? "true" : "false");
}

void json_put_list(GString *out, const char *key, const char *const *items)
{
  json_put_key(out, key);
  g_string_append_c(out, '[');
  for (; items && *items; items++) {
    json_put_item(out);
    put_string(out, *items);
  }
  g_string_append_c(out, ']');
}

void json_put_array(GString *out, const char *key, const GPtrArray *items)
{
  json_put_key(out, key);
  g_string_append_c(out, '[');
  for (guint i = 0; items && i < items->len; i++) {
    json_put_item(out);
    put_string(out, items->pdata[i]);
  }
  g_string_append_c(out, ']');
}
