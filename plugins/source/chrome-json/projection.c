/* Building the table of attributes that stages asked for. */
/* SPDX-License-Identifier: MIT */
#include "projection.h"

static void grow_slots(Projection *p)
{
  uint32_t n = p->mask ? (p->mask + 1) * 2 : 64;
  g_free(p->slots);
  p->slots = g_new0(uint32_t, n);
  p->mask = n - 1;
  for (uint32_t i = 0; i < p->keys->len; i++) {
    const WantedKey *k = &g_array_index(p->keys, WantedKey, i);
    uint32_t at = slot_of(p, k->text, k->len);
    while (p->slots[at]) at = (at + 1) & p->mask;
    p->slots[at] = i + 1;
  }
}

/* Texts are copied with spare bytes after them, as jsn_head and jsn_same_tail need. */
WantedKey *jsn_add_key(Source *s, const char *text, size_t len)
{
  Projection *p = &s->projection;
  WantedKey k = { .len = (uint32_t)len, .sym = s->common->intern(s->common, text, len) };
  char *copy = g_malloc0(len + 8);
  memcpy(copy, text, len);
  k.text = copy;
  k.head = jsn_head(copy, len);
  memcpy(k.as, p->all_as, sizeof k.as);
  g_array_append_val(p->keys, k);
  if (p->keys->len * 2 > p->mask)
    grow_slots(p);
  else {
    uint32_t at = slot_of(p, copy, len);
    while (p->slots[at]) at = (at + 1) & p->mask;
    p->slots[at] = p->keys->len;
  }
  return &g_array_index(p->keys, WantedKey, p->keys->len - 1);
}

/* The first reader that names a type decides; "any" gives way. */
static void want(uint8_t *as, const MillRead *row, Projection *p)
{
  for (uint32_t kind = 0; kind < MILL_N_KINDS; kind++) {
    if (row->kinds && !(row->kinds & MILL_KIND(kind))) continue;
    if (as[kind] == AS_UNWANTED || as[kind] == MILL_AS_ANY) as[kind] = (uint8_t)row->as;
    p->any[kind] = true;
  }
}

static void want_named(Source *s, const MillRead *row)
{
  Projection *p = &s->projection;
  size_t len = strlen(row->name);
  g_autofree char *text = g_malloc0(len + 8);
  memcpy(text, row->name, len);
  WantedKey *k = find_key(p, text, len);
  want((k ? k : jsn_add_key(s, text, len))->as, row, p);
}

/* Asked for by its name: "*" wants what is there as it is called there. */
static bool is_named(MillReadRows rows, const char *name)
{
  for (uint32_t i = 0; i < rows.n; i++)
    if (strcmp(MILL_AT(MillRead, rows, i)->name, name) == 0) return true;
  return false;
}

/* The key `name` stands for `meant`, as far as some stage asked for that. */
static bool add_alias(Source *s, MillReadRows rows, const char *name, const char *meant,
                      uint32_t *out_meant)
{
  Projection *p = &s->projection;
  if (!is_named(rows, meant)) return false;
  char text[16] = "";
  memcpy(text, meant, strlen(meant));
  *out_meant = (uint32_t)(find_key(p, text, strlen(meant)) - key_at(p, 0)) + 1;
  memset(text, 0, sizeof text);
  memcpy(text, name, strlen(name));
  if (!find_key(p, text, strlen(name))) jsn_add_key(s, text, strlen(name));
  return true;
}

static void add_aliases(Source *s, MillReadRows rows)
{
  static const char *const stamps[N_STAMPS] = { "TS1", "TS2", "TS3", "TS4", "TS5" };
  Projection *p = &s->projection;
  bool cycles = false;
  for (uint32_t i = 0; i < N_STAMPS; i++)
    cycles |= add_alias(s, rows, "cycles_ts", stamps[i], &p->meant[i]);
  if (cycles) find_key(p, "cycles_ts\0\0\0\0\0\0\0", 9)->alias = ALIAS_CYCLES;
  if (add_alias(s, rows, "charge", "Power", &p->meant[N_STAMPS]))
    find_key(p, "charge\0\0\0\0\0\0\0", 6)->alias = ALIAS_CHARGE;
}

void jsn_projection_build(Source *s)
{
  Projection *p = &s->projection;
  MillReadRows rows = s->host->wanted(s->host);
  jsn_projection_clear(s);
  p->seed = s->common->seed;
  p->keys = g_array_new(FALSE, FALSE, sizeof(WantedKey));
  grow_slots(p);
  memset(p->all_as, AS_UNWANTED, sizeof p->all_as);
  for (uint32_t i = 0; i < rows.n; i++) {
    const MillRead *row = MILL_AT(MillRead, rows, i);
    bool is_all = strcmp(row->name, "*") == 0;
    if (is_all && row->as != MILL_AS_RAW) want(p->all_as, row, p);
  }
  for (uint32_t i = 0; i < rows.n; i++) {
    const MillRead *row = MILL_AT(MillRead, rows, i);
    if (strcmp(row->name, "*") != 0) want_named(s, row);
  }
  add_aliases(s, rows);
}

void jsn_projection_clear(Source *s)
{
  Projection *p = &s->projection;
  for (guint i = 0; p->keys && i < p->keys->len; i++)
    g_free((char *)g_array_index(p->keys, WantedKey, i).text);
  if (p->keys) g_array_free(p->keys, TRUE);
  g_free(p->slots);
  memset(p, 0, sizeof *p);
}
