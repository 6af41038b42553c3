/* Marks and groups of a lane as its summary; see rank-sync-save.h. */
#include "rank-sync-save.h"

#include <stdlib.h>
#include <string.h>

#include "base/num-digits.h"
#include "rank-sync-groups.h"
#include "rank-sync-keys.h"

/* Repetitions of one key in a lane become keys of their own, "key#2/3", so that
 * they match in order where all sides have the same number of them. */
static void put_key(const MillStageHost *host, const KeyedEntry *key, uint32_t index,
                    uint32_t count)
{
  char text[SYNC_KEY_MAX];
  const char *name = key->key;
  size_t len = key->len;
  if (count == 1 || len > SYNC_KEY_MAX - 2 * DIGITS_MAX - 2) {
    host->put_text(host, name, len);
    return;
  }
  memcpy(text, name, len);
  text[len++] = '#';
  len += digits_write(text + len, index + 1);
  text[len++] = '/';
  len += digits_write(text + len, count);
  host->put_text(host, text, len);
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

void sync_part_put(const SyncRun *run, SyncPart *part, const MillStageHost *host,
                   const MillLane *lane)
{
  sync_part_sort(part);
  host->put_int(host, part->lane);
  host->put_int(host, lane->rank);
  host->put_int(host, part->n_marks);
  for (uint32_t i = 0, count; i < part->n_marks; i += count) {
    count = repetitions(part, i);
    for (uint32_t k = 0; k < count; k++) {
      int64_t at_ns = 0;
      bool fits =
          mill_abs_ts(lane, part->marks[i + k].at_ns, &at_ns) && llabs(at_ns) < INT64_MAX / 4;
      put_key(host, run->by_number[part->marks[i].key], k, count);
      host->put_int(host, part->marks[i + k].role);
      host->put_int(host, fits);
      host->put_int(host, fits ? at_ns : 0);
    }
  }
  sync_groups_put(run, part, host, lane);
}

bool sync_part_get(SyncRun *run, const MillStageHost *host)
{
  int64_t lane = host->get_int(host), rank = host->get_int(host), n = host->get_int(host);
  SyncPart *part = sync_run_add(run, (uint32_t)lane, rank);
  if (!part) return false;
  for (int64_t i = 0; i < n && host->get_more(host); i++) {
    size_t len;
    const char *text = host->get_text(host, &len);
    int64_t role = host->get_int(host);
    bool fits = host->get_int(host) != 0;
    int64_t at_ns = host->get_int(host);
    if (!fits || role < 0 || role >= SYNC_ROLES) continue;
    if (!sync_part_add(run, part, text, len, (uint32_t)role, at_ns)) return false;
  }
  return sync_groups_get(run, part, host);
}
