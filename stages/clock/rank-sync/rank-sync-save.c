/* What lanes and the run tell one another; see rank-sync-save.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num-digits.h"
#include "rank-sync-groups.h"
#include "rank-sync-keys.h"

/* ------------------------------------------------------------ from a lane */

static const StateField mark_fields[] = {
  STATE_FIRST(SyncMark, at_ns),
  STATE_NUMBER(SyncMark, key, 0),
  STATE_FIRST(SyncMark, role),
};
static const StateType mark_state = STATE_TYPE(SyncMark, mark_fields);

static const StateField stamp_fields[] = {
  STATE_FIRST(SyncStamp, cycles),
  STATE_FIRST(SyncStamp, at_ns),
  STATE_FIRST(SyncStamp, known),
};
static const StateType stamp_state = STATE_TYPE(SyncStamp, stamp_fields);

static const StateField group_fields[] = {
  STATE_NUMBER(SyncGroup, key, 0),
  STATE_PART(SyncGroup, prepared, stamp_state),
  STATE_PART(SyncGroup, done, stamp_state),
  STATE_FIRST(SyncGroup, tree),
};
static const StateType group_state = STATE_TYPE(SyncGroup, group_fields);

static const StateField part_fields[] = {
  STATE_FIRST(SyncPart, lane),
  STATE_FIRST(SyncPart, rank),
  STATE_LIST(SyncPart, marks, n_marks, capacity, mark_state),
  STATE_LIST(SyncPart, groups, n_groups, groups_max, group_state),
};
static const StateType part_state = STATE_TYPE(SyncPart, part_fields);

static const StateField run_fields[] = {
  STATE_NAMES(SyncRun, keys, 0),
  STATE_LIST(SyncRun, parts, n_parts, capacity, part_state),
};
const StateType sync_run_state = STATE_TYPE(SyncRun, run_fields);

/* Repetitions of one key in a lane become keys of their own, "key#2/3", so that
 * they match in order where all sides have the same number of them. */
static bool number_key(Names *keys, const KeyedEntry *key, uint32_t index, uint32_t count,
                       uint32_t *out)
{
  char text[SYNC_KEY_MAX];
  size_t len = key->len;
  if (count == 1 || len > SYNC_KEY_MAX - 2 * DIGITS_MAX - 2)
    return names_number(keys, key->key, len, out);
  memcpy(text, key->key, len);
  text[len++] = '#';
  len += digits_write(text + len, index + 1);
  text[len++] = '/';
  len += digits_write(text + len, count);
  return names_number(keys, text, len, out);
}

static uint32_t repetitions(const SyncPart *part, uint32_t first)
{
  const SyncMark *mark = &part->marks[first];
  uint32_t n = 1;
  while (first + n < part->n_marks && part->marks[first + n].key == mark->key &&
         part->marks[first + n].role == mark->role)
    n++;
  return n;
}

static bool is_moderate(int64_t v) { return v > INT64_MIN / 4 && v < INT64_MAX / 4; }

static bool to_absolute(const MillLane *lane, int64_t *io_ns)
{
  return mill_abs_ts(lane, *io_ns, io_ns) && is_moderate(*io_ns);
}

static bool add_marks(const SyncRun *run, const SyncPart *part, const MillLane *lane, SyncRun *out)
{
  SyncPart *to = &out->parts[0];
  to->marks = run->common->scratch(run->common, (part->n_marks + (size_t)1) * sizeof *to->marks);
  if (!to->marks) return false;
  for (uint32_t i = 0, count; i < part->n_marks; i += count) {
    count = repetitions(part, i);
    for (uint32_t k = 0; k < count; k++) {
      SyncMark mark = part->marks[i + k];
      if (!to_absolute(lane, &mark.at_ns)) continue;
      if (!number_key(&out->keys, run->keys.entries[mark.key], k, count, &mark.key)) return false;
      to->marks[to->n_marks++] = mark;
    }
  }
  return true;
}

static void settle_stamp(SyncStamp *stamp, const MillLane *lane)
{
  stamp->known = stamp->known && to_absolute(lane, &stamp->at_ns) && is_moderate(stamp->cycles);
}

static bool add_groups(const SyncRun *run, const SyncPart *part, const MillLane *lane, SyncRun *out)
{
  SyncPart *to = &out->parts[0];
  to->groups = run->common->scratch(run->common, (part->n_groups + (size_t)1) * sizeof *to->groups);
  if (!to->groups) return false;
  for (uint32_t i = 0; i < part->n_groups; i++) {
    SyncGroup *group = &to->groups[to->n_groups++];
    *group = part->groups[i];
    settle_stamp(&group->prepared, lane);
    settle_stamp(&group->done, lane);
    const KeyedEntry *name = run->keys.entries[group->key];
    if (!names_number(&out->keys, name->key, name->len, &group->key)) return false;
  }
  return true;
}

bool sync_run_absolute(SyncRun *run, const MillLane *lane, SyncRun *out)
{
  SyncPart *part = &run->parts[0];
  *out = (SyncRun){ .common = run->common, .keys = { .common = run->common }, .n_parts = 1 };
  out->parts = run->common->scratch(run->common, sizeof *out->parts);
  if (!out->parts) return false;
  *out->parts = (SyncPart){ .lane = part->lane, .rank = lane->rank };
  sync_part_sort(part);
  return add_marks(run, part, lane, out) && add_groups(run, part, lane, out);
}

/* ------------------------------------------------------------ to all lanes */

static const StateField decision_fields[] = {
  STATE_FIRST(SyncDecision, reference_rank),
  STATE_ROWS(SyncDecision, verdicts, n),
};
const StateType sync_decision_state = STATE_TYPE(SyncDecision, decision_fields);

static SyncVerdict verdict_of(const SyncPart *part)
{
  const SyncLine *line = &part->line;
  return (SyncVerdict){ .lane = part->lane,
                        .matched = part->matched,
                        .any_marks = part->n_marks || part->n_groups,
                        .origin_ns = line->origin_ns,
                        .offset_ns = line->offset_ns,
                        .drift = line->drift,
                        .latency_ns = line->latency_ns,
                        .pairs = line->pairs,
                        .rejected = line->rejected,
                        .one_sided = line->one_sided,
                        .steep = line->steep,
                        .rms_ns = (int64_t)floor(line->residual_rms_ns + 0.5),
                        .max_ns = (int64_t)floor(line->residual_max_ns + 0.5),
                        .missing = part->missing,
                        .place = part->place };
}

bool sync_decision_make(const SyncRun *run, SyncDecision *out)
{
  bool found = run->reference < run->n_parts;
  *out = (SyncDecision){ .reference_rank = found ? run->parts[run->reference].rank : -1 };
  out->verdicts =
      run->common->scratch(run->common, (run->n_parts + (size_t)1) * sizeof *out->verdicts);
  if (!out->verdicts) return false;
  for (uint32_t i = 0; i < run->n_parts; i++) out->verdicts[out->n++] = verdict_of(&run->parts[i]);
  return true;
}
