/* Schemas of records: the known ones, and those that the settings of a probe say. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "kit/read/input.h"
#include "kit/read/toml.h"
#include "probe-bin.h"

static const ProbeSchema known[N_SCHEMAS] = {
  { "block_sched",
    SCHEMA_BLOCK_SCHED,
    PROBE_WARP,
    3,
    16,
    { { "start", 8 }, { "elapsed", 4 }, { "smid", 4 } },
    0,
    false },
  { "sched",
    SCHEMA_SCHED,
    PROBE_WARP,
    3,
    16,
    { { "start", 8 }, { "elapsed", 4 }, { "smid", 4 } },
    0,
    false },
  { "amd", SCHEMA_AMD, PROBE_WAVE, 2, 16, { { "start", 8 }, { "end", 8 } }, 0, false },
  { "gmem_bytes", SCHEMA_GMEM, PROBE_THREAD, 2, 8, { { "sync", 4 }, { "async", 4 } }, 0, false },
  { "tensorop_count", SCHEMA_TENSOROP, PROBE_THREAD, 1, 8, { { "count", 8 } }, 0, false },
  { "dmat", SCHEMA_DMAT, PROBE_THREAD, 2, 16, { { "clock", 8 }, { "address", 8 } }, 0, true },
  { "program_progress", SCHEMA_PROGRESS, PROBE_THREAD, 1, 8, { { "clock", 8 } }, 0, false },
  { "acc", SCHEMA_ACC, PROBE_WARP, 1, 8, { { "clock", 8 } }, 0, false },
};

const char *schema_names(void)
{
  return "block_sched, sched, amd, gmem_bytes, tensorop_count, dmat, program_progress, acc";
}

const ProbeSchema *schema_known(uint32_t kind) { return &known[kind]; }

const char *const *schema_facts(uint32_t kind)
{
  static const char *const sched[] = { "probe.sched", "probe.warps", NULL };
  static const char *const warps[] = { "probe.warps", NULL };
  static const char *const counts[] = { "probe.counts", NULL };
  static const char *const access[] = { "probe.access", NULL };
  static const char *const none[] = { NULL };
  switch (kind) {
  case SCHEMA_BLOCK_SCHED:
  case SCHEMA_SCHED: return sched;
  case SCHEMA_AMD:
  case SCHEMA_ACC: return warps;
  case SCHEMA_GMEM:
  case SCHEMA_TENSOROP:
  case SCHEMA_PROGRESS: return counts;
  case SCHEMA_DMAT: return access;
  default: return none;
  }
}

void schema_count_bytes(ProbeSchema *s)
{
  s->record_bytes = 0;
  for (uint32_t i = 0; i < s->n_fields; i++) s->record_bytes += s->fields[i].bytes;
}

static bool fault_set(SchemaFault *fault, uint32_t number, char *what, char *where)
{
  *fault = (SchemaFault){ .what = what, .where = where, .number = number };
  return false;
}

bool schemas_from_names(const char *names, GArray *out, SchemaFault *fault)
{
  g_auto(GStrv) parts = g_strsplit(names, "+", PROBE_MAX_SECTIONS + 1);
  for (char **part = parts; *part; part++) {
    uint32_t k = 0;
    while (k < N_SCHEMAS && strcmp(known[k].name, *part)) k++;
    if (k == N_SCHEMAS)
      return fault_set(fault, PB_BAD_NAME, g_strdup_printf("there is no schema \"%.40s\"", *part),
                       NULL);
    g_array_append_val(out, known[k]);
  }
  return true;
}

/* ------------------------------------------------------------------ fields */

typedef struct Making { /* a schema that is read from settings */
  ProbeSchema schema;
  const TomlEntry *entry; /* of which faults tell the place */
  const char *path;
  SchemaFault *fault;
  uint32_t said_bytes;
  bool global_timer, dynamic;
} Making;

static bool bad(const Making *m, const TomlEntry *e, const char *why)
{
  return fault_set(m->fault, PB_BAD_TOML, g_strdup(why), input_place(m->path, e->line, e->column));
}

static bool add_field(Making *m, const char *name, size_t len, uint32_t bytes)
{
  ProbeSchema *s = &m->schema;
  if (s->n_fields == PROBE_MAX_FIELDS) return bad(m, m->entry, "a record has more than 12 fields");
  if (len == 0 || len >= PROBE_NAME) return bad(m, m->entry, "a field's name is empty or long");
  ProbeField *f = &s->fields[s->n_fields++];
  memcpy(f->name, name, len);
  f->name[len] = 0;
  f->bytes = bytes;
  return true;
}

/* "{%start, %end}" after SAVE.u64: registers, each one field. */
static bool add_saved(Making *m, const char *from, const char *end, uint32_t bytes)
{
  while (from < end) {
    const char *comma = memchr(from, ',', (size_t)(end - from));
    const char *stop = comma ? comma : end;
    while (from < stop && (g_ascii_isspace(*from) || *from == '%')) from++;
    const char *last = stop;
    while (last > from && g_ascii_isspace(last[-1])) last--;
    for (const char *at = from; at < last; at++)
      if (!g_ascii_isalnum(*at) && !strchr("_$.", *at))
        return bad(m, m->entry, "a register's name has letters, digits, _, $ and . alone");
    if (!add_field(m, from, (size_t)(last - from), bytes)) return false;
    from = comma ? comma + 1 : end;
  }
  return true;
}

static bool add_statements(Making *m, const TomlEntry *e)
{
  if (!e || e->value->type != TOML_STRING) return true;
  const char *text = e->value->text;
  if (strstr(text, "globaltimer")) m->global_timer = true;
  for (const char *p = text; (p = strstr(p, "SAVE.")); p += 5) {
    uint32_t bytes = g_str_has_prefix(p + 5, "u64") ? 8 : g_str_has_prefix(p + 5, "u32") ? 4 : 0;
    const char *from = p + 5 + 3 * (bytes != 0);
    while (g_ascii_isspace(*from)) from++;
    const char *end = *from == '{' ? strchr(from, '}') : NULL;
    if (!bytes || !end) return bad(m, e, "SAVE needs u32 or u64, and registers in braces");
    m->entry = e;
    if (!add_saved(m, from + 1, end, bytes)) return false;
  }
  return true;
}

/* ------------------------------------------------------------ which one it is */

static bool same_fields(const ProbeSchema *a, const ProbeSchema *b)
{
  bool same = a->n_fields == b->n_fields && (a->level == 1) == (b->level == 1);
  for (uint32_t i = 0; same && i < a->n_fields; i++)
    same = a->fields[i].bytes == b->fields[i].bytes;
  return same;
}

/* Schedules have one place a warp: a warp that saves several times has records of another meaning. */
static uint32_t schedule_of(const Making *m)
{
  const ProbeSchema *s = &m->schema;
  if (s->capacity != 1) return SCHEMA_OTHER;
  if (same_fields(s, &known[SCHEMA_BLOCK_SCHED]))
    return m->global_timer ? SCHEMA_SCHED : SCHEMA_BLOCK_SCHED;
  return same_fields(s, &known[SCHEMA_AMD]) ? SCHEMA_AMD : SCHEMA_OTHER;
}

static uint32_t kind_of(const Making *m)
{
  const ProbeSchema *s = &m->schema;
  for (uint32_t k = 0; k < N_SCHEMAS; k++)
    if (!strcmp(known[k].name, s->name) && same_fields(s, &known[k]) &&
        (k > SCHEMA_AMD || s->capacity == 1))
      return k;
  if (schedule_of(m) != SCHEMA_OTHER) return schedule_of(m);
  if (same_fields(s, &known[SCHEMA_GMEM])) return SCHEMA_GMEM;
  if (same_fields(s, &known[SCHEMA_DMAT]) && m->dynamic) return SCHEMA_DMAT;
  if (same_fields(s, &known[SCHEMA_TENSOROP]))
    return s->capacity == 1 ? SCHEMA_TENSOROP : SCHEMA_PROGRESS;
  return same_fields(s, &known[SCHEMA_ACC]) ? SCHEMA_ACC : SCHEMA_OTHER;
}

static bool finish(Making *m, GArray *out)
{
  ProbeSchema *s = &m->schema;
  schema_count_bytes(s);
  if (s->n_fields == 0) return bad(m, m->entry, "a probe that saves has no fields");
  if (s->record_bytes != m->said_bytes) {
    g_autofree char *why =
        g_strdup_printf("a record is said to have %u bytes, and its fields have %u", m->said_bytes,
                        s->record_bytes);
    return bad(m, m->entry, why);
  }
  s->kind = kind_of(m);
  s->counted = m->dynamic;
  if (s->kind != SCHEMA_OTHER) {
    ProbeSchema named = known[s->kind];
    named.capacity = s->capacity;
    named.counted = s->counted;
    *s = named;
  }
  g_array_append_val(out, *s);
  return true;
}

static bool set_level(Making *m, const char *text, size_t len)
{
  bool thread = len == 6 && !memcmp(text, "thread", 6);
  if (!thread && !(len == 4 && (!memcmp(text, "warp", 4) || !memcmp(text, "wave", 4))))
    return bad(m, m->entry, "a level is thread or warp");
  m->schema.level = thread ? PROBE_THREAD : PROBE_WARP;
  return true;
}

static bool begin(Making *m, const TomlEntry *e, const char *name)
{
  m->entry = e;
  if (strlen(name) >= PROBE_NAME) return bad(m, e, "the name of a probe is long");
  g_strlcpy(m->schema.name, name, PROBE_NAME);
  return true;
}

static bool set_number(const Making *m, const char *text, int64_t most, int64_t *out)
{
  if (num_int(text, strlen(text), out) && *out >= 1 && *out <= most) return true;
  return bad(m, m->entry, "a number from 1 is expected");
}

/* ---------------------------------------------------- settings of both kinds */

/* [NAME] datamodel = "LEVEL:BYTES[:CAP]" */
static bool read_older(Making *m, const Toml *toml, const TomlEntry *e, GArray *out)
{
  if (e->value->type != TOML_STRING) return bad(m, e, "a datamodel is a text");
  g_auto(GStrv) parts = g_strsplit(e->value->text, ":", 4);
  int64_t bytes, capacity = 1;
  if (g_strv_length(parts) < 2 || g_strv_length(parts) > 3)
    return bad(m, e, "a datamodel is LEVEL:BYTES or LEVEL:BYTES:CAPACITY");
  if (!begin(m, e, e->table) || !set_level(m, parts[0], strlen(parts[0])) ||
      !set_number(m, parts[1], 4096, &bytes))
    return false;
  m->dynamic = parts[2] && !strcmp(parts[2], "count");
  if (parts[2] && !m->dynamic && !set_number(m, parts[2], INT32_MAX, &capacity)) return false;
  m->said_bytes = (uint32_t)bytes;
  m->schema.capacity = m->dynamic ? 0 : (uint64_t)capacity;
  if (!add_statements(m, toml_find(toml, e->table, "before")) ||
      !add_statements(m, toml_find(toml, e->table, "after")))
    return false;
  m->entry = e;
  return finish(m, out);
}

static bool read_register(Making *m, const TomlEntry *e)
{
  const TomlValue *v = e->value;
  if (v->type == TOML_ARRAY) v = v->items->len ? v->items->pdata[0] : NULL;
  bool wide = v && v->type == TOML_STRING && !strcmp(v->text, "u64");
  m->entry = e;
  if (!wide && !(v && v->type == TOML_STRING && !strcmp(v->text, "u32")))
    return bad(m, e, "a register is u32 or u64");
  return add_field(m, e->key, strlen(e->key), wide ? 8 : 4);
}

static const TomlEntry *text_entry(const Making *m, const Toml *toml, const char *table,
                                   const char *key)
{
  const TomlEntry *e = toml_find(toml, table, key);
  if (e && e->value->type == TOML_STRING) return e;
  bad(m, e ? e : m->entry, "a map needs level and size");
  return NULL;
}

/* [map.NAME] level, size, cap, and [map.NAME.regs]. */
static bool read_newer(Making *m, const Toml *toml, const TomlEntry *first, GArray *out)
{
  g_autofree char *regs = g_strconcat(first->table, ".regs", NULL);
  const TomlEntry *size = toml_find(toml, first->table, "size");
  const TomlEntry *cap = toml_find(toml, first->table, "cap");
  int64_t bytes, capacity = 1;
  if (!begin(m, first, first->table + strlen("map."))) return false;
  const TomlEntry *level = text_entry(m, toml, first->table, "level");
  if (!level) return false;
  m->entry = level;
  if (!set_level(m, level->value->text, strlen(level->value->text))) return false;
  if (!size) return bad(m, level, "a map needs level and size");
  m->entry = size;
  if (!size->value->text || !set_number(m, size->value->text, 4096, &bytes))
    return m->fault->what ? false : bad(m, size, "a size is a number");
  m->dynamic = cap && cap->value->text && !strcmp(cap->value->text, "dynamic");
  if (cap) m->entry = cap;
  if (cap && !m->dynamic &&
      (!cap->value->text || !set_number(m, cap->value->text, INT32_MAX, &capacity)))
    return m->fault->what ? false : bad(m, cap, "a cap is a number or \"dynamic\"");
  m->said_bytes = (uint32_t)bytes;
  m->schema.capacity = m->dynamic ? 0 : (uint64_t)capacity;
  for (guint i = 0; i < toml->entries->len; i++) {
    const TomlEntry *e = toml->entries->pdata[i];
    if (!strcmp(e->table, regs) && !read_register(m, e)) return false;
  }
  m->entry = size;
  return finish(m, out);
}

static bool is_map(const char *table)
{
  return g_str_has_prefix(table, "map.") && !strchr(table + 4, '.');
}

static bool mentions_timer(const Toml *toml)
{
  for (guint i = 0; i < toml->entries->len; i++) {
    const TomlEntry *e = toml->entries->pdata[i];
    if (e->value->type == TOML_STRING &&
        (strstr(e->value->text, "globaltimer") || strstr(e->value->text, "nl.time")))
      return true;
  }
  return false;
}

bool schemas_from_toml(const char *text, size_t len, const char *path, GArray *out,
                       SchemaFault *fault)
{
  TomlFault why;
  g_autoptr(Toml) toml = toml_read(text, len, &why);
  g_autofree char *done = NULL; /* the map at hand */
  if (!toml)
    return fault_set(fault, PB_BAD_TOML, why.what, input_place(path, why.line, why.column));
  for (guint i = 0; i < toml->entries->len; i++) {
    const TomlEntry *e = toml->entries->pdata[i];
    Making m = { .path = path, .fault = fault, .entry = e };
    bool fine = true;
    if (!strcmp(e->key, "datamodel") && *e->table && strcmp(e->table, "map"))
      fine = read_older(&m, toml, e, out);
    else if (is_map(e->table) && g_strcmp0(done, e->table)) {
      m.global_timer = mentions_timer(toml);
      g_free(done);
      done = g_strdup(e->table);
      fine = read_newer(&m, toml, e, out);
    }
    if (!fine) return false;
  }
  if (out->len) return true;
  return fault_set(fault, PB_BAD_TOML,
                   g_strdup("the settings end before the first probe that saves"), g_strdup(path));
}
