/* The host table, part four: what sources and sinks may ask. */
#include <string.h>

#include "input/input.h"
#include "sched/late.h"
#include "sched/run.h"
#include "model/tags.h"

static int64_t host_read(const MillHost *h, void *buffer, size_t max)
{
  Instance *i = instance_of(h);
  int64_t n = reader_read(input_reader(i->lane->input), buffer, max);
  return n >= 0 ? n : -MILL_BAD_INPUT; /* instance_error tells it, unless the source goes on */
}

static const char *host_read_why(const MillHost *h)
{
  const Reader *r = input_reader(instance_of(h)->lane->input);
  return r ? reader_why(r) : NULL;
}

static int64_t host_peek(const MillHost *h, bool from_end, const char **out_bytes)
{
  return input_peek(instance_of(h)->lane->input, from_end, out_bytes);
}

static void host_describe(const MillHost *h, const char *key, MillValue v)
{
  Instance *i = instance_of(h);
  if (!i->lane) return;
  if (!strcmp(key, "rank") && v.type == MILL_INT) input_set_rank(i->lane->input, v.u.i, "metadata");
  if (!strcmp(key, "base_ns") && v.type == MILL_INT) late_set_base(i->lane, v.u.i);
  if (!strcmp(key, "passed_by") && v.type == MILL_BOOL) i->lane->passed_by = v.u.i != 0;
  if (v.type != MILL_TEXT) return;
  g_autofree char *text = g_strndup(v.u.text, v.len);
  if (!strcmp(key, "tag")) tags_set(i->lane->tags, text, TAG_FILE);
  if (i->run->plan) return; /* it stands on the dialect and facts */
  if (!strcmp(key, "dialect")) {
    g_free(i->lane->dialect);
    i->lane->dialect = g_steal_pointer(&text);
  } else if (!strcmp(key, "fact")) {
    g_ptr_array_add(i->lane->facts, g_steal_pointer(&text));
  }
}

static bool host_grow_attrs(const MillHost *h, MillBatch *b)
{
  (void)h;
  return batch_grow_attrs(batch_of(b));
}

static uint32_t host_own_text(const MillHost *h, MillBatch *b, const char *text, size_t len)
{
  (void)h;
  return batch_own_text(batch_of(b), text, len);
}

static uint32_t host_wanted(const MillHost *h, const MillRead **out)
{
  const Plan *plan = instance_of(h)->run->plan;
  *out = plan && plan->reads->len ? &g_array_index(plan->reads, MillRead, 0) : NULL;
  return plan ? plan->reads->len : 0;
}

static void host_member(const MillHost *h, bool after_events, const char *key, size_t key_len,
                        const char *json, size_t len)
{
  Instance *i = instance_of(h);
  LaneMember *m = g_new(LaneMember, 1);
  *m = (LaneMember){ g_strndup(key, key_len), g_bytes_new(json, len), after_events };
  g_ptr_array_add(i->lane->members, m);
}

static bool host_strict(const MillHost *h) { return instance_of(h)->run->options.strict; }

static bool host_recover(const MillHost *h) { return instance_of(h)->run->options.recover; }

static bool host_lane_member(const MillHost *h, uint32_t lane, uint32_t index, bool *out_after,
                             MillValue *out_key, MillValue *out_json)
{
  const Run *run = instance_of(h)->run;
  const Lane *l = lane < run->lanes->len ? run->lanes->pdata[lane] : NULL;
  if (!l || index >= l->members->len) return false;
  const LaneMember *m = l->members->pdata[index];
  gsize len;
  const char *json = g_bytes_get_data(m->json, &len);
  *out_after = m->after_events;
  *out_key = mill_text(m->key, strlen(m->key));
  *out_json = mill_text(json, len);
  return true;
}

static int host_output(const MillHost *h, const char *name, const char *join, const void *bytes,
                       size_t len)
{
  Instance *i = instance_of(h);
  Error *e = output_write(i->run->output, name, (int)GPOINTER_TO_INT(i->part), join, bytes, len);
  if (!e) return 0;
  int status = e->status;
  i->error = error_join(i->error, e);
  return -status;
}

void host_init_edges(MillHost *h)
{
  h->read = host_read;
  h->read_why = host_read_why;
  h->peek = host_peek;
  h->describe = host_describe;
  h->grow_attrs = host_grow_attrs;
  h->own_text = host_own_text;
  h->wanted = host_wanted;
  h->member = host_member;
  h->strict = host_strict;
  h->recover = host_recover;
  h->lane_member = host_lane_member;
  h->output = host_output;
}
