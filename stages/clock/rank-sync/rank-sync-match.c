/* Alignment in rounds: lanes are fitted to those already aligned; see rank-sync-match.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-match.h"

#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"

typedef struct Known { /* when a mark happened, on the common clock */
  int64_t at_ns;
  bool known;
} Known;

SyncPart *sync_run_add(SyncRun *run, uint32_t lane, int64_t rank)
{
  if (!array_reserve(run->common, &run->parts, &run->capacity, run->n_parts + 1,
                     sizeof *run->parts))
    return NULL;
  SyncPart *part = &run->parts[run->n_parts++];
  *part = (SyncPart){ .lane = lane, .rank = rank };
  return part;
}

bool sync_part_add(SyncRun *run, SyncPart *part, const char *key, size_t len, uint32_t role,
                   int64_t at_ns)
{
  if (!array_reserve(run->common, &part->marks, &part->capacity, part->n_marks + 1,
                     sizeof *part->marks))
    return false;
  uint32_t number;
  if (!names_number(&run->keys, key, len, &number)) return false;
  part->marks[part->n_marks++] = (SyncMark){ at_ns, number, role };
  return true;
}

static int by_key(const void *a, const void *b)
{
  const SyncMark *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  if (p->role != q->role) return p->role < q->role ? -1 : 1;
  return (p->at_ns > q->at_ns) - (p->at_ns < q->at_ns);
}

void sync_part_sort(SyncPart *part)
{
  if (part->n_marks) qsort(part->marks, part->n_marks, sizeof part->marks[0], by_key);
}

static size_t index_of(const SyncMark *mark) { return (size_t)mark->key * SYNC_ROLES + mark->role; }

/* Where the other end of a mark would be known. */
static size_t other_index(const SyncMark *mark)
{
  static const uint32_t other[SYNC_ROLES] = { SYNC_BOTH, SYNC_RECEIVED, SYNC_SENT };
  return (size_t)mark->key * SYNC_ROLES + other[mark->role];
}

static bool shares(const SyncPart *part, const uint32_t *lanes)
{
  for (uint32_t i = 0; i < part->n_marks; i++) {
    const SyncMark *mark = &part->marks[i];
    if (lanes[other_index(mark)] > (mark->role == SYNC_BOTH)) return true;
  }
  return false;
}

/* For each role of each key; gone when the call returns. */
static void *scratch_by_index(const SyncRun *run, size_t size)
{
  size_t n = run->keys.n * SYNC_ROLES + 1;
  return run->common->scratch(run->common, n * size);
}

/* The lowest rank that shares a mark with anyone; lanes without rank come last. */
static bool find_reference(SyncRun *run)
{
  uint32_t *lanes = scratch_by_index(run, sizeof *lanes);
  if (!lanes) return false;
  for (uint32_t p = 0; p < run->n_parts; p++)
    for (uint32_t i = 0; i < run->parts[p].n_marks; i++) lanes[index_of(&run->parts[p].marks[i])]++;
  run->reference = run->n_parts;
  for (uint32_t p = 0; p < run->n_parts; p++) {
    const SyncPart *part = &run->parts[p];
    const SyncPart *best = run->reference < run->n_parts ? &run->parts[run->reference] : NULL;
    if (best && (part->rank < 0 || (best->rank >= 0 && best->rank <= part->rank))) continue;
    if (shares(part, lanes)) run->reference = p;
  }
  return true;
}

static void publish(const SyncPart *part, Known *known)
{
  for (uint32_t i = 0; i < part->n_marks; i++) {
    const SyncMark *mark = &part->marks[i];
    Known *k = &known[index_of(mark)];
    if (k->known) continue;
    k->known = true;
    k->at_ns = mark->at_ns - sync_offset_at(&part->line, mark->at_ns);
  }
}

static uint32_t collect(const SyncPart *part, const Known *known, SyncPoint *points)
{
  static const int side[SYNC_ROLES] = { 0, -1, 1 };
  uint32_t n = 0;
  for (uint32_t i = 0; i < part->n_marks; i++) {
    const SyncMark *mark = &part->marks[i];
    const Known *k = &known[other_index(mark)];
    SyncWide off_ns = (SyncWide)mark->at_ns - k->at_ns;
    if (!k->known || off_ns > INT64_MAX / 4 || off_ns < INT64_MIN / 4) continue;
    points[n++] = (SyncPoint){ mark->at_ns, (int64_t)off_ns, side[mark->role] };
  }
  return n;
}

/* Fits every lane that is not yet aligned and can be; returns how many, and
 * which in `fresh`. */
static uint32_t align_round(SyncRun *run, const Known *known, SyncPoint *points, void *space,
                            bool *fresh)
{
  uint32_t n_fresh = 0;
  for (uint32_t p = 0; p < run->n_parts; p++) {
    SyncPart *part = &run->parts[p];
    fresh[p] = false;
    if (part->matched) continue;
    uint32_t n = collect(part, known, points);
    if (n == 0) continue;
    sync_fit(points, n, space, &part->line);
    fresh[p] = part->matched = true;
    n_fresh++;
  }
  return n_fresh;
}

static uint32_t most_marks(const SyncRun *run)
{
  uint32_t most = 0;
  for (uint32_t p = 0; p < run->n_parts; p++)
    if (run->parts[p].n_marks > most) most = run->parts[p].n_marks;
  return most;
}

bool sync_run_align(SyncRun *run)
{
  const MillHost *common = run->common;
  if (!find_reference(run)) return false;
  if (run->reference == run->n_parts) return true;
  size_t most = most_marks(run);
  Known *known = scratch_by_index(run, sizeof *known);
  SyncPoint *points = common->scratch(common, (most + 1) * sizeof *points);
  void *space = common->scratch(common, (most + 1) * SYNC_FIT_BYTES);
  bool *fresh = common->scratch(common, run->n_parts * sizeof *fresh);
  if (!known || !points || !space || !fresh) return false;
  run->parts[run->reference].matched = true;
  publish(&run->parts[run->reference], known);
  while (align_round(run, known, points, space, fresh) > 0)
    for (uint32_t p = 0; p < run->n_parts; p++)
      if (fresh[p]) publish(&run->parts[p], known);
  return true;
}
