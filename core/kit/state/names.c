/* Numbers of texts, found, saved and loaded; see names.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/names.h"

#include "kit/state/grow.h"
#include "kit/state/state.h"

bool names_number(Names *names, const char *text, size_t len, uint32_t *out)
{
  if (!names->numbers) names->numbers = keyed_new(names->common, sizeof(uint32_t));
  const KeyedEntry *e = names->numbers ? keyed_entry(names->numbers, text, len) : NULL;
  uint32_t *number = e ? (uint32_t *)e->state : NULL;
  if (!number) return false;
  if (*number == 0) {
    if (!array_reserve_at(names->common, &names->entries, &names->capacity, names->n,
                          sizeof *names->entries))
      return false;
    names->entries[names->n++] = e;
    *number = (uint32_t)names->n;
  }
  *out = *number - 1;
  return true;
}

static void save_names(StateIo *io, const StateField *f, void *owner, void *at)
{
  const Names *names = at;
  (void)f, (void)owner;
  io->host->put_int(io->host, (int64_t)names->n);
  for (size_t i = 0; i < names->n; i++)
    io->host->put_text(io->host, names->entries[i]->key, names->entries[i]->len);
}

static bool load_names(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  Names *const names = at;
  const MillStageHost *host = io->host;
  uint64_t n = host->get_count(host, 3 /* of an empty one */);
  uint32_t *here = host->common->scratch(host->common, (n + 1) * sizeof *here);
  size_t len;
  (void)owner, (void)is_new;
  names->common = host->common;
  for (uint64_t i = 0; here && i < n; i++) {
    const char *text = host->get_text(host, &len);
    if (!names_number(names, text, len, &here[i])) return false;
  }
  io->numbers[f->each] = (StateNumbers){ here, n };
  return here != NULL;
}

const StateOps state_of_names = { save_names, load_names, 2 };
