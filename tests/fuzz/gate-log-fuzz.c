/* Fuzz target: a gate log gives the same however its bytes and records are cut, and what the
 * source calls damaged is what the reader of JSON refuses. */
/* SPDX-License-Identifier: MIT */
#include "../unit/fake-files.h"
#include "base/json.h"
#include "cut.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Run {
  char *produced; /* records, if it went well */
  char *noted;
  int status;
} Run;

static Run read_log(const FakeFile *file, bool recover, size_t max_read, uint32_t max_events)
{
  FakeFiles f;
  fake_files_init(&f, file->path, file, 1);
  f.is_recover = recover;
  f.max_read = max_read;
  f.max_events = max_events;
  int status = fake_files_run(&f, false);
  bool failed = strstr(f.produced->str, "fail ") != NULL;
  PROMISE((status < 0) == failed && status >= -MILL_LIMIT);
  Run run = { g_strdup(status < 0 ? strstr(f.produced->str, "fail ") : f.produced->str),
              g_strdup(f.noted->str), status };
  fake_files_clear(&f);
  return run;
}

static void run_clear(Run *run)
{
  g_free(run->produced);
  g_free(run->noted);
}

static bool holds(const char *text, const char *word) { return strstr(text, word) != NULL; }

/* The source reads NaN and Infinity in members that it does not know, and a byte order mark. */
static bool may_differ(const char *text, size_t len)
{
  return memchr(text, 'N', len) || memchr(text, 'I', len) || memchr(text, 0xef, len);
}

static void check_damage(const Run *run, const char *text, size_t len)
{
  bool valid = json_check(text, len, NULL, NULL);
  bool damaged = holds(run->noted, "note 8");
  bool own_limit = holds(run->noted, "too deeply") || holds(run->noted, "1,024");
  if (valid && !own_limit) PROMISE(!damaged);
  if (!valid && !may_differ(text, len)) PROMISE(damaged || holds(run->produced, "fail 1"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > 1u << 20) return 0;
  const char *text = (const char *)data + 1;
  const FakeFile file = { "d/gate_logs_3.json", text, size - 1 };
  const MillSource *source = source_under_test();
  int sure = source->ops->probe(source, text, size - 1, file.path);
  PROMISE(sure >= 0 && sure <= 100);
  bool recover = data[0] & 1;
  Run whole = read_log(&file, recover, 0, 1024);
  Run cut = read_log(&file, recover, fuzz_piece(fuzz_hash(data, size), size), 1 + data[0] % 5);
  PROMISE(whole.status == cut.status && !strcmp(whole.produced, cut.produced));
  PROMISE(!strcmp(whole.noted, cut.noted));
  if (!recover) check_damage(&whole, text, size - 1);
  run_clear(&whole);
  run_clear(&cut);
  return 0;
}
