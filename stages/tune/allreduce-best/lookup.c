/* What the consumer of the table finds at one shape. */
/* SPDX-License-Identifier: MIT */
#include "allreduce-best.h"
#include "base/json-write.h"

static void put_cell(JsonWriter *out, const Best *x, const ArCell *c)
{
  if (!c) {
    json_put_text(out, "cell", NULL);
    return;
  }
  json_put_open(out, "cell", '{');
  json_put_int(out, "tp", c->tp);
  json_put_text(out, "fusion", ar_text(x->common, c->fusion));
  json_put_int(out, "hidden_size", c->hidden);
  json_put_int(out, "num_tokens", c->tokens);
  json_put_close(out);
}

static GString *object(const Best *x, const ArCell *c)
{
  GString *text = g_string_new(NULL);
  JsonWriter out = { .text = text, .layout = JSON_LINES };
  MillSym source = c ? c->source : x->from[FROM_DEFAULT];
  json_put_open(&out, NULL, '{');
  put_cell(&out, x, c);
  json_put_text(&out, "strategy", ar_text(x->common, c ? c->strategy : x->fallback));
  json_put_text(&out, "source", source ? ar_text(x->common, source) : NULL);
  json_put_real(&out, "time_us", c ? c->time : (double)NAN);
  json_put_real(&out, "margin_percent", c ? c->margin : (double)NAN);
  json_put_close(&out);
  return text;
}

static int no_lookup(const Best *x, const char *reason)
{
  int status = x->host->no_metric(x->host, METRIC_CHOICE, NULL, reason);
  return status == 0 ? x->host->no_metric(x->host, METRIC_LOOKUP, NULL, reason) : status;
}

int lookup_report(const Best *x)
{
  const ArShape *s = &x->shape;
  if (!s->is_given) return no_lookup(x, "the option shape is not set: TP,FUSION,HIDDEN,TOKENS");
  const ArCell *c = ar_table_lookup(&x->table, s->tp, s->fusion, s->hidden, s->tokens);
  int64_t number = c ? c->number : x->fallback_number;
  if (number == INT64_MIN) return no_lookup(x, "the strategy of the cell has no number");
  int status = x->host->metric(x->host, METRIC_CHOICE, NULL, mill_int(number), x->table.n);
  if (status < 0) return status;
  g_autoptr(GString) text = object(x, c);
  return x->host->metric(x->host, METRIC_LOOKUP, NULL, mill_json(text->str, text->len), x->table.n);
}
