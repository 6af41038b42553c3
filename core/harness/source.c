/* The source in memory: the lanes that a test gave, through the header that every source is written by. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>

#include <string.h>

#include "base/num.h"
#include "harness-internal.h"
#include "plan/facts.h"

typedef struct Given { /* one lane */
  const MillSourceHost *host;
  const HarnessEnds *ends;
  const HarnessLane *lane;
  guint next;
} Given;

/* ---- what it describes of the lane */

static int given_open(const MillSource *self, const MillSourceHost *host, const void *options,
                      void **out_instance)
{
  MillLane at = { .size = sizeof at };
  Given *g = mill_new(host->common, sizeof *g);
  (void)options;
  if (!g) return -MILL_LIMIT;
  host->common->lane(host->common, MILL_NO_LANE, &at);
  g->host = host;
  g->ends = self->user;
  g->lane = g->ends->test->lanes->pdata[at.index];
  *out_instance = g;
  return 0;
}

static void tell_text(const Given *g, const char *key, const char *text)
{
  g->host->describe(g->host, key, mill_text(text, strlen(text)));
}

static int given_describe(void *instance)
{
  const Given *g = instance;
  const HarnessLane *lane = g->lane;
  if (lane->rank >= 0) g->host->describe(g->host, "rank", mill_int(lane->rank));
  if (lane->base_ns != MILL_NO_BASE) g->host->describe(g->host, "base_ns", mill_int(lane->base_ns));
  if (*lane->dialect) tell_text(g, "dialect", lane->dialect);
  for (const char *const *need = g->ends->needs; need && *need; need++)
    if (!g_str_has_prefix(*need, "order.")) tell_text(g, "fact", *need);
  for (guint i = 0; i < lane->facts->len; i++) tell_text(g, "fact", lane->facts->pdata[i]);
  return 0;
}

/* ---- attributes, as they are wanted */

static const MillRead *read_of(const Given *g, const char *key, uint8_t kind)
{
  static const MillRead any = { "*", MILL_AS_ANY, 0 };
  MillReadRows wanted = g->host->wanted(g->host);
  for (uint32_t i = 0; i < wanted.n; i++) {
    const MillRead *read = MILL_AT(MillRead, wanted, i);
    if (read->as == MILL_AS_RAW) continue; /* the line is there */
    if (read->kinds && !(read->kinds & MILL_KIND(kind))) continue;
    if (!strcmp(read->name, "*") || !strcmp(read->name, key)) return read;
  }
  return g->ends->all_attrs ? &any : NULL;
}

/* As sources decode it for `as`; what does not fit stays what it is. */
static MillValue decode_as(MillValue v, uint32_t as, char **out_text)
{
  int64_t i;
  double r;
  bool text = v.type == MILL_TEXT, number = v.type == MILL_INT || v.type == MILL_REAL;
  if (as == MILL_AS_INT && text && num_int(v.u.text, v.len, &i)) return mill_int(i);
  if (as == MILL_AS_REAL && v.type == MILL_INT) return mill_real((double)v.u.i);
  if (as == MILL_AS_REAL && text && num_real(v.u.text, v.len, &r)) return mill_real(r);
  if (as != MILL_AS_TEXT || !number) return v;
  *out_text = harness_value_format(&v);
  return mill_text(*out_text, strlen(*out_text));
}

static MillSym intern(const Given *g, const char *text)
{
  const MillHost *common = g->host->common;
  return common->intern(common, text, strlen(text));
}

static int add_attr(const Given *g, MillBatch *b, const HarnessAttr *attr, uint32_t as)
{
  g_autofree char *text = NULL;
  return g->host->add_attr(g->host, b, intern(g, attr->key), decode_as(attr->value, as, &text));
}

/* A list of numbers is its key repeated for who reads numbers, else JSON. */
static int add_list(const Given *g, MillBatch *b, const HarnessAttr *attrs, guint n, uint32_t as)
{
  bool flat = as == MILL_AS_INT || as == MILL_AS_REAL;
  int status = 0;
  for (guint i = 0; flat && i < n; i++)
    flat = attrs[i].value.type == MILL_INT || attrs[i].value.type == MILL_REAL;
  for (guint i = 0; flat && i < n && !status; i++) status = add_attr(g, b, &attrs[i], as);
  if (flat) return status;
  g_autofree char *json = harness_list_json(attrs, n);
  MillValue v = mill_text(json, strlen(json));
  v.type = MILL_JSON;
  return g->host->add_attr(g->host, b, intern(g, attrs[0].key), v);
}

static int add_attrs(const Given *g, MillBatch *b, const HarnessLine *line)
{
  int status = 0;
  for (guint i = 0, n; i < line->attrs->len && !status; i += n) {
    const HarnessAttr *attr = &g_array_index(line->attrs, HarnessAttr, i);
    const MillRead *read = read_of(g, attr->key, line->kind);
    for (n = 1; i + n < line->attrs->len && g_str_equal(attr[n].key, attr->key);) n++;
    if (read && n == 1) status = add_attr(g, b, attr, read->as);
    if (read && n > 1) status = add_list(g, b, attr, n, read->as);
  }
  return status;
}

/* ---- events */

static MillValue track_value(const Given *g, const MillValue *v)
{
  if (v->type == MILL_INT || v->type == MILL_NONE) return *v;
  return mill_sym(v->type == MILL_TEXT || v->type == MILL_JSON ? intern(g, v->u.text) : 0);
}

static int add_event(const Given *g, MillBatch *b, const HarnessLine *line)
{
  MillEvent *e = &mill_events(b)[b->n_events++];
  *e = (MillEvent){ .ts_ns = line->ts_ns,
                    .dur_ns = line->dur_ns,
                    .id = line->id,
                    .name = intern(g, line->name),
                    .cat = line->cat ? intern(g, line->cat) : 0,
                    .kind = line->kind,
                    .flags = line->flags,
                    .id_kind = line->id_kind };
  e->track = g->host->track(g->host, track_value(g, &line->process), track_value(g, &line->thread));
  if (g->ends->with_lines) {
    e->raw_off = g->host->own_text(g->host, b, (const char *)&line, sizeof line);
    e->raw_len = sizeof line;
    e->flags |= MILL_FLAG_OWN_RAW;
  }
  return add_attrs(g, b, line);
}

static void tell_members(const Given *g)
{
  for (guint i = 0; i < g->lane->members->len; i++) {
    const char *key = g->lane->members->pdata[i], *json = strchr(key, '=') + 1;
    g->host->member(g->host, false, key, (size_t)(json - key) - 1, json, strlen(json));
  }
}

static int given_next(void *instance, MillBatch *b)
{
  Given *g = instance;
  if (g->next == 0) tell_members(g);
  const HarnessManner *manner = g->ends->manner;
  guint n = MIN(g->lane->lines->len, manner->max_events),
        full = MIN(b->max_events, manner->batch_events);
  int status = 0;
  while (g->next < n && b->n_events < full && !status)
    status = add_event(g, b, g->lane->lines->pdata[g->next++]);
  if (status) return status;
  return g->next < n ? MILL_NEXT_MORE : MILL_NEXT_END;
}

static const MillSourceOps ops = {
  .size = sizeof ops,
  .open = given_open,
  .describe = given_describe,
  .next = given_next,
};

MillSource harness_source(HarnessEnds *ends)
{
  return (MillSource){ .size = sizeof(MillSource),
                       .name = HARNESS_SOURCE,
                       .version = "1",
                       .tag = "GIVEN",
                       .title = "Lanes that a test gave",
                       .help = "Events as a test wrote them down.",
                       .may_provide = (const char *const *)ends->may_provide->pdata,
                       .ops = &ops,
                       .user = ends };
}
