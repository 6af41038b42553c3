/* What the packets of one writer share: texts by number, defaults, whether any of it was lost. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

Sequence *sequence_get(Source *s, uint32_t id)
{
  uint64_t found = pair_table_get(&s->sequence_by_id, id, 0);
  if (found) return s->sequences[found - 1];
  Sequence **all =
      array_grow(s->common, s->sequences, s->n_sequences, &s->max_sequences, sizeof *all);
  if (!all) return NULL;
  s->sequences = all;
  Sequence *q = mill_new(s->common, sizeof *q);
  if (!q || !pair_table_put(&s->sequence_by_id, id, 0, s->n_sequences + 1)) return NULL;
  q->id = id;
  q->index = s->n_sequences;
  q->generation = ++s->last_generation;
  return s->sequences[s->n_sequences++] = q;
}

/* Keys of texts: their number; kind and generation.  Values: the index of the sequence, the symbol + 1. */
static uint64_t text_key(const Sequence *q, uint32_t kind)
{
  return (uint64_t)q->generation * N_TEXTS + kind;
}

bool sequence_keeps_text(const void *source, const PairSlot *slot)
{
  const Source *s = source;
  return s->sequences[slot->value >> 32]->generation == slot->b / N_TEXTS;
}

MillSym sequence_text(Source *s, const Sequence *q, uint32_t kind, uint64_t iid)
{
  uint64_t found = pair_table_get(&s->texts, iid, text_key(q, kind));
  if (!found) source_note(s, PFT_NO_TEXT);
  return found ? (MillSym)((uint32_t)found - 1) : 0;
}

static void forget(Source *s, Sequence *q)
{
  q->generation = ++s->last_generation;
  q->is_cleared = true;
  q->is_lost = q->has_clock = q->has_track = q->has_thread = false;
  q->counters.n = q->real_counters.n = 0;
}

static bool add_texts(Source *s, const Sequence *q, uint32_t kind, Pft__Interned *const *all,
                      size_t n)
{
  uint64_t index = q->index;
  for (size_t i = 0; i < n; i++) {
    uint64_t sym = source_symbol_of(s, &all[i]->text);
    if (!pair_table_put(&s->texts, all[i]->iid, text_key(q, kind), index << 32 | (sym + 1)))
      return false;
  }
  return true;
}

static bool add_interned(Source *s, const Sequence *q, const Pft__InternedData *d)
{
  return add_texts(s, q, TEXT_CATEGORY, d->event_categories, d->n_event_categories) &&
         add_texts(s, q, TEXT_NAME, d->event_names, d->n_event_names) &&
         add_texts(s, q, TEXT_ANNOTATION_NAME, d->debug_annotation_names,
                   d->n_debug_annotation_names) &&
         add_texts(s, q, TEXT_ANNOTATION, d->debug_annotation_string_values,
                   d->n_debug_annotation_string_values);
}

static bool set_list(Source *s, UuidList *list, const uint64_t *all, size_t n)
{
  if (n > list->max) {
    uint64_t *larger = s->common->resize(s->common, list->all, n * sizeof *larger);
    if (!larger) return false;
    list->all = larger;
    list->max = (uint32_t)n;
  }
  if (n) memcpy(list->all, all, n * sizeof *all);
  list->n = (uint32_t)n;
  return true;
}

static bool set_defaults(Source *s, Sequence *q, const Pft__PacketDefaults *d)
{
  static const Pft__TrackEventDefaults none = PFT__TRACK_EVENT_DEFAULTS__INIT;
  const Pft__TrackEventDefaults *e = d->track_event_defaults ? d->track_event_defaults : &none;
  q->has_clock = d->has_timestamp_clock_id;
  q->clock = d->timestamp_clock_id;
  q->has_track = e->has_track_uuid;
  q->track = e->track_uuid;
  return set_list(s, &q->counters, e->extra_counter_track_uuids, e->n_extra_counter_track_uuids) &&
         set_list(s, &q->real_counters, e->extra_double_counter_track_uuids,
                  e->n_extra_double_counter_track_uuids);
}

bool sequence_update(Source *s, Sequence *q, const Pft__Packet *p)
{
  if (p->incremental_state_cleared || p->sequence_flags & FLAG_CLEARED)
    forget(s, q);
  else if (p->previous_packet_dropped)
    q->is_lost = true;
  if (p->previous_packet_dropped) source_note(s, PFT_DROPPED);
  if (p->trace_packet_defaults && !set_defaults(s, q, p->trace_packet_defaults)) return false;
  if (p->thread_descriptor) {
    q->has_thread = p->thread_descriptor->has_pid && p->thread_descriptor->has_tid;
    q->pid = p->thread_descriptor->pid;
    q->tid = p->thread_descriptor->tid;
  }
  return !p->interned_data || add_interned(s, q, p->interned_data);
}

bool sequence_can_read(const Sequence *q, const Pft__Packet *p)
{
  bool needs = p->sequence_flags & FLAG_NEEDS_STATE;
  return !needs || (q->is_cleared && !q->is_lost);
}
