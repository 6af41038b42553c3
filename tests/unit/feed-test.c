/* Blocks of input: every byte once, what was left over in front of it, events of any length. */
/* SPDX-License-Identifier: MIT */
#include "base/stream.h"
#include "check.h"
#include "input/feed.h"
#include "scratch.h"

static char *make_text(size_t len)
{
  char *text = g_malloc(len);
  for (size_t i = 0; i < len; i++) text[i] = (char)('a' + (i ^ i >> 8 ^ i >> 16) % 26);
  return text;
}

static char *write_file(const char *folder, const char *name, StreamCodec codec, const char *text,
                        size_t len)
{
  char *path = g_build_filename(folder, name, NULL), *why = NULL;
  Writer *w = writer_open(path, codec, &why);
  CHECK(w && writer_write(w, text, len) == 0 && writer_close(w) == 0);
  return path;
}

/* Takes `step` bytes of each view, so that the rest is carried over. */
static unsigned read_all(const char *path, const char *text, size_t len, size_t step, bool ahead)
{
  char *why = NULL;
  BlockPool *pool = block_pool_new(FEED_CARRY_MAX + FEED_BLOCK);
  Reader *reader = reader_open(path, &why);
  Feed *f = feed_new(reader, NULL, pool, ahead, false, FEED_MAX_EVENT);
  FeedView v = { 0 };
  size_t at = 0, left = 0;
  unsigned views = 0;
  do {
    if (!CHECK(feed_next(f, left, "input", &v) == NULL)) break;
    views++;
    CHECK_INT(v.offset, at);
    if (!CHECK(v.len <= len - at && !memcmp(v.bytes, text + at, v.len))) break;
    CHECK((unsigned char)v.bytes[v.len] == 0xff);
    size_t take = v.at_end ? v.len : step < v.len ? step : step ? v.len : 0;
    at += take;
    left = v.len - take;
  } while (!v.at_end);
  CHECK_INT(at, len);
  CHECK_INT(feed_bytes(f), len);
  feed_free(f);
  reader_close(reader);
  block_pool_free(pool);
  return views;
}

static void test_lengths(void)
{
  static const size_t lens[] = { 1,          1000,           FEED_BLOCK - 1,
                                 FEED_BLOCK, FEED_BLOCK + 1, 5 * FEED_BLOCK + 17 };
  static const size_t steps[] = { 1 << 30, FEED_BLOCK - 100, FEED_BLOCK / 2 };
  g_autofree char *text = make_text(lens[5]);
  char *folder = scratch_folder();
  for (size_t i = 0; i < G_N_ELEMENTS(lens); i++) {
    g_autofree char *plain = write_file(folder, "plain", STREAM_PLAIN, text, lens[i]);
    g_autofree char *packed = write_file(folder, "packed.gz", STREAM_GZIP, text, lens[i]);
    for (size_t k = 0; k < G_N_ELEMENTS(steps); k++) {
      read_all(plain, text, lens[i], steps[k], false);
      read_all(packed, text, lens[i], steps[k], false);
      read_all(packed, text, lens[i], steps[k], true);
    }
  }
  scratch_remove(folder);
}

/* One event of 20 MiB: looked at a few times, not once a block. */
static void test_long_event(void)
{
  size_t len = 20u << 20;
  g_autofree char *text = make_text(len);
  char *folder = scratch_folder();
  g_autofree char *path = write_file(folder, "plain", STREAM_PLAIN, text, len);
  CHECK(read_all(path, text, len, 0, false) <= 10);
  scratch_remove(folder);
}

static void test_too_long(void)
{
  size_t len = 66u << 20;
  g_autofree char *text = g_strnfill(len, 'x');
  char *folder = scratch_folder(), *why = NULL;
  g_autofree char *path = write_file(folder, "plain", STREAM_PLAIN, text, len);
  BlockPool *pool = block_pool_new(FEED_CARRY_MAX + FEED_BLOCK);
  Reader *reader = reader_open(path, &why);
  Feed *f = feed_new(reader, NULL, pool, false, false, FEED_MAX_EVENT);
  FeedView v = { 0 };
  g_autoptr(Error) e = NULL;
  for (int i = 0; i < 100 && !e; i++) e = feed_next(f, v.len, "input", &v);
  if (CHECK(e != NULL)) CHECK_INT(e->status, EXIT_LIMIT);
  feed_free(f);
  reader_close(reader);
  block_pool_free(pool);
  scratch_remove(folder);
}

static void test_seek_and_truncated(void)
{
  g_autofree char *text = make_text(100000);
  char *folder = scratch_folder(), *why = NULL;
  g_autofree char *plain = write_file(folder, "plain", STREAM_PLAIN, text, 100000);
  g_autofree char *packed = write_file(folder, "packed.gz", STREAM_GZIP, text, 100000);
  BlockPool *pool = block_pool_new(FEED_CARRY_MAX + FEED_BLOCK);
  Reader *reader = reader_open(plain, &why);
  Feed *f = feed_new(reader, NULL, pool, false, false, FEED_MAX_EVENT);
  FeedView v;
  feed_seek(f, 70000);
  CHECK(feed_next(f, 0, "input", &v) == NULL);
  CHECK(v.offset == 70000 && v.len == 30000 && !memcmp(v.bytes, text + 70000, 30000));
  feed_free(f);
  reader_close(reader);
  struct stat st;
  CHECK(stat(packed, &st) == 0 && truncate(packed, st.st_size / 2) == 0);
  for (int recover = 0; recover < 2; recover++) {
    reader = reader_open(packed, &why);
    f = feed_new(reader, NULL, pool, false, recover, FEED_MAX_EVENT);
    g_autoptr(Error) e = NULL;
    size_t got = 0;
    for (int i = 0; i < 9 && !e; i++, got += e ? 0 : v.len) {
      e = feed_next(f, 0, "input", &v);
      if (!e && v.at_end) break;
    }
    CHECK_INT(e == NULL, recover);
    CHECK(got > 0 && got < 100000);
    feed_free(f);
    reader_close(reader);
  }
  block_pool_free(pool);
  scratch_remove(folder);
}

TEST_MAIN({ "lengths around those of blocks", test_lengths }, { "a long event", test_long_event },
          { "an event beyond the limit", test_too_long },
          { "going on elsewhere, and a broken stream", test_seek_and_truncated })
