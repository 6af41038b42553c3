/* Fuzz target: any bytes as the file of another process in the folder of --state. */
/* SPDX-License-Identifier: MIT */
#include <glib/gstdio.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "model/codes.h"
#include "promise.h"
#include "sched/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/stagemill-fuzz-XXXXXX";
static char path[sizeof folder + 16], job_path[sizeof folder + 16];

static void remove_folder(void)
{
  g_unlink(path);
  g_unlink(job_path);
  g_rmdir(folder);
}

static void make_folder(void)
{
  static bool made = false;
  if (made) return;
  made = true;
  PROMISE(g_mkdtemp(folder) && atexit(remove_folder) == 0);
  g_snprintf(path, sizeof path, "%s/x.mill", folder);
  g_snprintf(job_path, sizeof job_path, "%s/job.mill", folder);
}

static char *difference(Summary *theirs, Summary *ours)
{
  (void)theirs;
  (void)ours;
  return NULL;
}

static Error *differ(const void *context, const RecordKey *key, Summary *one, Summary *other)
{
  (void)context;
  PROMISE(key->kind >= RECORD_OBSERVED && key->kind <= RECORD_FAILURE && one && other);
  return error_new(EXIT_STAGE, "RUN-53", "two of one");
}

static void check(Error *e)
{
  if (!e) return;
  PROMISE(codes_find(e->code) && (e->status == EXIT_INPUT || e->status == EXIT_STAGE));
  error_free(e);
}

static void get_each(Records *r)
{
  for (uint32_t kind = RECORD_OBSERVED; kind <= RECORD_FAILURE; kind++)
    for (uint32_t input = 0; input < 3; input++) {
      const RecordKey key = { (RecordKind)kind, 0, input, 0 };
      Record found_record;
      Summary bytes = { 0 };
      bool found;
      check(records_get(r, &key, &found, &found_record, &bytes));
      while (summary_more(&bytes)) summary_get_int(&bytes);
      summary_clear(&bytes);
    }
}

/* The first byte says whether a head that fits comes before the others, so that records are reached. */
static void write_file(const uint8_t *data, size_t size)
{
  g_autofree char *job = NULL;
  gsize job_len;
  RecordFileHead head;
  PROMISE(g_file_get_contents(job_path, &job, &job_len, NULL));
  g_autoptr(GString) text = g_string_new_len(job, (gssize)job_len);
  g_autoptr(GString) all = g_string_new(NULL);
  record_file_head(&head, text);
  if (size && data[0] & 1) g_string_append_len(all, (const char *)&head, sizeof head);
  if (size) g_string_append_len(all, (const char *)data + 1, (gssize)size - 1);
  PROMISE(g_file_set_contents(path, all->str, (gssize)all->len, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Summary job = { 0 };
  Records *r;
  make_folder();
  summary_put_string(&job, "job");
  const RecordsJob of = { &job, difference, differ, NULL, 3, 2 };
  Error *e = records_open(folder, &of, true, &r);
  PROMISE(!e);
  write_file(data, size);
  e = records_look(r);
  if (!e) get_each(r);
  check(e);
  records_free(r);
  summary_clear(&job);
  return 0;
}
