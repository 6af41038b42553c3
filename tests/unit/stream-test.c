/* Tests of base/stream: what goes out comes back, and every broken input says what is wrong. */
/* SPDX-License-Identifier: MIT */
#include "base/worker.h"
#include "base/stream.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char *scratch;

static char *scratch_path(const char *name) { return g_build_filename(scratch, name, NULL); }

/* Text that compresses about as traces do, the same on every run. */
static GByteArray *make_text(size_t len)
{
  GByteArray *a = g_byte_array_sized_new((guint)len + 64);
  uint32_t seed = 12345;
  while (a->len < len) {
    seed = seed * 1664525u + 1013904223u;
    g_autofree char *line =
        g_strdup_printf("{\"ph\":\"X\",\"ts\":%u,\"name\":\"op%u\"},\n", seed >> 8, seed >> 28);
    g_byte_array_append(a, (const guint8 *)line, (guint)strlen(line));
  }
  g_byte_array_set_size(a, (guint)len);
  return a;
}

static GByteArray *gzip_member(const void *bytes, size_t len, bool full_header)
{
  gz_header header = { .name = (Bytef *)"a name", .comment = (Bytef *)"a comment", .hcrc = 1 };
  z_stream s = { 0 };
  GByteArray *a = g_byte_array_new();
  header.extra = (Bytef *)"extra bytes";
  header.extra_len = 11;
  deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  if (full_header) deflateSetHeader(&s, &header);
  g_byte_array_set_size(a, (guint)len + 1000);
  s.next_in = (Bytef *)bytes;
  s.avail_in = (uInt)len;
  s.next_out = a->data;
  s.avail_out = a->len;
  CHECK_INT(deflate(&s, Z_FINISH), Z_STREAM_END);
  g_byte_array_set_size(a, (guint)s.total_out);
  deflateEnd(&s);
  return a;
}

static GByteArray *zstd_frame(const void *bytes, size_t len)
{
  GByteArray *a = g_byte_array_new();
  ZSTD_CCtx *c = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
  g_byte_array_set_size(a, (guint)ZSTD_compressBound(len));
  size_t n = ZSTD_compress2(c, a->data, a->len, bytes, len);
  CHECK(!ZSTD_isError(n));
  g_byte_array_set_size(a, (guint)n);
  ZSTD_freeCCtx(c);
  return a;
}

static void save(const char *path, const void *bytes, size_t len)
{
  CHECK(g_file_set_contents(path, bytes, (gssize)len, NULL));
}

static GByteArray *load(const char *path)
{
  char *bytes = NULL;
  gsize len = 0;
  CHECK(g_file_get_contents(path, &bytes, &len, NULL));
  return g_byte_array_new_take((guint8 *)bytes, len);
}

static bool same(const GByteArray *a, const void *bytes, size_t len)
{
  return a->len == len && (len == 0 || !memcmp(a->data, bytes, len));
}

/* All that the reader gives, in reads of `step`; *out_why a copy of what went wrong, or NULL. */
static GByteArray *read_all(Reader *r, size_t step, char **out_why)
{
  GByteArray *a = g_byte_array_new();
  g_autofree char *buffer = g_malloc(step);
  int64_t n;
  while ((n = reader_read(r, buffer, step)) > 0) g_byte_array_append(a, (guint8 *)buffer, (guint)n);
  CHECK_INT(n, reader_why(r) ? -1 : 0);
  *out_why = g_strdup(reader_why(r));
  return a;
}

static GByteArray *read_path(const char *path, size_t step, char **out_why, bool *out_truncated)
{
  char *why = NULL;
  Reader *r = reader_open(path, &why);
  if (!CHECK(r != NULL)) {
    *out_why = why;
    return g_byte_array_new();
  }
  GByteArray *a = read_all(r, step, out_why);
  *out_truncated = reader_truncated(r);
  reader_close(r);
  return a;
}

static GByteArray *read_bytes(const void *bytes, size_t len, size_t step, char **out_why,
                              bool *out_truncated)
{
  g_autofree char *path = scratch_path("input");
  save(path, bytes, len);
  return read_path(path, step, out_why, out_truncated);
}

static void see(void *data, const void *bytes, size_t len)
{
  g_byte_array_append(data, bytes, (guint)len);
}

static void write_in_steps(const char *path, StreamCodec codec, const GByteArray *text, size_t step)
{
  char *why = NULL;
  Writer *w = writer_open(path, codec, &why);
  g_autoptr(GByteArray) seen = g_byte_array_new();
  if (!CHECK(w != NULL)) return;
  writer_watch(w, see, seen);
  for (size_t i = 0; i < text->len; i += step)
    CHECK_INT(writer_write(w, text->data + i, MIN(step, text->len - i)), 0);
  CHECK_INT(writer_finish(w), 0);
  CHECK(writer_why(w) == NULL);
  CHECK_INT(writer_close(w), 0);
  if (!strcmp(path, "-")) return;
  g_autoptr(GByteArray) file = load(path);
  CHECK(same(seen, file->data, file->len));
}

static const char *const names[] = { "t.json", "t.json.gz", "t.json.zst" };
static const StreamCodec codecs[] = { STREAM_PLAIN, STREAM_GZIP, STREAM_ZSTD };

static void round_trip(const char *path, StreamCodec codec, size_t len)
{
  static const size_t steps[] = { 777, 65536, 1 << 20, 5 << 20 };
  g_autoptr(GByteArray) text = make_text(len), first = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    g_autofree char *why = NULL;
    bool truncated = false;
    worker_allow(i % 2);
    write_in_steps(path, STREAM_AUTO, text, steps[i]);
    GByteArray *file = load(path);
    if (first) CHECK(same(first, file->data, file->len));
    if (first)
      g_byte_array_unref(file);
    else
      first = file;
    g_autoptr(GByteArray) back = read_path(path, steps[i], &why, &truncated);
    CHECK_STR(why, NULL);
    if (!CHECK(same(back, text->data, text->len))) CHECK_ROW(path);
  }
  char *why = NULL;
  Reader *r = reader_open(path, &why);
  CHECK_INT(reader_codec(r), len == 0 && codec == STREAM_PLAIN ? STREAM_PLAIN : codec);
  CHECK_INT(reader_size(r), first->len);
  reader_close(r);
}

static void test_round_trip(void)
{
  static const size_t lengths[] = { 0, 1, 65537, 1 << 20, (1 << 20) + 1, 3500000 };
  for (size_t c = 0; c < G_N_ELEMENTS(names); c++)
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
      g_autofree char *path = scratch_path(names[c]);
      round_trip(path, codecs[c], lengths[i]);
    }
}

static void test_no_time_in_header(void)
{
  g_autofree char *path = scratch_path("t.gz");
  g_autoptr(GByteArray) text = make_text(1000);
  write_in_steps(path, STREAM_AUTO, text, 1000);
  g_autoptr(GByteArray) file = load(path);
  static const guint8 wanted[] = { 0x1F, 0x8B, 8, 0, 0, 0, 0, 0 };
  CHECK(file->len > sizeof wanted && !memcmp(file->data, wanted, sizeof wanted));
}

static void check_input(const char *row, const GByteArray *input, const char *wanted,
                        const char *wanted_why)
{
  static const size_t steps[] = { 1, 7, 4096 };
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    g_autofree char *why = NULL;
    bool truncated = false;
    g_autoptr(GByteArray) got = read_bytes(input->data, input->len, steps[i], &why, &truncated);
    if (!CHECK(same(got, wanted, strlen(wanted)))) CHECK_ROW(row);
    if (!CHECK(wanted_why ? why && strstr(why, wanted_why) : !why)) CHECK_ROW(row);
    if (!CHECK(!truncated)) CHECK_ROW(row);
  }
}

/* What follows the first member "one" in a file. */
typedef struct Tail {
  const char *row, *extra;
  size_t extra_len;
  bool second; /* a member "two" before the extra bytes */
  const char *wanted, *why;
} Tail;

static GByteArray *build(const Tail *t, GByteArray *one, GByteArray *two)
{
  GByteArray *a = g_byte_array_new();
  g_byte_array_append(a, one->data, one->len);
  if (t->second) g_byte_array_append(a, two->data, two->len);
  g_byte_array_append(a, (const guint8 *)t->extra, (guint)t->extra_len);
  return a;
}

static void test_gzip_tails(void)
{
  static const Tail rows[] = {
    { "one member", "", 0, false, "one", NULL },
    { "two members", "", 0, true, "onetwo", NULL },
    { "zero padding", "\0\0\0\0\0", 5, true, "onetwo", NULL },
    { "text behind", "garbage", 7, true, "onetwo", "not gzip follow the last gzip member" },
    { "half a magic behind", "\x1F!no gzip here", 14, true, "onetwo",
      "follow the last gzip member" },
    { "text behind padding", "\0\0x", 3, false, "one", "not gzip follow the padding" },
  };
  for (int full = 0; full < 2; full++) {
    g_autoptr(GByteArray) one = gzip_member("one", 3, full), two = gzip_member("two", 3, full);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
      g_autoptr(GByteArray) input = build(&rows[i], one, two);
      check_input(rows[i].row, input, rows[i].wanted, rows[i].why);
    }
  }
}

static void test_zstd_tails(void)
{
  static const Tail rows[] = {
    { "one frame", "", 0, false, "one", NULL },
    { "two frames", "", 0, true, "onetwo", NULL },
    { "skippable frame behind", "\x50\x2A\x4D\x18\x03\0\0\0abc", 11, true, "onetwo", NULL },
    { "text behind", "garbage text", 12, true, "onetwo", "not zstd follow the last zstd frame" },
  };
  g_autoptr(GByteArray) one = zstd_frame("one", 3), two = zstd_frame("two", 3);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GByteArray) input = build(&rows[i], one, two);
    check_input(rows[i].row, input, rows[i].wanted, rows[i].why);
    g_byte_array_prepend(input, (const guint8 *)"\x5F\x2A\x4D\x18\x02\0\0\0xy", 10);
    check_input("skippable frame before", input, rows[i].wanted, rows[i].why);
  }
}

static void test_unknown_method(void)
{
  static const guint8 bytes[] = { 0x1F, 0x8B, 7, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4 };
  g_autoptr(GByteArray) input = g_byte_array_new();
  g_byte_array_append(input, bytes, sizeof bytes);
  check_input("method 7", input, "", "unknown compression method");
}

static void test_zstd_window(void)
{
  static const struct {
    int window_log;
    bool fits;
  } rows[] = { { 26, true }, { 27, false } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char out[256], text[] = "wide";
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, rows[i].window_log);
    ZSTD_inBuffer from = { text, 4, 0 };
    ZSTD_outBuffer to = { out, sizeof out, 0 };
    ZSTD_compressStream2(c, &to, &from, ZSTD_e_flush);
    ZSTD_compressStream2(c, &to, &from, ZSTD_e_end);
    ZSTD_freeCCtx(c);
    g_autoptr(GByteArray) input = g_byte_array_new();
    g_byte_array_append(input, (guint8 *)out, (guint)to.pos);
    check_input("window", input, rows[i].fits ? "wide" : "",
                rows[i].fits ? NULL : "limit of 64 MiB");
  }
}

/* Cut anywhere, a file gives what is there, says so, and fails. */
static void cut_everywhere(const GByteArray *file, size_t magic, const GByteArray *text)
{
  for (size_t cut = magic; cut < file->len; cut++) {
    g_autofree char *why = NULL;
    bool truncated = false;
    g_autoptr(GByteArray) got = read_bytes(file->data, cut, 4096, &why, &truncated);
    if (!CHECK(truncated && why && strstr(why, "too early"))) return;
    if (!CHECK(got->len <= text->len && same(got, text->data, got->len))) return;
    if (cut == file->len - 1) CHECK_INT(got->len, text->len);
  }
}

static void test_cut(void)
{
  g_autoptr(GByteArray) text = make_text(3000);
  g_autoptr(GByteArray) plain_header = gzip_member(text->data, text->len, false);
  g_autoptr(GByteArray) full_header = gzip_member(text->data, text->len, true);
  g_autoptr(GByteArray) frame = zstd_frame(text->data, text->len);
  cut_everywhere(plain_header, 2, text);
  cut_everywhere(full_header, 2, text);
  cut_everywhere(frame, 4, text);
}

/* What zlib can decode of a cut file is given, but for literals that isa-l decodes three at a time. */
static void test_cut_gives_all(void)
{
  g_autoptr(GByteArray) text = make_text(500000);
  g_autoptr(GByteArray) file = gzip_member(text->data, text->len, false);
  g_autofree guint8 *space = g_malloc(text->len);
  for (size_t cut = 100; cut < file->len; cut += 5003) {
    g_autofree char *why = NULL;
    bool truncated = false;
    g_autoptr(GByteArray) got = read_bytes(file->data, cut, 10000, &why, &truncated);
    z_stream s = { .next_in = file->data, .avail_in = (uInt)cut };
    s.next_out = space;
    s.avail_out = text->len;
    inflateInit2(&s, 15 + 16);
    inflate(&s, Z_SYNC_FLUSH);
    inflateEnd(&s);
    CHECK(got->len <= s.total_out && got->len + 3 > s.total_out);
    CHECK(same(got, text->data, got->len) && truncated);
  }
}

/* A changed byte is found, or was one that does not matter; nothing crashes. */
static void flip_everywhere(GByteArray *file, size_t magic, size_t matters, const GByteArray *text)
{
  for (size_t i = magic; i < file->len; i++) {
    g_autofree char *why = NULL;
    bool truncated = false;
    file->data[i] ^= 0x55;
    g_autoptr(GByteArray) got = read_bytes(file->data, file->len, 4096, &why, &truncated);
    file->data[i] ^= 0x55;
    if (i >= matters) CHECK(why != NULL);
    if (!why) CHECK(same(got, text->data, text->len));
  }
}

static void test_flip(void)
{
  g_autoptr(GByteArray) text = make_text(3000);
  g_autoptr(GByteArray) member = gzip_member(text->data, text->len, false);
  g_autoptr(GByteArray) frame = zstd_frame(text->data, text->len);
  flip_everywhere(member, 2, 10, text);
  flip_everywhere(frame, 4, frame->len - 4, text);
}

typedef struct Trickle {
  int fd;
  const GByteArray *bytes;
} Trickle;

static gpointer trickle(gpointer data)
{
  Trickle *t = data;
  for (guint i = 0; i < t->bytes->len; i++)
    if (write(t->fd, t->bytes->data + i, 1) != 1) break;
  close(t->fd);
  return NULL;
}

/* Standard input as a pipe that brings single bytes. */
static void read_trickle(const GByteArray *bytes, const GByteArray *text, StreamCodec codec)
{
  int ends[2], saved = dup(STDIN_FILENO);
  char *why = NULL;
  CHECK_INT(pipe(ends), 0);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  Trickle t = { ends[1], bytes };
  GThread *thread = g_thread_new("trickle", trickle, &t);
  Reader *r = reader_open("-", &why);
  if (CHECK(r != NULL)) {
    g_autofree char *read_why = NULL;
    g_autoptr(GByteArray) got = read_all(r, 1000, &read_why);
    CHECK_STR(read_why, NULL);
    CHECK(same(got, text->data, text->len));
    CHECK_INT(reader_codec(r), codec);
    CHECK_INT(reader_bytes_in(r), bytes->len);
    CHECK_INT(reader_size(r), 0);
    CHECK(!reader_is_plain_file(r));
    reader_close(r);
  }
  g_thread_join(thread);
  dup2(saved, STDIN_FILENO);
  close(saved);
}

static void test_trickle(void)
{
  g_autoptr(GByteArray) text = make_text(5000);
  g_autoptr(GByteArray) member = gzip_member(text->data, text->len, true);
  g_autoptr(GByteArray) frame = zstd_frame(text->data, text->len);
  g_autoptr(GByteArray) twice = make_text(5000), members = g_byte_array_new();
  g_byte_array_append(twice, text->data, text->len);
  g_byte_array_append(members, member->data, member->len);
  g_byte_array_append(members, member->data, member->len);
  read_trickle(text, text, STREAM_PLAIN);
  read_trickle(members, twice, STREAM_GZIP);
  read_trickle(frame, text, STREAM_ZSTD);
}

/* Standard input may be a file, and begin in its middle. */
static void test_stdin_file(void)
{
  g_autofree char *path = scratch_path("input");
  save(path, "0123456789", 10);
  int saved = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
  char *why = NULL, tail[4];
  lseek(fd, 3, SEEK_SET);
  dup2(fd, STDIN_FILENO);
  close(fd);
  Reader *r = reader_open("-", &why);
  CHECK(reader_is_plain_file(r));
  CHECK_INT(reader_size(r), 7);
  CHECK_INT(reader_tail(r, tail, 4), 4);
  CHECK(!memcmp(tail, "6789", 4));
  CHECK_INT(reader_read_at(r, tail, 4, 1), 4);
  CHECK(!memcmp(tail, "4567", 4));
  g_autofree char *read_why = NULL;
  g_autoptr(GByteArray) got = read_all(r, 4, &read_why);
  CHECK(same(got, "3456789", 7));
  reader_close(r);
  dup2(saved, STDIN_FILENO);
  close(saved);
}

static void peek_and_tail(const char *path, const GByteArray *text, bool plain)
{
  char *why = NULL;
  const char *first = NULL;
  g_autofree char *tail = g_malloc(300000), *read_why = NULL;
  FileStamp stamp = { 0 };
  Reader *r = reader_open(path, &why);
  CHECK_INT(reader_peek(r, &first), 65536);
  CHECK(!memcmp(first, text->data, 65536));
  CHECK_INT(reader_peek_more(r, 300000, &first), 300000);
  CHECK(!memcmp(first, text->data, 300000));
  CHECK_INT(reader_peek_more(r, 70000, &first), 300000);
  CHECK_INT(reader_tail(r, tail, 300000), plain ? 262144 : 0);
  CHECK(!plain || !memcmp(tail, text->data + text->len - 262144, 262144));
  CHECK_INT(reader_read_at(r, tail, 100, 1000), plain ? 100 : -1);
  CHECK(!plain || !memcmp(tail, text->data + 1000, 100));
  CHECK_INT(reader_read_at(r, tail, 100, UINT64_MAX), -1);
  CHECK(reader_stamp(r, &stamp) && stamp.inode != 0 && stamp.size == reader_size(r));
  CHECK_INT(reader_is_plain_file(r), plain);
  g_autoptr(GByteArray) got = read_all(r, 100000, &read_why);
  CHECK(same(got, text->data, text->len));
  CHECK_INT(reader_bytes_in(r), reader_size(r));
  CHECK_INT(reader_peek(r, &first), 0);
  reader_close(r);
}

static void test_peek_and_tail(void)
{
  g_autoptr(GByteArray) text = make_text(1000000);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = scratch_path(names[i]);
    write_in_steps(path, codecs[i], text, 4096);
    peek_and_tail(path, text, codecs[i] == STREAM_PLAIN);
  }
}

/* Bytes before a failure are seen by peek and given by read; only then -1. */
static void test_peek_before_failure(void)
{
  g_autoptr(GByteArray) text = make_text(100);
  g_autoptr(GByteArray) file = gzip_member(text->data, text->len, false);
  g_autofree char *path = scratch_path("cut.gz");
  char *why = NULL, buffer[200];
  const char *first = NULL;
  save(path, file->data, file->len - 3);
  Reader *r = reader_open(path, &why);
  CHECK_INT(reader_peek(r, &first), 100);
  CHECK_INT(reader_read(r, buffer, sizeof buffer), 100);
  CHECK_INT(reader_read(r, buffer, sizeof buffer), -1);
  CHECK_INT(reader_read(r, buffer, sizeof buffer), -1);
  CHECK(reader_truncated(r));
  reader_close(r);
}

static void test_cannot_open(void)
{
  const struct {
    const char *path, *why;
  } rows[] = { { "/nowhere/at/all", "No such file" }, { scratch, "is a directory" } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *why = NULL, *write_why = NULL;
    CHECK(reader_open(rows[i].path, &why) == NULL);
    if (!CHECK(why && strstr(why, rows[i].why))) CHECK_ROW(rows[i].path);
    CHECK(writer_open(rows[i].path, STREAM_AUTO, &write_why) == NULL);
    CHECK(write_why != NULL);
  }
  g_autofree char *path = scratch_path("secret"), *why = NULL;
  bool is_root = geteuid() == 0; /* who may read everything, and another user not even the folder */
  save(path, "x", 1);
  g_chmod(path, 0);
  CHECK(!is_root || !seteuid(65534));
  CHECK(reader_open(path, &why) == NULL);
  CHECK(!is_root || !seteuid(0));
  CHECK(why && strstr(why, "denied"));
}

static void test_empty(void)
{
  g_autofree char *why = NULL, *open_why = NULL;
  const char *first;
  bool truncated = true;
  g_autoptr(GByteArray) got = read_bytes("", 0, 100, &why, &truncated);
  CHECK(got->len == 0 && !why && !truncated);
  Reader *r = reader_open("/dev/null", &open_why);
  CHECK_INT(reader_peek(r, &first), 0);
  CHECK_INT(reader_codec(r), STREAM_PLAIN);
  reader_close(r);
}

static void test_full_disk(void)
{
  g_autoptr(GByteArray) text = make_text(3 << 20);
  for (size_t k = 0; k < 2 * G_N_ELEMENTS(codecs); k++) {
    size_t i = k / 2;
    char *why = NULL;
    worker_allow(k % 2);
    Writer *w = writer_open("/dev/full", codecs[i], &why);
    int status = writer_write(w, text->data, text->len);
    CHECK_INT(writer_finish(w), -1);
    CHECK_INT(writer_errno(w), ENOSPC);
    CHECK(writer_why(w) && strstr(writer_why(w), "No space left"));
    CHECK_INT(writer_write(w, "x", 1), -1);
    CHECK(status == -1 || codecs[i] != STREAM_PLAIN);
    errno = 0;
    CHECK_INT(writer_close(w), -1);
    CHECK_INT(errno, ENOSPC);
  }
}

static void test_closed_pipe(void)
{
  int ends[2], saved = dup(STDOUT_FILENO);
  char *why = NULL;
  fflush(stdout);
  CHECK_INT(pipe(ends), 0);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  close(ends[0]);
  Writer *w = writer_open("-", STREAM_PLAIN, &why);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  CHECK_INT(writer_write(w, "x", 1), 0);
  CHECK_INT(writer_finish(w), -1);
  CHECK_INT(writer_errno(w), EPIPE);
  writer_close(w);
}

static void test_stdout(void)
{
  g_autofree char *path = scratch_path("stdout");
  int saved = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  g_autoptr(GByteArray) text = make_text(1000);
  fflush(stdout);
  dup2(fd, STDOUT_FILENO);
  close(fd);
  write_in_steps("-", STREAM_AUTO, text, 100);
  CHECK_INT(fcntl(STDOUT_FILENO, F_GETFD) >= 0, 1);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  g_autoptr(GByteArray) file = load(path);
  CHECK(same(file, text->data, text->len));
}

static void append(const char *path, const char *part, StreamCodec codec)
{
  char *why = NULL;
  g_autofree char *read_why = NULL;
  bool truncated = false;
  Writer *w = writer_open(path, codec, &why);
  CHECK_INT(writer_write(w, "head ", 5), 0);
  CHECK_INT(writer_append_file(w, part), 0);
  CHECK_INT(writer_append_file(w, part), 0);
  CHECK_INT(writer_write(w, "tail", 4), 0);
  CHECK_INT(writer_close(w), 0);
  g_autoptr(GByteArray) got = read_path(path, 100, &read_why, &truncated);
  CHECK_STR(read_why, NULL);
  if (!CHECK(same(got, "head part part tail", 19))) CHECK_ROW(path);
  w = writer_open(path, codec, &why);
  CHECK_INT(writer_append_file(w, "/nowhere/at/all"), -1);
  CHECK_INT(writer_errno(w), ENOENT);
  CHECK_INT(writer_close(w), -1);
}

static void test_append(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = scratch_path(names[i]), *part = scratch_path("part");
    g_autoptr(GByteArray) text = g_byte_array_new();
    g_byte_array_append(text, (const guint8 *)"part ", 5);
    write_in_steps(part, codecs[i], text, 5);
    append(path, part, codecs[i]);
  }
}

static void set_up(void)
{
  signal(SIGPIPE, SIG_IGN);
  scratch = g_dir_make_tmp("stream-test-XXXXXX", NULL);
  CHECK(scratch != NULL);
}

static void tear_down(void)
{
  GDir *dir = g_dir_open(scratch, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = scratch_path(name);
    g_remove(path);
  }
  if (dir) g_dir_close(dir);
  CHECK_INT(g_rmdir(scratch), 0);
  g_clear_pointer(&scratch, g_free);
}

TEST_MAIN({ "set up", set_up }, { "what is written is read", test_round_trip },
          { "no time in gzip headers", test_no_time_in_header },
          { "gzip members and what follows", test_gzip_tails },
          { "zstd frames and what follows", test_zstd_tails },
          { "unknown gzip method", test_unknown_method }, { "zstd window limit", test_zstd_window },
          { "cut at every byte", test_cut }, { "a cut file gives all it can", test_cut_gives_all },
          { "changed bytes are found", test_flip },
          { "standard input, byte by byte", test_trickle },
          { "standard input from a file", test_stdin_file },
          { "peek, tail, read_at", test_peek_and_tail },
          { "bytes before a failure", test_peek_before_failure },
          { "cannot be opened", test_cannot_open }, { "empty", test_empty },
          { "full disk", test_full_disk }, { "closed pipe", test_closed_pipe },
          { "standard output", test_stdout }, { "append a file", test_append },
          { "tear down", tear_down })
