/* The container of a workbook; see package.h.  Sizes follow each part, so nothing is ever written twice. */
/* SPDX-License-Identifier: MIT */
#include "package.h"

#include <string.h>

#include "base/stream-gzip.h"

#define PIECE_BYTES (64u << 10)
#define OUT_BYTES (64u << 10)
#define PAD 1024

/* A gzip member is a header, the deflated bytes, then CRC-32 and size: what a ZIP has in other places. */
enum { GZIP_HEAD = 10, GZIP_TAIL = 8 };

enum { VERSION = 20, DEFLATED = 8, SIZES_FOLLOW = 1 << 3, NAMES_UTF8 = 1 << 11 };
enum { NO_TIME = 0, FIRST_DAY = 1 << 5 | 1 }; /* 1 January 1980 */

typedef struct Entry {
  char *name;
  uint32_t offset, crc, packed, size;
} Entry;

struct Package {
  const MillSinkHost *host;
  char *file;
  GString *text; /* of the part, not packed so far */
  GString *out;  /* packed, not written so far */
  GzipOut *gzip;
  GArray *entries; /* Entry; the last one is open while in_part */
  uint64_t written, part_size, part_packed;
  bool in_part, in_body; /* behind the head of the member */
};

static void entry_clear(gpointer entry) { g_free(((Entry *)entry)->name); }

Package *package_new(const MillSinkHost *host, const char *file)
{
  Package *p = g_new0(Package, 1);
  p->host = host;
  p->file = g_strdup(file);
  p->text = g_string_new(NULL);
  p->out = g_string_new(NULL);
  p->gzip = gzip_out_new();
  p->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  g_array_set_clear_func(p->entries, entry_clear);
  return p;
}

void package_free(Package *p)
{
  if (!p) return;
  g_array_unref(p->entries);
  gzip_out_free(p->gzip);
  g_string_free(p->out, TRUE);
  g_string_free(p->text, TRUE);
  g_free(p->file);
  g_free(p);
}

GString *package_text(Package *p) { return p->text; }

/* ------------------------------------------------------------------- bytes */

static void put16(GString *out, uint32_t v)
{
  g_string_append_c(out, (char)(v & 0xff));
  g_string_append_c(out, (char)(v >> 8 & 0xff));
}

static void put32(GString *out, uint32_t v)
{
  put16(out, v & 0xffff);
  put16(out, v >> 16);
}

static uint32_t get32(const char *bytes)
{
  const uint8_t *b = (const uint8_t *)bytes;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int too_large(const Package *p)
{
  return xlsx_too_large(p->host->common, "it would be larger than 4 GiB");
}

/* All but the last bytes, which are not known to be no tail. */
static int write_out(Package *p, size_t keep)
{
  size_t len = p->out->len > keep ? p->out->len - keep : 0;
  int status = len ? p->host->output(p->host, p->file, NULL, p->out->str, len) : 0;
  g_string_erase(p->out, 0, (gssize)len);
  p->written += len;
  if (!status && p->written + p->out->len > UINT32_MAX) return too_large(p);
  return status;
}

/* Compressors look a little ahead, and must find the same there in every run. */
static void pad(GString *text)
{
  size_t len = text->len;
  g_string_set_size(text, len + PAD);
  memset(text->str + len, 0, PAD);
  g_string_truncate(text, len);
}

static bool step(Package *p, GzipSpan *span, bool last, bool *out_done)
{
  size_t before = p->out->len;
  g_string_set_size(p->out, before + OUT_BYTES);
  span->out = (uint8_t *)p->out->str + before;
  span->out_len = OUT_BYTES;
  bool good = gzip_out_step(p->gzip, span, last, out_done);
  size_t packed = OUT_BYTES - span->out_len;
  g_string_truncate(p->out, before + packed);
  p->part_packed += packed;
  return good;
}

/* A part begins with nothing in `out`. */
static void drop_head(Package *p)
{
  if (p->in_body || p->out->len < GZIP_HEAD) return;
  g_string_erase(p->out, 0, GZIP_HEAD);
  p->in_body = true;
}

/* Packs the text of the part. */
static int pack(Package *p, bool last)
{
  bool done = false;
  p->part_size += p->text->len;
  if (p->part_size > UINT32_MAX) return too_large(p);
  pad(p->text);
  GzipSpan span = { (uint8_t *)p->text->str, p->text->len, NULL, 0 };
  while (!done)
    if (!step(p, &span, last, &done))
      return mill_fail(p->host->common, MILL_OUTPUT_FAILED, "results.xlsx could not be compressed",
                       NULL);
  drop_head(p);
  g_string_truncate(p->text, 0);
  return p->out->len < PIECE_BYTES ? 0 : write_out(p, GZIP_TAIL);
}

int package_flush(Package *p) { return p->text->len < PIECE_BYTES ? 0 : pack(p, false); }

/* ------------------------------------------------------------------- parts */

static void put_versions(GString *out)
{
  put16(out, VERSION);
  put16(out, SIZES_FOLLOW | NAMES_UTF8);
  put16(out, DEFLATED);
  put16(out, NO_TIME);
  put16(out, FIRST_DAY);
}

static void put_sizes(GString *out, const Entry *e)
{
  put32(out, e->crc);
  put32(out, e->packed);
  put32(out, e->size);
}

static int end_part(Package *p)
{
  if (!p->in_part) return 0;
  Entry *e = &g_array_index(p->entries, Entry, p->entries->len - 1);
  p->in_part = false;
  int status = pack(p, true);
  if (status) return status;
  e->crc = get32(p->out->str + p->out->len - GZIP_TAIL);
  e->packed = (uint32_t)(p->part_packed - GZIP_HEAD - GZIP_TAIL);
  e->size = (uint32_t)p->part_size;
  g_string_truncate(p->out, p->out->len - GZIP_TAIL);
  g_string_append_len(p->out, "PK\x07\x08", 4);
  put_sizes(p->out, e);
  return write_out(p, 0);
}

int package_begin(Package *p, const char *name)
{
  int status = end_part(p);
  if (status) return status;
  Entry e = { .name = g_strdup(name), .offset = (uint32_t)p->written };
  g_array_append_val(p->entries, e);
  g_string_append_len(p->out, "PK\x03\x04", 4);
  put_versions(p->out);
  put_sizes(p->out, &e);
  put16(p->out, (uint32_t)strlen(name));
  put16(p->out, 0);
  g_string_append(p->out, name);
  p->part_size = p->part_packed = 0;
  p->in_part = true;
  p->in_body = false;
  gzip_out_start(p->gzip);
  return write_out(p, 0);
}

static void put_entry(GString *out, const Entry *e)
{
  g_string_append_len(out, "PK\x01\x02", 4);
  put16(out, VERSION);
  put_versions(out);
  put_sizes(out, e);
  put16(out, (uint32_t)strlen(e->name));
  put16(out, 0); /* no more fields, no comment, first disk, a binary file */
  put16(out, 0);
  put16(out, 0);
  put16(out, 0);
  put32(out, 0);
  put32(out, e->offset);
  g_string_append(out, e->name);
}

int package_end(Package *p)
{
  int status = end_part(p);
  uint64_t start = p->written;
  guint n = p->entries->len;
  if (status) return status;
  if (n > UINT16_MAX) return too_large(p);
  for (guint i = 0; i < n; i++) put_entry(p->out, &g_array_index(p->entries, Entry, i));
  uint32_t size = (uint32_t)p->out->len;
  g_string_append_len(p->out, "PK\x05\x06", 4);
  put32(p->out, 0);
  put16(p->out, n);
  put16(p->out, n);
  put32(p->out, size);
  put32(p->out, (uint32_t)start);
  put16(p->out, 0);
  return write_out(p, 0);
}
