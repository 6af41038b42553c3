/* Rows that were read once; see kept.h. */
/* SPDX-License-Identifier: MIT */
#include "sql/object/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/huge.h"
#include "base/nameless.h"

enum { FEW_BYTES = 16 << 10, LEAST_PIECE = 64 << 10, MOST_PIECE = 16 << 20, PIECES_IN_MEMORY = 8 };

typedef struct Entry { /* a row by its key */
  uint64_t key;
  uint64_t at; /* of its bytes in the piece */
} Entry;

/* Some rows, with the entries of their keys in buckets by the first bits. */
typedef struct Piece {
  char *bytes;
  size_t len, max;
  Entry *entries;
  uint32_t *starts; /* of the buckets, and the end of the last one */
  uint32_t n;
  size_t max_entries; /* bytes of them */
  size_t whole;       /* bytes, about, of a piece that is full */
  unsigned bits;
  bool ended; /* its bytes are counted */
  void *map;  /* where all of it lies in the file; NULL: in memory */
  size_t map_len;
} Piece;

struct Kept {
  KeptFile *file;
  bool *lasts;
  uint32_t n_columns;
  bool keyed;
  size_t piece_bytes;
  GPtrArray *pieces; /* Piece *: the last one is filled */
};

/* --------------------------------------------------------------------- keys */

static MillValue plain(const MillValue *v)
{
  double r = v->type == MILL_REAL ? v->u.r : 0.5;
  bool whole = r >= -9e18 && r <= 9e18 && (double)(int64_t)r == r;
  return whole ? mill_int((int64_t)r) : *v;
}

uint64_t kept_key(uint64_t key, const MillValue *value)
{
  const MillValue v = plain(value);
  const MillSeed *seed = hash_seed_fixed();
  bool text = v.type == MILL_TEXT || v.type == MILL_JSON;
  uint64_t own = text ? hash_bytes(seed, v.u.text, v.len) : (uint64_t)v.u.i;
  return hash_pair(seed, key, own);
}

/* ------------------------------------------------------------------- pieces */

static Piece *add_piece(Kept *k)
{
  Piece *p = g_new0(Piece, 1);
  p->whole = k->piece_bytes;
  g_ptr_array_add(k->pieces, p);
  return p;
}

static size_t bucket_count(const Piece *p) { return ((size_t)1 << p->bits) + 1; }

/* What is written of it: memory beyond is only promised. */
static size_t piece_bytes(const Piece *p)
{
  return p->len + p->n * sizeof *p->entries + (p->starts ? bucket_count(p) * sizeof *p->starts : 0);
}

static void piece_free_memory(Piece *p)
{
  g_free(p->bytes);
  g_free(p->entries);
  g_free(p->starts);
}

static void piece_free(gpointer data)
{
  Piece *p = data;
  if (p->map)
    munmap(p->map, p->map_len);
  else
    piece_free_memory(p);
  g_free(p);
}

static uint64_t bucket_of(const Piece *p, uint64_t key)
{
  return p->bits ? key >> (64 - p->bits) : 0;
}

/* Rows of one bucket stay in their order. */
static void sort_entries(Piece *p)
{
  Entry *sorted = huge_alloc(MAX(p->n, 1) * sizeof *sorted);
  while (p->bits < 24 && (uint64_t)2 << p->bits < p->n) p->bits++;
  p->starts = g_new0(uint32_t, bucket_count(p));
  for (uint32_t i = 0; i < p->n; i++) p->starts[bucket_of(p, p->entries[i].key) + 1]++;
  for (size_t b = 1; b < bucket_count(p); b++) p->starts[b] += p->starts[b - 1];
  g_autofree uint32_t *next = g_memdup2(p->starts, bucket_count(p) * sizeof *next);
  for (uint32_t i = 0; i < p->n; i++)
    sorted[next[bucket_of(p, p->entries[i].key)]++] = p->entries[i];
  g_free(p->entries);
  p->entries = sorted;
}

/* ---------------------------------------------------------------- the file */

static bool open_file(KeptFile *f)
{
  if (f->fd < 0) f->fd = nameless_open(f->folder);
  return f->fd >= 0;
}

static bool write_all(KeptFile *f, const void *bytes, size_t len)
{
  for (const char *at = bytes; len;) {
    ssize_t n = pwrite(f->fd, at, len, (off_t)f->size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    len -= (size_t)n;
    f->size += (uint64_t)n;
  }
  return true;
}

/* The entries first: they want to be at a multiple of their size. */
static bool put_aside(Kept *k, Piece *p)
{
  KeptFile *f = k->file;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t n_entries = p->entries ? p->n * sizeof *p->entries : 0;
  size_t n_starts = p->starts ? bucket_count(p) * sizeof *p->starts : 0;
  if (!open_file(f)) return false;
  f->size = (f->size + page - 1) / page * page;
  uint64_t offset = f->size;
  if (!write_all(f, p->entries, n_entries) || !write_all(f, p->starts, n_starts) ||
      !write_all(f, p->bytes, p->len))
    return false;
  size_t len = n_entries + n_starts + p->len;
  char *map = mmap(NULL, len, PROT_READ, MAP_SHARED, f->fd, (off_t)offset);
  if (map == MAP_FAILED) return false;
  f->bytes -= piece_bytes(p);
  piece_free_memory(p);
  p->map = map;
  p->map_len = len;
  p->entries = n_entries ? (Entry *)(void *)map : NULL;
  p->starts = n_starts ? (uint32_t *)(void *)(map + n_entries) : NULL;
  p->bytes = map + n_entries + n_starts;
  return true;
}

static bool end_piece(Kept *k)
{
  Piece *p = k->pieces->pdata[k->pieces->len - 1];
  if (!p->len) return true;
  if (k->keyed) sort_entries(p);
  p->ended = true;
  k->file->bytes += piece_bytes(p);
  return k->file->bytes <= k->file->max_bytes || put_aside(k, p);
}

/* --------------------------------------------------------------------- rows */

Kept *kept_new(KeptFile *file, const bool *lasts, uint32_t n_columns, bool keyed)
{
  Kept *k = g_new0(Kept, 1);
  *k = (Kept){ .file = file, .n_columns = n_columns, .keyed = keyed };
  k->lasts = g_memdup2(lasts, n_columns * sizeof *lasts);
  k->piece_bytes = CLAMP(file->max_bytes / PIECES_IN_MEMORY, LEAST_PIECE, MOST_PIECE);
  k->pieces = g_ptr_array_new_with_free_func(piece_free);
  add_piece(k);
  return k;
}

void kept_free(Kept *k)
{
  if (!k) return;
  for (guint i = 0; i < k->pieces->len; i++) {
    const Piece *p = k->pieces->pdata[i];
    if (p->ended && !p->map) k->file->bytes -= piece_bytes(p);
  }
  g_ptr_array_unref(k->pieces);
  g_free(k->lasts);
  g_free(k);
}

static bool is_text(const MillValue *v) { return v->type == MILL_TEXT || v->type == MILL_JSON; }

/* Few rows take little; for more of them there is room for a whole piece, so that nothing is copied on and on. */
static void *grow(void *old, size_t used, size_t *io_max, size_t wanted, size_t whole)
{
  size_t max = *io_max < FEW_BYTES && wanted <= FEW_BYTES ? FEW_BYTES : MAX(whole, 2 * *io_max);
  *io_max = MAX(max, wanted);
  void *larger = huge_alloc(*io_max);
  if (used) memcpy(larger, old, used);
  g_free(old);
  return larger;
}

static char *room_for(Piece *p, size_t len)
{
  if (p->max - p->len < len) p->bytes = grow(p->bytes, p->len, &p->max, p->len + len, p->whole);
  char *at = p->bytes + p->len;
  p->len += len;
  return at;
}

/* A byte for the type, then the value: eight bytes, or the length and the place of a text that lasts, or the length and
 * the text. */
static void put_cell(Piece *p, const MillValue *v, bool lasts)
{
  size_t fixed = v->type == MILL_NONE ? 0 : is_text(v) && !lasts ? sizeof v->len : sizeof v->u;
  if (is_text(v) && lasts) fixed += sizeof v->len;
  char *to = room_for(p, 1 + fixed + (is_text(v) && !lasts ? v->len : 0));
  *to++ = (char)v->type;
  if (v->type == MILL_NONE) return;
  if (is_text(v)) {
    memcpy(to, &v->len, sizeof v->len);
    to += sizeof v->len;
  }
  if (is_text(v) && !lasts)
    memcpy(to, v->u.text, v->len);
  else
    memcpy(to, &v->u, sizeof v->u);
}

static void take(void *to, const char **io_at, size_t len)
{
  memcpy(to, *io_at, len);
  *io_at += len;
}

static void take_cell(const char **io_at, bool lasts, MillValue *out)
{
  *out = mill_none();
  out->type = (unsigned char)*(*io_at)++;
  if (out->type == MILL_NONE) return;
  if (is_text(out)) take(&out->len, io_at, sizeof out->len);
  if (!is_text(out) || lasts) {
    take(&out->u, io_at, sizeof out->u);
    return;
  }
  out->u.text = *io_at;
  *io_at += out->len;
}

static void add_entry(Piece *p, uint64_t key)
{
  size_t used = p->n * sizeof *p->entries;
  if (p->max_entries - used < sizeof *p->entries)
    p->entries = grow(p->entries, used, &p->max_entries, used + sizeof *p->entries, p->whole);
  p->entries[p->n++] = (Entry){ key, p->len };
}

bool kept_add(Kept *k, uint64_t key, const MillValue *cells)
{
  Piece *p = k->pieces->pdata[k->pieces->len - 1];
  if (p->len + p->n * sizeof(Entry) >= k->piece_bytes) {
    if (!end_piece(k)) return false;
    p = add_piece(k);
  }
  if (k->keyed) add_entry(p, key);
  if (!k->n_columns) room_for(p, 1); /* a row that nothing is asked of is one all the same */
  for (uint32_t c = 0; c < k->n_columns; c++) put_cell(p, &cells[c], k->lasts[c]);
  return true;
}

bool kept_end(Kept *k) { return end_piece(k); }

/* ------------------------------------------------------------------ cursors */

void kept_all(const Kept *k, KeptCursor *c) { *c = (KeptCursor){ .kept = k, .all = true }; }

static const Piece *piece_at(const KeptCursor *c) { return c->kept->pieces->pdata[c->piece]; }

static void enter_bucket(KeptCursor *c)
{
  const Piece *p = piece_at(c);
  uint64_t bucket = bucket_of(p, c->key);
  c->at = p->starts ? p->starts[bucket] : 0;
  c->stop = p->starts ? p->starts[bucket + 1] : 0;
}

void kept_find(const Kept *k, uint64_t key, KeptCursor *c)
{
  *c = (KeptCursor){ .kept = k, .key = key };
  enter_bucket(c);
}

static uint64_t take_row(const KeptCursor *c, uint64_t at, MillValue *cells)
{
  const Piece *p = piece_at(c);
  const char *from = p->bytes + at;
  for (uint32_t i = 0; i < c->kept->n_columns; i++) take_cell(&from, c->kept->lasts[i], &cells[i]);
  return (uint64_t)(from - p->bytes) + !c->kept->n_columns;
}

static bool next_of_all(KeptCursor *c, MillValue *cells)
{
  for (; c->piece < c->kept->pieces->len; c->piece++, c->at = 0) {
    if (c->at >= piece_at(c)->len) continue;
    c->at = take_row(c, c->at, cells);
    return true;
  }
  return false;
}

bool kept_next(KeptCursor *c, MillValue *cells)
{
  if (c->all) return next_of_all(c, cells);
  for (;;) {
    for (const Piece *p = piece_at(c); c->at < c->stop; c->at++) {
      if (p->entries[c->at].key != c->key) continue;
      take_row(c, p->entries[c->at++].at, cells);
      return true;
    }
    if (c->piece + 1 >= c->kept->pieces->len) return false;
    c->piece++;
    enter_bucket(c);
  }
}
