/* Writing a JSON document in pieces; see doc.h. */
#include "doc.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"

#define PIECE_BYTES (128u << 10)

void doc_init(Doc *d, const MillHost *host, const char *file)
{
  *d = (Doc){ .host = host, .file = file, .text = g_string_new(NULL) };
}

void doc_free(Doc *d) { g_string_free(d->text, TRUE); }

int doc_flush(Doc *d)
{
  int status =
      d->text->len ? d->host->output(d->host, d->file, NULL, d->text->str, d->text->len) : 0;
  g_string_truncate(d->text, 0);
  return status;
}

int doc_flush_pieces(Doc *d) { return d->text->len < PIECE_BYTES ? 0 : doc_flush(d); }

void doc_open(Doc *d, char bracket)
{
  g_string_append_c(d->text, bracket);
  d->comma = false;
}

void doc_close(Doc *d, char bracket)
{
  g_string_append_c(d->text, bracket);
  d->comma = true;
}

void doc_item(Doc *d)
{
  if (d->comma) g_string_append(d->text, ", ");
  d->comma = true;
}

void doc_key(Doc *d, const char *key)
{
  doc_item(d);
  g_string_append_printf(d->text, "\"%s\": ", key);
}

void doc_line(Doc *d, unsigned indent)
{
  if (d->comma) g_string_append_c(d->text, ',');
  d->comma = false;
  doc_end_line(d, indent);
}

void doc_end_line(Doc *d, unsigned indent)
{
  g_string_append_printf(d->text, "\n%*s", (int)indent, "");
}

void doc_text(Doc *d, const char *text, size_t len) { json_quote(d->text, text, len); }

void doc_int(Doc *d, int64_t v)
{
  char buf[NUM_BUF];
  g_string_append_len(d->text, buf, (gssize)num_format_int(buf, v));
}

void doc_uint(Doc *d, uint64_t v)
{
  char buf[NUM_BUF];
  g_string_append_len(d->text, buf, (gssize)num_format_uint(buf, v));
}

void doc_bool(Doc *d, bool v) { g_string_append(d->text, v ? "true" : "false"); }

void doc_null(Doc *d) { g_string_append(d->text, "null"); }

static void put_real(Doc *d, double v)
{
  char buf[NUM_BUF];
  if (isfinite(v))
    g_string_append_len(d->text, buf, (gssize)num_format_real(buf, v));
  else
    doc_null(d);
}

void doc_value(Doc *d, const MillValue *v)
{
  size_t len;
  const char *text;
  switch (v->type) {
  case MILL_INT: doc_int(d, v->u.i); break;
  case MILL_REAL: put_real(d, v->u.r); break;
  case MILL_BOOL: doc_bool(d, v->u.i != 0); break;
  case MILL_SYM:
    text = d->host->symbol_text(d->host, v->u.sym, &len);
    doc_text(d, text, len);
    break;
  case MILL_TEXT: doc_text(d, v->u.text, v->len); break;
  case MILL_JSON: g_string_append_len(d->text, v->u.text, v->len); break;
  default: doc_null(d);
  }
}

void doc_text_member(Doc *d, const char *key, const char *text)
{
  doc_key(d, key);
  doc_text(d, text ? text : "", text ? strlen(text) : 0);
}

void doc_optional_member(Doc *d, const char *key, const char *text)
{
  if (text && *text) doc_text_member(d, key, text);
}

void doc_uint_member(Doc *d, const char *key, uint64_t v)
{
  doc_key(d, key);
  doc_uint(d, v);
}
