/* Tracks: which process and thread they belong to, which row of the lane they are, how their counters count. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>
#include "kit/text/symbol.h"

#define MAX_PARENTS 32 /* further up nothing is looked for: parents may form a ring */
#define NO_PROCESS UINT64_MAX

enum { TYPE_THREAD_TIME = 1, TYPE_THREAD_INSTRUCTIONS = 2 };
enum { UNIT_TIME_NS = 1, UNIT_COUNT = 2, UNIT_SIZE_BYTES = 3 };

Track *track_get(Source *s, uint64_t uuid)
{
  uint64_t found = pair_table_get(&s->track_by_uuid, uuid, 0);
  if (found) return s->tracks[found - 1];
  Track **all = array_grow(s->common, s->tracks, s->n_tracks, &s->max_tracks, sizeof *all);
  if (!all) return NULL;
  s->tracks = all;
  Track *t = mill_new(s->common, sizeof *t);
  if (!t || !pair_table_put(&s->track_by_uuid, uuid, 0, s->n_tracks + 1)) return NULL;
  t->uuid = uuid;
  t->multiplier = 1;
  return s->tracks[s->n_tracks++] = t;
}

static MillSym name_of(Source *s, const Pft__TrackDescriptor *d)
{
  if (d->has_name) return source_symbol_of(s, &d->name);
  if (d->has_static_name) return source_symbol_of(s, &d->static_name);
  if (d->has_atrace_name) return source_symbol_of(s, &d->atrace_name);
  if (d->counter && d->counter->type == TYPE_THREAD_TIME)
    return symbol_of(s->common, "thread_time");
  if (d->counter && d->counter->type == TYPE_THREAD_INSTRUCTIONS)
    return symbol_of(s->common, "thread_instruction_count");
  return 0;
}

static MillSym unit_of(Source *s, const Pft__CounterDescriptor *c)
{
  if (c->has_unit_name && c->unit_name.len) return source_symbol_of(s, &c->unit_name);
  uint32_t unit = c->unit;
  if (c->type == TYPE_THREAD_TIME) unit = UNIT_TIME_NS;
  if (c->type == TYPE_THREAD_INSTRUCTIONS) unit = UNIT_COUNT;
  switch (unit) {
  case UNIT_TIME_NS: return symbol_of(s->common, "ns");
  case UNIT_COUNT: return symbol_of(s->common, "count");
  case UNIT_SIZE_BYTES: return symbol_of(s->common, "bytes");
  default: return s->symbols.value;
  }
}

static void describe_counter(Source *s, Track *t, const Pft__CounterDescriptor *c)
{
  t->is_counter = true;
  t->is_incremental = c->is_incremental;
  t->multiplier = c->unit_multiplier ? c->unit_multiplier : 1;
  t->unit = unit_of(s, c);
}

/* A name that events said already is not said again. */
static void tell(Source *s, MillSym *told, NameRow row)
{
  if (!row.name || row.name == *told) return;
  *told = row.name;
  s->names[s->n_names++] = row;
}

static void tell_names(Source *s, Track *t, const Pft__TrackDescriptor *d)
{
  const Pft__ProcessDescriptor *p = d->process;
  if (p && t->has_process) {
    const ProtobufCBinaryData *name = p->has_process_name ? &p->process_name
                                      : p->n_cmdline      ? &p->cmdline[0]
                                                          : &d->name;
    tell(s, &t->told_process,
         (NameRow){ s->symbols.process_name, source_symbol_of(s, name), t->pid, 0, false });
  }
  if (d->thread && t->has_thread) {
    const ProtobufCBinaryData *name =
        d->thread->has_thread_name ? &d->thread->thread_name : &d->name;
    tell(s, &t->told_thread,
         (NameRow){ s->symbols.thread_name, source_symbol_of(s, name), t->pid, t->tid, true });
  }
}

bool track_describe(Source *s, const Sequence *q, const Pft__TrackDescriptor *d)
{
  Track *t = track_get(s, d->uuid);
  if (!t) return false;
  Track before = *t;
  t->is_described = true;
  t->parent = d->parent_uuid;
  t->sequence = q->id;
  t->name = name_of(s, d);
  if (d->counter) describe_counter(s, t, d->counter);
  if (d->process && d->process->has_pid) {
    t->has_process = true;
    t->pid = d->process->pid;
  }
  if (d->thread && d->thread->has_pid && d->thread->has_tid) {
    t->has_thread = true;
    t->pid = d->thread->pid;
    t->tid = d->thread->tid;
  }
  bool same = before.parent == t->parent && before.name == t->name && before.pid == t->pid &&
              before.tid == t->tid && before.has_process == t->has_process &&
              before.has_thread == t->has_thread && before.is_counter == t->is_counter;
  t->has_row = t->has_row && same;
  tell_names(s, t, d);
  return true;
}

/* ------------------------------------------------------------------- rows */
/* The track itself or the nearest one above that has a thread, or else a process; NULL: there is none. */
static const Track *owner_of(const Source *s, const Track *t)
{
  const Track *process = NULL;
  for (int i = 0; t && i < MAX_PARENTS; i++) {
    if (t->has_thread) return t;
    if (t->has_process && !process) process = t;
    uint64_t above = t->parent ? pair_table_get(&s->track_by_uuid, t->parent, 0) : 0;
    t = above ? s->tracks[above - 1] : NULL;
  }
  return process;
}

static MillSym made_name(const Source *s, MillSym name, uint64_t uuid)
{
  size_t len;
  const char *text = s->common->symbol_text(s->common, name, &len);
  g_autofree char *made =
      g_strdup_printf("%s 0x%" G_GINT64_MODIFIER "x", len ? text : "track", uuid);
  return symbol_of(s->common, made);
}

/* The name, or where another track of the process has it, one that holds the track's number.  False: refused. */
static bool find_shown(Source *s, const Track *t, const Track *owner, MillSym *out)
{
  uint64_t process = owner ? (uint64_t)owner->pid : NO_PROCESS;
  uint64_t key = (uint64_t)t->name << 1 | t->is_counter;
  uint64_t taken = pair_table_get(&s->shown, process, key);
  bool is_other = taken && taken != t->uuid + 1;
  *out = t->name && !is_other ? t->name : made_name(s, t->name, t->uuid);
  return is_other || !t->name || pair_table_put(&s->shown, process, key, t->uuid + 1);
}

static bool find_row(Source *s, Track *t)
{
  const Track *owner = owner_of(s, t);
  MillValue process = owner ? mill_int(owner->pid) : mill_none(), thread = mill_none();
  if (!find_shown(s, t, owner, &t->shown)) return false;
  if (t->is_counter)
    thread = owner && owner->has_thread ? mill_int(owner->tid) : mill_none();
  else
    thread = mill_sym(t->shown);
  t->row = s->host->track(s->host, process, thread);
  t->has_row = true;
  return true;
}

bool track_resolve(Source *s, const Sequence *q, Track *t, uint32_t *out_row)
{
  if (!t->is_described && t->uuid == 0 && q->has_thread) {
    *out_row = s->host->track(s->host, mill_int(q->pid), mill_int(q->tid));
    return true;
  }
  if (!t->is_described && t->uuid) source_note(s, PFT_NO_TRACK);
  if (!t->has_row && t->has_thread && !t->is_counter) {
    t->row = s->host->track(s->host, mill_int(t->pid), mill_int(t->tid));
    t->has_row = true;
  }
  if (!t->has_row && !find_row(s, t)) return false;
  *out_row = t->row;
  return true;
}
