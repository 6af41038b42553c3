/* Units of a section, each a thread or a warp, as records: values, or lists of them without the unused end.
 * Where no stage asks which unit it was, and each has one place, a record is of a whole block: lists by unit. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe-bin.h"

#define BATCH_ATTRS 16384u /* 256 KiB */
#define OWN_ATTRS 4u

static const ProbeSchema *schema_of(const Source *s)
{
  return &g_array_index(s->schemas, ProbeSchema, s->next);
}

void units_begin(Source *s)
{
  const ProbeSchema *schema = schema_of(s);
  const char *names[PROBE_MAX_FIELDS];
  for (uint32_t i = 0; i < schema->n_fields; i++) names[i] = schema->fields[i].name;
  record_init(&s->fields, s->host, names, schema->n_fields);
  s->block = s->unit = s->place = 0;
  s->any_written = false;
  s->by_block = !s->writer.wanted[KEY_UNIT] && schema->kind <= SCHEMA_TENSOROP &&
                s->launch.sections[s->next].capacity == 1;
}

static size_t used_places(const uint8_t *bytes, size_t n, size_t record)
{
  static const uint8_t zeros[PROBE_MAX_FIELDS * 8];
  while (n > 0 && !memcmp(bytes + (n - 1) * record, zeros, record)) n--;
  return n;
}

/* Units of schedules in which nothing was written: a start is never 0. */
static uint64_t count_unwritten(const ProbeSchema *schema, const uint8_t *bytes, size_t n)
{
  uint64_t none = 0;
  if (schema->kind > SCHEMA_AMD) return 0;
  for (; n > 0; n--, bytes += schema->record_bytes) none += !get_u64(bytes) && !get_u64(bytes + 8);
  return none;
}

static void put_wide(MillAttr *out, MillSym key, const uint8_t *p, size_t n, size_t record)
{
  for (size_t i = 0; i < n; i++, p += record)
    out[i] = (MillAttr){ key, MILL_INT, { .i = (int64_t)get_u64(p) } };
}

static void put_narrow(MillAttr *out, MillSym key, const uint8_t *p, size_t n, size_t record)
{
  for (size_t i = 0; i < n; i++, p += record)
    out[i] = (MillAttr){ key, MILL_INT, { .i = (int64_t)get_u32(p) } };
}

static void put_fields(const Source *s, MillBatch *b, const uint8_t *bytes, size_t n)
{
  const ProbeSchema *schema = schema_of(s);
  for (uint32_t i = 0; i < schema->n_fields; i++) {
    uint32_t width = schema->fields[i].bytes;
    if (s->fields.wanted[i] && n) {
      MillAttr *out = record_reserve(b, n);
      if (width == 8)
        put_wide(out, s->fields.keys[i], bytes, n, schema->record_bytes);
      else
        put_narrow(out, s->fields.keys[i], bytes, n, schema->record_bytes);
    }
    bytes += width;
  }
}

static bool put_record(Source *s, MillBatch *b, const uint8_t *bytes, size_t n)
{
  size_t attrs = OWN_ATTRS + n * schema_of(s)->n_fields;
  MillEvent *e = record_begin(&s->writer, b, s->names[2], attrs);
  if (!e) return false;
  e->id_kind = MILL_ID_INT;
  e->id = s->ordinal;
  record_int(&s->writer, b, KEY_SECTION, s->next);
  record_int(&s->writer, b, KEY_BLOCK, (int64_t)s->block);
  record_int(&s->writer, b, KEY_UNIT, (int64_t)s->unit);
  if (s->place) record_int(&s->writer, b, KEY_PLACE, (int64_t)s->place);
  put_fields(s, b, bytes, n);
  return true;
}

static void next_unit(Source *s, const ProbeSection *section)
{
  s->place = 0;
  s->ordinal++;
  if (!s->by_block && ++s->unit < section->units_per_block) return;
  s->unit = 0;
  s->block++;
}

/* Places of the next record. */
static size_t next_places(const Source *s, const ProbeSection *section)
{
  if (s->by_block) return (size_t)section->units_per_block;
  return (size_t)MIN(section->capacity - s->place, PROBE_MAX_PLACES);
}

static int cut_short(const Source *s)
{
  if (s->stream.status < 0) return s->stream.status;
  return probe_fail(s, PB_DAMAGED, "the file ends within a section", NULL);
}

int units_give(Source *s, MillBatch *b)
{
  const ProbeSection *section = &s->launch.sections[s->next];
  size_t record = schema_of(s)->record_bytes;
  if (section->units_per_block == 0 || section->capacity == 0) return 0;
  if (s->block == 0 && s->unit == 0 && s->place == 0 &&
      !stream_skip_to(&s->stream, section->offset))
    return cut_short(s);
  while (s->block < s->launch.n_blocks) {
    size_t n = next_places(s, section);
    const uint8_t *bytes = stream_need(&s->stream, n * record);
    if (!bytes) return cut_short(s);
    size_t used = section->capacity == 1 ? n : used_places(bytes, n, record);
    if (b->n_attrs >= BATCH_ATTRS) return 1;
    if (!s->any_written) s->any_written = used_places(bytes, n, record) > 0;
    if ((used || s->place == 0) && !put_record(s, b, bytes, used)) return 1;
    if (s->place == 0) s->n_unwritten += count_unwritten(schema_of(s), bytes, s->by_block ? n : 1);
    s->stream.pos += n * record;
    s->place += n;
    if (s->place < section->capacity) continue;
    s->n_full += section->capacity > 1 && used == n && !schema_of(s)->counted;
    next_unit(s, section);
  }
  s->n_blank +=
      !s->any_written && schema_of(s)->kind > SCHEMA_AMD; /* of schedules each warp is told */
  return 0;
}
