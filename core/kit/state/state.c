/* Saving and merging by tables of fields; see state.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/state.h"

#include <math.h>
#include <string.h>

#include "kit/state/grow.h"
#include "kit/state/saved.h"

enum { INT_BYTES = 2, REAL_BYTES = 9, TEXT_BYTES = 3 }; /* the smallest that each takes */

/* ---- integers */

static const uint8_t size_of[] = {
  [STATE_BOOL] = sizeof(bool),
  [STATE_I8] = 1,
  [STATE_U8] = 1,
  [STATE_I16] = 2,
  [STATE_U16] = 2,
  [STATE_I32] = 4,
  [STATE_U32] = 4,
  [STATE_I64] = 8,
  [STATE_U64] = 8,
  [STATE_WIDE] = sizeof(__int128),
  [STATE_REAL] = sizeof(double),
  [STATE_STRING] = sizeof(char *),
  [STATE_TEXT] = sizeof(MillText),
  [STATE_SYMBOL] = sizeof(MillSym),
  [STATE_ROW] = sizeof(uint32_t),
  [STATE_VALUE] = sizeof(MillValue),
  [STATE_NUMBERED] = sizeof(uint32_t),
};

#define READ(T, at) (*(const T *)(at))

static __int128 int_at(uint8_t kind, const void *at)
{
  switch (kind) {
  case STATE_BOOL: return READ(bool, at);
  case STATE_I8: return READ(int8_t, at);
  case STATE_U8: return READ(uint8_t, at);
  case STATE_I16: return READ(int16_t, at);
  case STATE_U16: return READ(uint16_t, at);
  case STATE_I32: return READ(int32_t, at);
  case STATE_U32: return READ(uint32_t, at);
  case STATE_I64: return READ(int64_t, at);
  case STATE_U64: return READ(uint64_t, at);
  default: return READ(__int128, at);
  }
}

static __int128 between(__int128 v, __int128 low, __int128 high)
{
  if (v < low) return low;
  return v > high ? high : v;
}

static void int_set(uint8_t kind, void *at, __int128 v)
{
  switch (kind) {
  case STATE_BOOL: *(bool *)at = v != 0; break;
  case STATE_I8: *(int8_t *)at = (int8_t)between(v, INT8_MIN, INT8_MAX); break;
  case STATE_U8: *(uint8_t *)at = (uint8_t)between(v, 0, UINT8_MAX); break;
  case STATE_I16: *(int16_t *)at = (int16_t)between(v, INT16_MIN, INT16_MAX); break;
  case STATE_U16: *(uint16_t *)at = (uint16_t)between(v, 0, UINT16_MAX); break;
  case STATE_I32: *(int32_t *)at = (int32_t)between(v, INT32_MIN, INT32_MAX); break;
  case STATE_U32: *(uint32_t *)at = (uint32_t)between(v, 0, UINT32_MAX); break;
  case STATE_I64: *(int64_t *)at = (int64_t)between(v, INT64_MIN, INT64_MAX); break;
  case STATE_U64: *(uint64_t *)at = (uint64_t)between(v, 0, UINT64_MAX); break;
  default: *(__int128 *)at = v;
  }
}

static void put_int(const MillStageHost *host, uint8_t kind, __int128 v)
{
  if (kind == STATE_WIDE) host->put_int(host, (int64_t)(v >> 64));
  host->put_int(host, (int64_t)(uint64_t)v);
}

static __int128 get_int(const MillStageHost *host, uint8_t kind)
{
  int64_t first = host->get_int(host);
  if (kind == STATE_U64) return (uint64_t)first;
  if (kind != STATE_WIDE) return first;
  unsigned __int128 high = (uint64_t)first;
  return (__int128)(high << 64 | (uint64_t)host->get_int(host));
}

static __int128 agreed(__int128 a, __int128 b)
{
  if (a == 0 || a == b) return b;
  return b == 0 ? a : -1;
}

static void merge_int(const StateField *f, void *at, __int128 v, bool is_new)
{
  const __int128 now = int_at(f->kind, at);
  __int128 sum;
  if (is_new)
    int_set(f->kind, at, v);
  else if (f->rule == STATE_ADD)
    int_set(f->kind, at, __builtin_add_overflow(now, v, &sum) ? now : sum);
  else if (f->rule == STATE_AGREE)
    int_set(f->kind, at, agreed(now, v));
  else if (f->rule == STATE_LOWER ? v < now : f->rule == STATE_HIGHER && v > now)
    int_set(f->kind, at, v);
}

/* ---- reals: one NaN, so that equal states are equal bytes */

static void merge_real(const StateField *f, double *at, double v, bool is_new)
{
  if (is_new)
    *at = v;
  else if (f->rule == STATE_ADD)
    *at += v;
  else if (f->rule == STATE_LOWER ? v < *at : f->rule == STATE_HIGHER && v > *at)
    *at = v;
}

/* ---- texts: NULL is one of its own */

static void put_text(const MillStageHost *host, const char *text, size_t len)
{
  host->put_int(host, text != NULL);
  if (text) host->put_text(host, text, len);
}

static bool get_text(const MillStageHost *host, MillText *out)
{
  *out = (MillText){ NULL, 0 };
  if (!host->get_int(host)) return true;
  const char *text = host->get_text(host, &out->len);
  char *copy = mill_new(host->common, out->len + 1);
  if (copy) memcpy(copy, text, out->len);
  out->text = copy;
  return copy != NULL;
}

static bool load_text(const MillStageHost *host, const StateField *f, void *at, bool is_new)
{
  MillText text;
  if (!get_text(host, &text)) return false;
  if (f->kind == STATE_TEXT) {
    if (is_new || !((MillText *)at)->text) *(MillText *)at = text;
  } else if (is_new || !*(const char **)at) {
    *(const char **)at = text.text;
  }
  return true;
}

/* ---- rows */

static void put_row(const MillStageHost *host, uint32_t row)
{
  host->put_int(host, row != MILL_FAILED);
  if (row != MILL_FAILED) saved_put_track(host, row);
}

/* False: refused. */
static bool get_row(const MillStageHost *host, uint32_t *out)
{
  *out = MILL_FAILED;
  if (!host->get_int(host)) return true;
  *out = saved_get_track(host);
  return *out != MILL_FAILED;
}

/* ---- texts by number */

static bool load_number(const StateIo *io, const StateField *f, uint32_t *at, bool is_new)
{
  const StateNumbers *numbers = &io->numbers[f->n];
  uint64_t number = (uint64_t)io->host->get_int(io->host);
  if (number >= numbers->n) return false;
  if (is_new) *at = numbers->here[number];
  return true;
}

/* ---- a field */

static void save_plain(const MillStageHost *host, const StateField *f, const void *at)
{
  switch (f->kind) {
  case STATE_REAL:
    host->put_real(host, isnan(READ(double, at)) ? (double)NAN : READ(double, at));
    break;
  case STATE_STRING:
    put_text(host, READ(char *, at), READ(char *, at) ? strlen(READ(char *, at)) : 0);
    break;
  case STATE_TEXT: put_text(host, READ(MillText, at).text, READ(MillText, at).len); break;
  case STATE_SYMBOL: saved_put_sym(host, READ(MillSym, at)); break;
  case STATE_ROW: put_row(host, READ(uint32_t, at)); break;
  case STATE_VALUE: saved_put_value(host, at); break;
  case STATE_NUMBERED: host->put_int(host, READ(uint32_t, at)); break;
  default: put_int(host, f->kind, int_at(f->kind, at));
  }
}

static bool load_plain(const StateIo *io, const StateField *f, void *at, bool is_new)
{
  const MillStageHost *host = io->host;
  MillSym sym;
  uint32_t track;
  MillValue value;
  switch (f->kind) {
  case STATE_REAL: merge_real(f, at, host->get_real(host), is_new); return true;
  case STATE_STRING:
  case STATE_TEXT: return load_text(host, f, at, is_new);
  case STATE_SYMBOL:
    sym = saved_get_sym(host);
    if (is_new || !*(MillSym *)at) *(MillSym *)at = sym;
    return true;
  case STATE_ROW:
    if (!get_row(host, &track)) return false;
    if (is_new) *(uint32_t *)at = track;
    return true;
  case STATE_VALUE:
    value = saved_get_value(host);
    if (is_new) *(MillValue *)at = value;
    return true;
  case STATE_NUMBERED: return load_number(io, f, at, is_new);
  default: merge_int(f, at, get_int(host, f->kind), is_new); return true;
  }
}

/* ---- lists */

static uint64_t number_of(const StateField *f, const char *owner)
{
  return f->n_size == 8 ? READ(uint64_t, owner + f->n) : READ(uint32_t, owner + f->n);
}

static void set_number(const StateField *f, char *owner, uint64_t n)
{
  if (f->n_size == 8)
    *(uint64_t *)(void *)(owner + f->n) = n;
  else
    *(uint32_t *)(void *)(owner + f->n) = (uint32_t)n;
}

static char *elements_of(const void *at)
{
  char *elements;
  memcpy(&elements, at, sizeof elements);
  return elements;
}

static void save_list(StateIo *io, const StateField *f, char *owner, const void *at)
{
  const uint64_t n = number_of(f, owner);
  char *elements = elements_of(at);
  io->host->put_int(io->host, (int64_t)n);
  for (uint64_t i = 0; i < n; i++) state_put(io, f->of, elements + i * f->of->size);
}

static bool reserve(const MillHost *common, const StateField *f, char *owner, void *at, uint64_t n)
{
  const size_t exact = (size_t)number_of(f, owner), size = f->of ? f->of->size : f->each;
  if (f->capacity != STATE_EXACT)
    return array_reserve(common, at, (size_t *)(void *)(owner + f->capacity), n, size);
  if (n == exact) return true;
  void *elements = common->resize(common, elements_of(at), n * size);
  if (elements) memcpy(at, &elements, sizeof elements);
  return elements != NULL;
}

static bool append(StateIo *io, const StateField *f, char *owner, void *at, uint64_t more)
{
  const uint64_t now = number_of(f, owner);
  if (!reserve(io->host->common, f, owner, at, now + more)) return false;
  char *elements = elements_of(at);
  for (uint64_t i = now; i < now + more; i++) {
    memset(elements + i * f->of->size, 0, f->of->size);
    set_number(f, owner, i + 1);
    if (!state_get(io, f->of, elements + i * f->of->size, true)) return false;
  }
  return true;
}

static bool take_each(StateIo *io, const StateField *f, void *owner, uint64_t more)
{
  const MillHost *common = io->host->common;
  void *element = more > 0 ? mill_new(common, f->of->size) : NULL;
  bool fits = more == 0 || element != NULL;
  for (; more > 0 && fits; more--) {
    memset(element, 0, f->of->size);
    fits = state_get(io, f->of, element, true) && f->take(owner, element);
  }
  array_free(common, element);
  return fits;
}

static bool load_list(StateIo *io, const StateField *f, void *owner, void *at)
{
  uint64_t more = io->host->get_count(io->host, state_min_bytes(f->of));
  return f->take ? take_each(io, f, owner, more) : append(io, f, owner, at, more);
}

static void save_rows(StateIo *io, const StateField *f, const char *owner, const void *at)
{
  io->host->put_text(io->host, elements_of(at), number_of(f, owner) * f->each);
}

static bool load_rows(StateIo *io, const StateField *f, char *owner, void *at)
{
  const uint64_t now = number_of(f, owner);
  size_t len;
  const char *bytes = io->host->get_text(io->host, &len);
  if (len % f->each || !reserve(io->host->common, f, owner, at, now + len / f->each)) return false;
  if (len) memcpy(elements_of(at) + now * f->each, bytes, len);
  set_number(f, owner, now + len / f->each);
  return true;
}

const StateType state_of_int = {
  sizeof(int64_t), 1, &(const StateField){ .each = 1, .kind = STATE_I64, .rule = STATE_KEEP }
};
const StateType state_of_real = {
  sizeof(double), 1, &(const StateField){ .each = 1, .kind = STATE_REAL, .rule = STATE_KEEP }
};
const StateType state_of_sym = {
  sizeof(MillSym), 1, &(const StateField){ .each = 1, .kind = STATE_SYMBOL, .rule = STATE_KEEP }
};
const StateType state_of_sum = {
  sizeof(int64_t), 1, &(const StateField){ .each = 1, .kind = STATE_I64, .rule = STATE_ADD }
};

/* ---- structs */

static void put_field(StateIo *io, const StateField *f, char *owner)
{
  char *at = owner + f->offset;
  if (f->kind == STATE_OWN)
    f->ops->save(io, f, owner, at);
  else if (f->kind == STATE_MANY)
    save_list(io, f, owner, at);
  else if (f->kind == STATE_PACKED)
    save_rows(io, f, owner, at);
  else if (f->kind == STATE_NESTED)
    for (uint32_t i = 0; i < f->each; i += f->of->size) state_put(io, f->of, at + i);
  else
    for (uint32_t i = 0; i < f->each; i++)
      save_plain(io->host, f, at + (size_t)i * size_of[f->kind]);
}

void state_put(StateIo *io, const StateType *type, void *from)
{
  for (uint32_t i = 0; i < type->n_fields; i++) put_field(io, &type->fields[i], from);
}

static bool get_field(StateIo *io, const StateField *f, char *owner, bool is_new)
{
  char *at = owner + f->offset;
  bool fits = true;
  if (f->kind == STATE_OWN) return f->ops->load(io, f, owner, at, is_new);
  if (f->kind == STATE_MANY) return load_list(io, f, owner, at);
  if (f->kind == STATE_PACKED) return load_rows(io, f, owner, at);
  if (f->kind == STATE_NESTED)
    for (uint32_t i = 0; i < f->each && fits; i += f->of->size)
      fits = state_get(io, f->of, at + i, is_new);
  else
    for (uint32_t i = 0; i < f->each && fits; i++)
      fits = load_plain(io, f, at + (size_t)i * size_of[f->kind], is_new);
  return fits;
}

bool state_get(StateIo *io, const StateType *type, void *to, bool is_new)
{
  bool fits = true;
  for (uint32_t i = 0; i < type->n_fields && fits; i++)
    fits = get_field(io, &type->fields[i], to, is_new);
  return fits;
}

/* ---- how little a struct can take */

static uint32_t field_bytes(const StateField *f)
{
  switch (f->kind) {
  case STATE_OWN: return f->ops->min_bytes;
  case STATE_NESTED: return f->each / f->of->size * state_min_bytes(f->of);
  case STATE_WIDE: return 2 * INT_BYTES * (f->each ? f->each : 1);
  case STATE_REAL: return REAL_BYTES * f->each;
  case STATE_SYMBOL: return TEXT_BYTES * f->each;
  case STATE_MANY: return INT_BYTES;
  case STATE_PACKED: return TEXT_BYTES;
  default: return INT_BYTES * f->each;
  }
}

uint32_t state_min_bytes(const StateType *type)
{
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < type->n_fields; i++) bytes += field_bytes(&type->fields[i]);
  return bytes;
}

/* ---- all of an instance */

void state_save(const MillStageHost *host, const StateType *type, void *from)
{
  state_put(&(StateIo){ .host = host }, type, from);
}

bool state_load(const MillStageHost *host, const StateType *type, void *to)
{
  return state_get(&(StateIo){ .host = host }, type, to, true);
}

bool state_merge(const MillStageHost *host, const StateType *type, void *into)
{
  return state_get(&(StateIo){ .host = host }, type, into, false);
}
