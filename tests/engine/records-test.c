/* The folder of --state: records go in and come back, also from another process; what is cut off does not count. */
/* SPDX-License-Identifier: MIT */
#include "sched/records.h"

#include <fcntl.h>
#include <unistd.h>

#include "unit/check.h"
#include "unit/scratch.h"

enum { N_LANES = 5000, N_STAGES = 2 }; /* of the run */

static char *difference(Summary *theirs, Summary *ours)
{
  return g_strdup_printf("%zu -> %zu", theirs->len, ours->len);
}

static Error *differ(const void *context, const RecordKey *key, Summary *one, Summary *other)
{
  (void)context;
  return error_new(EXIT_STAGE, "RUN-53", "input %u: %zu and %zu", key->input, one->len, other->len);
}

static Records *begin(const char *folder, const char *job_text)
{
  Summary job = { 0 };
  Records *r;
  summary_put_string(&job, job_text);
  const RecordsJob of = { &job, difference, differ, NULL, N_LANES, N_STAGES };
  Error *e = records_open(folder, &of, true, &r);
  CHECK(e == NULL);
  error_free(e);
  summary_clear(&job);
  return r;
}

static Record lane(uint32_t input)
{
  return (Record){ .key = { RECORD_LANE, 0, input, 0 },
                   .flags = RECORD_FOLLOWED,
                   .n_events = (1ull << 40) + input };
}

static Error *put(Records *r, uint32_t input, const char *text)
{
  const Record record = lane(input);
  Summary bytes;
  summary_set_bytes(&bytes, text, strlen(text), NULL);
  Error *e = records_put(r, &record, &bytes);
  summary_clear(&bytes);
  return e;
}

/* The text of the record, or NULL. */
static char *get(Records *r, uint32_t input)
{
  Record record;
  Summary bytes = { 0 };
  bool found;
  const RecordKey key = lane(input).key;
  Error *e = records_get(r, &key, &found, &record, &bytes);
  if (CHECK(e == NULL) && found) {
    CHECK_INT(record.n_events, (1ull << 40) + input);
    CHECK_INT(record.flags, RECORD_FOLLOWED);
  }
  error_free(e);
  char *text = found ? g_strndup((const char *)bytes.bytes, bytes.len) : NULL;
  summary_clear(&bytes);
  return text;
}

static void test_there_and_back(void)
{
  char *folder = scratch_folder();
  Records *one = begin(folder, "job"), *other = begin(folder, "job");
  CHECK(put(one, 7, "seven") == NULL && put(other, 3, "three") == NULL);
  CHECK(get(one, 7) == NULL); /* nobody has looked */
  CHECK(records_look(one) == NULL);
  g_autofree char *seven = get(one, 7), *three = get(one, 3), *none = get(one, 4);
  CHECK_STR(seven, "seven");
  CHECK_STR(three, "three");
  CHECK(none == NULL);
  const RecordKey stage = { RECORD_OBSERVED, 0, 7, 0 };
  CHECK(!records_has(one, &stage));
  records_free(one);
  records_free(other);
  scratch_remove(folder);
}

static void test_two_of_one(void)
{
  char *folder = scratch_folder();
  Records *one = begin(folder, "job"), *other = begin(folder, "job"), *third = begin(folder, "job");
  CHECK(put(one, 1, "same") == NULL && put(other, 1, "same") == NULL);
  CHECK(records_look(one) == NULL);
  CHECK(put(one, 1, "same") == NULL);
  g_autoptr(Error) now = put(one, 1, "another");
  if (CHECK(now != NULL)) CHECK_STR(now->what, "input 1: 4 and 7");
  CHECK(put(third, 1, "more than that") == NULL);
  g_autoptr(Error) later = records_look(other);
  if (CHECK(later != NULL)) CHECK_STR(later->code, "RUN-53");
  records_free(one);
  records_free(other);
  records_free(third);
  scratch_remove(folder);
}

static void test_another_job(void)
{
  char *folder = scratch_folder();
  Records *one = begin(folder, "job"), *other = NULL;
  Summary job = { 0 };
  summary_put_string(&job, "another");
  const RecordsJob of = { &job, difference, differ, NULL, N_LANES, N_STAGES };
  g_autoptr(Error) e = records_open(folder, &of, true, &other);
  if (CHECK(e != NULL)) CHECK_STR(e->code, "RUN-50");
  CHECK(e && strstr(e->what, "8 -> 12"));
  summary_clear(&job);
  records_free(one);
  records_free(other);
  scratch_remove(folder);
}

/* The file of the process, which is the only one beside job.mill. */
static char *own_file(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));)
    if (g_str_has_suffix(name, ".mill") && strcmp(name, "job.mill") != 0)
      return g_build_filename(folder, name, NULL);
  return NULL;
}

static void test_cut(void)
{
  char *folder = scratch_folder();
  Records *one = begin(folder, "job");
  CHECK(put(one, 1, "first") == NULL && put(one, 2, "second") == NULL);
  records_free(one);
  g_autofree char *path = own_file(folder);
  const off_t whole = 80 + 32 + 5 + 32 + 6;
  for (off_t len = whole; len >= 0; len--) {
    CHECK_INT(truncate(path, len), 0);
    Records *r = begin(folder, "job");
    CHECK(records_look(r) == NULL);
    g_autofree char *first = get(r, 1), *second = get(r, 2);
    CHECK_INT(first != NULL, len >= 80 + 32 + 5);
    CHECK_INT(second != NULL, len >= whole);
    records_free(r);
  }
  scratch_remove(folder);
}

/* What is of no lane or stage of the run is damage, though every checksum fits. */
static void test_of_another_run(void)
{
  static const RecordKey keys[] = { { RECORD_LANE, 0, N_LANES, 0 },
                                    { RECORD_OBSERVED, N_STAGES, 0, 0 },
                                    { RECORD_DECISION, 0, 0, 1 },
                                    { RECORD_LANE, 0, 0, UINT32_MAX } };
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    char *folder = scratch_folder();
    Records *one = begin(folder, "job"), *other = begin(folder, "job");
    const Record record = { .key = keys[i] };
    const Summary none = { 0 };
    CHECK(records_put(one, &record, &none) == NULL);
    g_autoptr(Error) e = records_look(other);
    if (CHECK(e != NULL)) CHECK_STR(e->code, "RUN-51");
    CHECK(!records_has(other, &keys[i]));
    records_free(one);
    records_free(other);
    scratch_remove(folder);
  }
}

/* The texts of lanes 0 to n - 1 are as they were put, or there is an error that names the file. */
static void check_damaged(const char *folder, uint32_t n)
{
  Summary job = { 0 };
  Records *r = NULL;
  summary_put_string(&job, "job");
  const RecordsJob of = { &job, difference, differ, NULL, N_LANES, N_STAGES };
  Error *e = records_open(folder, &of, true, &r);
  if (!e) e = records_look(r);
  for (uint32_t i = 0; i < n && !e; i++) {
    Record record;
    Summary bytes = { 0 };
    bool found;
    const RecordKey key = lane(i).key;
    e = records_get(r, &key, &found, &record, &bytes);
    if (!e && CHECK(found)) CHECK(bytes.len == 4 && !memcmp(bytes.bytes, "same", 4));
    summary_clear(&bytes);
  }
  if (e) CHECK_STR(e->code, "RUN-51");
  CHECK(!e || strstr(e->what, ".mill"));
  error_free(e);
  records_free(r);
  summary_clear(&job);
}

/* Every bit of the first bytes, and every 97th of the rest. */
static void flip_bits(const char *folder, const char *path, size_t n_first, uint32_t n_lanes)
{
  g_autofree char *bytes = NULL;
  gsize len;
  CHECK(g_file_get_contents(path, &bytes, &len, NULL));
  for (size_t bit = 0; bit < 8 * len; bit += bit < 8 * n_first ? 1 : 97) {
    bytes[bit / 8] ^= (char)(1 << bit % 8);
    CHECK(g_file_set_contents_full(path, bytes, (gssize)len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    check_damaged(folder, n_lanes);
    bytes[bit / 8] ^= (char)(1 << bit % 8);
  }
  CHECK(g_file_set_contents_full(path, bytes, (gssize)len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static void test_flipped(void)
{
  enum { N = 100 };
  char *folder = scratch_folder();
  Records *one = begin(folder, "job");
  for (uint32_t i = 0; i < N; i++) CHECK(put(one, i, "same") == NULL);
  records_free(one);
  g_autofree char *own = own_file(folder), *job = g_build_filename(folder, "job.mill", NULL);
  flip_bits(folder, own, 80 + 32 + 4, N);
  flip_bits(folder, job, 12, N);
  scratch_remove(folder);
}

/* Many lanes: an index that grows, in any order of putting. */
static void test_many(void)
{
  char *folder = scratch_folder();
  Records *r = begin(folder, "job");
  for (uint32_t i = 0; i < 5000; i++) {
    g_autofree char *text = g_strdup_printf("%u", i * 7919u % 5000u);
    CHECK(put(r, i * 7919u % 5000u, text) == NULL);
  }
  CHECK(records_look(r) == NULL);
  for (uint32_t i = 0; i < 5000; i += 37) {
    g_autofree char *got = get(r, i), *wanted = g_strdup_printf("%u", i);
    CHECK_STR(got, wanted);
  }
  records_free(r);
  scratch_remove(folder);
}

TEST_MAIN({ "there and back", test_there_and_back }, { "two of one", test_two_of_one },
          { "another job", test_another_job }, { "cut", test_cut }, { "many", test_many },
          { "of another run", test_of_another_run }, { "flipped", test_flipped })
