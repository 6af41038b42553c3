/* A source of kernel summaries over files in memory: its records, notices and failure as text. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_KERNEL_ROWS_H
#define TESTS_UNIT_KERNEL_ROWS_H

#include "fake-files.h"

typedef struct KernelRows {
  FakeFiles files; /* first */
  GString *own;
} KernelRows;

static uint32_t kernel_rows_own(const MillSourceHost *host, MillBatch *b, const char *text,
                                size_t len)
{
  GString *own = ((KernelRows *)(gpointer)host->common)->own;
  uint32_t off = (uint32_t)own->len;
  g_string_append_len(own, text, (gssize)len);
  b->own_ = own->str;
  return off;
}

static int kernel_rows_fail(const MillHost *host, const MillFailure *f)
{
  FakeFiles *files = fake_files_of(host);
  g_string_append_printf(files->produced, "fail %u: %s | %s | %s\n", f->number, f->what,
                         f->where ? f->where : "", f->why ? f->why : "");
  return -(int)f->status;
}

/* As the stage that compares such tables reads them. */
static void kernel_rows_init(KernelRows *r, const char *path, const FakeFile *file)
{
  static const MillRead all[] = { { "*", MILL_AS_ANY, 0 },
                                  { "total_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) } };
  fake_files_init(&r->files, path, file, 1);
  r->own = g_string_new(NULL);
  r->files.reads = all;
  r->files.n_reads = MILL_COUNT(all);
  r->files.source.own_text = kernel_rows_own;
  r->files.fake.common.fail = kernel_rows_fail;
}

static void kernel_rows_clear(KernelRows *r)
{
  fake_files_clear(&r->files);
  g_string_free(r->own, TRUE);
}

/* Reads: notices, rows without "kernel.row 0 ", failure, status; g_free. */
static inline char *kernel_rows_produced(KernelRows *r, const MillRead *reads, uint32_t n_reads)
{
  GString *got = r->files.produced;
  if (reads) r->files.reads = reads;
  if (reads) r->files.n_reads = n_reads;
  int status = fake_files_run(&r->files, false);
  if (status < 0 && strstr(got->str, "fail")) /* how many came depends on the batches */
    g_string_erase(got, 0, strstr(got->str, "fail") - got->str);
  g_string_replace(got, "kernel.row 0 ", "", 0);
  if (status) g_string_append_printf(got, "status %d\n", status);
  return g_strconcat(r->files.noted->str, got->str, NULL);
}

#endif
