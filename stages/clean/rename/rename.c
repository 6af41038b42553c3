/* Takes the numbers out of the names of device slices, so that the instances of one operation share a name: after
 * letters, digits go, with an underscore before them; a version (V2) stays.  The old name becomes orig_name. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/devices/device.h"
#include "kit/state/instance.h"
#include "kit/state/symmap.h"
#include "kit/text/symbol.h"

typedef struct Rename {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords device;
  SymMap names;
  MillSym orig_name;
} Rename;

static int rename_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Rename *r = instance_new(Rename, host, out_instance);
  if (!r) return -MILL_LIMIT;
  device_open(&r->device, host->common);
  r->orig_name = symbol_of(host->common, "orig_name");
  return 0;
}

static size_t span_of(const char *text, size_t len, bool digits)
{
  size_t n = 0;
  while (n < len && is_digit(text[n]) == digits) n++;
  return n;
}

/* Pairs of other text and digits: the text stays without one underscore at its end, the digits only after a V.
 * Digits at the very beginning belong to no pair, and go. */
static size_t fold(const char *text, size_t len, char *out)
{
  size_t n = 0, at = span_of(text, len, true);
  bool paired = false;
  while (at < len) {
    size_t letters = span_of(text + at, len - at, false);
    size_t digits = span_of(text + at + letters, len - at - letters, true);
    char last = text[at + letters - 1];
    paired |= digits > 0;
    memcpy(out + n, text + at, letters);
    n += letters - (digits && last == '_');
    if (last == 'V') {
      memcpy(out + n, text + at + letters, digits);
      n += digits;
    }
    at += letters + digits;
  }
  if (paired) return n;
  memcpy(out, text, len);
  return len;
}

static MillSym folded(Rename *r, MillSym name)
{
  MillSym to;
  size_t len;
  if (symmap_get(&r->names, name, &to)) return to;
  const char *text = r->common->symbol_text(r->common, name, &len);
  char *out = r->common->scratch(r->common, len + 1);
  if (!out) return name;
  to = r->common->intern(r->common, out, fold(text, len, out));
  symmap_put(r->common, &r->names, name, to);
  return to;
}

static int rename_process(void *instance, MillBatch *b)
{
  Rename *r = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillSym name = b->events[i].name;
    if (!device_has(&r->device, b, &b->events[i])) continue;
    MillSym to = folded(r, name);
    if (to == name) continue;
    mill_set_name(&mill_events(b)[i], to);
    int status = r->host->set(r->host, b, i, r->orig_name, mill_sym(name));
    if (status < 0) return status;
  }
  return 0;
}

static const MillRead reads[] = { DEVICE_HAS_READS };
static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "attr.orig_name", NULL };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = rename_open,
                                  .process = rename_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .name = "rename",
  .family = "clean",
  .version = "1.0.0",
  .tag = "NAME",
  .title = "Remove numbers from the names of device events",
  .help = "Turns addmm_1_MatMul into addmm_MatMul, so that instances of one operation share a name "
          "in viewers and statistics. Numbers after a V are versions and stay. The attribute "
          "orig_name keeps the old name.",
  .needs = needs,
  .provides = provides,
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
