/* The reader of stream.h: read(2) in blocks or mapped windows; gzip and zstd found from the first
 * bytes. */
/* SPDX-License-Identifier: MIT */
#include "base/standard.h"
#include "base/stream-gzip.h"
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
  IN_BLOCK = 256 << 10,
  PEEK_MAX = 64 << 10,
  TAIL_MAX = 256 << 10,
  SNIFF_MAX = 4,
  FIRST_READ = 4 << 10, /* of a regular file: it may be mapped after this look */
  GZIP_FIRST_BYTE = 0x1F,
  WINDOW_LOG_MAX = 26 /* 64 MiB; the error text names it */
};

struct Reader {
  int fd;
  bool regular;
  StreamCodec codec;
  uint64_t start; /* of the input in its file: standard input may begin in the middle */
  uint64_t size;
  FileStamp stamp;

  uint8_t *in; /* compressed bytes, or those read to find the codec */
  size_t in_pos, in_len;
  bool in_end; /* the file has ended */
  bool ended;  /* nothing more can be decoded: the end, or a failure when `why` is set */
  bool truncated;
  char *why;

  GzipIn *gzip;
  ZSTD_DStream *zstd;
  bool in_member;  /* inside a gzip member or a zstd frame */
  bool in_padding; /* zeros after the last gzip member */
  uint64_t n_members;

  char *ahead; /* decoded for reader_peek and not yet given */
  size_t ahead_pos, ahead_len;

  _Atomic uint64_t bytes_in;
};

static void fail(Reader *r, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void fail(Reader *r, const char *format, ...)
{
  va_list args;
  r->ended = true;
  if (r->why) return;
  va_start(args, format);
  r->why = g_strdup_vprintf(format, args);
  va_end(args);
}

/* The offset in the file of the next byte to decode. */
static uint64_t input_offset(const Reader *r)
{
  return atomic_load(&r->bytes_in) - (r->in_len - r->in_pos);
}

/* A file that could not be read to its end is not one that was cut. */
static void fail_truncated(Reader *r, const char *what)
{
  if (r->why) return;
  r->truncated = true;
  fail(r, "the %s data ends too early, after %" G_GUINT64_FORMAT " bytes", what, input_offset(r));
}

static atomic_bool cancelled;

void stream_cancel_all(void) { atomic_store(&cancelled, true); }

bool stream_cancelled(void) { return atomic_load_explicit(&cancelled, memory_order_relaxed); }

/* One read(2), retried when interrupted.  Waits in short steps for what may never come, such as a silent pipe; a
 * regular file is always ready. */
static ssize_t read_some(int fd, bool regular, void *buffer, size_t max)
{
  struct pollfd wanted = { .fd = fd, .events = POLLIN };
  for (;;) {
    int ready = regular ? 1 : poll(&wanted, 1, STREAM_WAIT_MS);
    if (stream_cancelled()) {
      errno = ECANCELED;
      return -1;
    }
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    ssize_t n = read(fd, buffer, max);
    if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
  }
}

/* Bytes of the file as they are; 0 at its end or on failure. */
static size_t read_file(Reader *r, void *buffer, size_t max)
{
  if (r->in_end || r->why) return 0;
  ssize_t n = read_some(r->fd, r->regular, buffer, MIN(max, (size_t)1 << 30));
  if (n < 0) fail(r, "cannot read: %s", g_strerror(errno));
  if (n <= 0) {
    r->in_end = true;
    return 0;
  }
  atomic_fetch_add_explicit(&r->bytes_in, (uint64_t)n, memory_order_relaxed);
  return (size_t)n;
}

/* True when there is input to decode. */
static bool refill(Reader *r)
{
  if (r->in_pos < r->in_len) return true;
  r->in_pos = 0;
  r->in_len = read_file(r, r->in, IN_BLOCK);
  return r->in_len > 0;
}

static size_t step_plain(Reader *r, char *out, size_t max)
{
  size_t n = r->in_len - r->in_pos;
  if (n > 0) {
    n = MIN(n, max);
    memcpy(out, r->in + r->in_pos, n);
    r->in_pos += n;
    return n;
  }
  n = read_file(r, out, max);
  if (n == 0) r->ended = true;
  return n;
}

/* Between members: finds the next one, the end, or padding. */
static void start_member(Reader *r)
{
  if (!refill(r)) {
    r->ended = true;
    return;
  }
  uint8_t next = r->in[r->in_pos];
  if (r->n_members > 0 && next == 0) {
    r->in_padding = true;
    r->in_pos++;
    return;
  }
  if (r->in_padding || next != GZIP_FIRST_BYTE) {
    fail(r, "bytes that are not gzip follow the %s, at byte %" G_GUINT64_FORMAT,
         r->in_padding ? "padding" : "last gzip member", input_offset(r));
    return;
  }
  gzip_in_start(r->gzip);
  r->in_member = true;
}

static void end_member(Reader *r, GzipStatus status, uint64_t at, const char *why)
{
  r->in_member = false;
  r->n_members++;
  if (status == GZIP_NOT_GZIP && r->n_members > 1)
    fail(r, "bytes that are not gzip follow the last gzip member, at byte %" G_GUINT64_FORMAT, at);
  else if (status != GZIP_MEMBER_END)
    fail(r, "the gzip data is corrupt near byte %" G_GUINT64_FORMAT ": %s", input_offset(r), why);
}

static size_t step_gzip(Reader *r, char *out, size_t max)
{
  if (!r->in_member) {
    start_member(r);
    return 0;
  }
  GzipSpan span = { r->in + r->in_pos, r->in_len - r->in_pos, (uint8_t *)out, max };
  const char *why = NULL;
  uint64_t at = input_offset(r);
  GzipStatus status = gzip_in_step(r->gzip, &span, &why);
  bool moved = span.in_len < r->in_len - r->in_pos;
  size_t n = max - span.out_len;
  r->in_pos = r->in_len - span.in_len;
  if (status != GZIP_MORE)
    end_member(r, status, at, why);
  else if (n == 0 && !moved && span.in_len > 0)
    fail(r, "the gzip data is corrupt near byte %" G_GUINT64_FORMAT, input_offset(r));
  else if (n == 0 && !refill(r))
    fail_truncated(r, "gzip");
  return n;
}

static void fail_zstd(Reader *r, size_t code)
{
  switch (ZSTD_getErrorCode(code)) {
  case ZSTD_error_frameParameter_windowTooLarge:
    fail(r, "the zstd data needs a window above the limit of 64 MiB; compress it again with "
            "--long=26 or less");
    break;
  case ZSTD_error_prefix_unknown:
    fail(r, "bytes that are not zstd follow the last zstd frame, at byte %" G_GUINT64_FORMAT,
         input_offset(r));
    break;
  case ZSTD_error_dictionary_wrong:
    fail(r, "the zstd data was compressed with a dictionary");
    break;
  case ZSTD_error_memory_allocation: fail(r, "not enough memory for the zstd window"); break;
  default:
    fail(r, "the zstd data is corrupt near byte %" G_GUINT64_FORMAT ": %s", input_offset(r),
         ZSTD_getErrorName(code));
  }
}

static size_t step_zstd(Reader *r, char *out, size_t max)
{
  if (!r->in_member && !refill(r)) {
    r->ended = true;
    return 0;
  }
  ZSTD_inBuffer from = { r->in, r->in_len, r->in_pos };
  ZSTD_outBuffer to = { out, max, 0 };
  size_t code = ZSTD_decompressStream(r->zstd, &to, &from);
  bool moved = from.pos > r->in_pos;
  r->in_pos = from.pos;
  if (ZSTD_isError(code)) {
    fail_zstd(r, code);
    return to.pos;
  }
  r->in_member = code != 0;
  if (code != 0 && to.pos == 0 && !moved && !refill(r)) fail_truncated(r, "zstd");
  return to.pos;
}

static size_t decode(Reader *r, char *out, size_t max)
{
  size_t done = 0;
  while (done < max && !r->ended) {
    if (r->codec == STREAM_GZIP)
      done += step_gzip(r, out + done, max - done);
    else if (r->codec == STREAM_ZSTD)
      done += step_zstd(r, out + done, max - done);
    else
      done += step_plain(r, out + done, max - done);
  }
  return done;
}

/* Skippable frames may come first, so their magic counts as zstd. */
static StreamCodec sniff(const uint8_t *b, size_t len)
{
  static const uint8_t frame[] = { 0x28, 0xB5, 0x2F, 0xFD }, skippable[] = { 0x2A, 0x4D, 0x18 };
  if (len >= 2 && b[0] == GZIP_FIRST_BYTE && b[1] == 0x8B) return STREAM_GZIP;
  if (len >= 4 && !memcmp(b, frame, sizeof frame)) return STREAM_ZSTD;
  if (len >= 4 && (b[0] & 0xF0) == 0x50 && !memcmp(b + 1, skippable, sizeof skippable))
    return STREAM_ZSTD;
  return STREAM_PLAIN;
}

static void find_codec(Reader *r)
{
  size_t capacity = r->regular ? FIRST_READ : IN_BLOCK;
  r->in = g_malloc(capacity);
  while (r->in_len < SNIFF_MAX) {
    size_t n = read_file(r, r->in + r->in_len, capacity - r->in_len);
    if (n == 0) break;
    r->in_len += n;
  }
  r->codec = sniff(r->in, r->in_len);
  if (r->codec != STREAM_PLAIN) r->in = g_realloc(r->in, IN_BLOCK);
  if (r->codec == STREAM_GZIP) r->gzip = gzip_in_new();
  if (r->codec != STREAM_ZSTD) return;
  r->zstd = ZSTD_createDStream();
  if (!r->zstd ||
      ZSTD_isError(ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
    fail(r, "not enough memory to read zstd data");
}

static FileStamp stamp_of(const struct stat *st)
{
  int64_t mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
  return (FileStamp){ st->st_dev, st->st_ino, (uint64_t)st->st_size, mtime_ns };
}

bool file_stamp(int fd, FileStamp *out)
{
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return false;
  *out = stamp_of(&st);
  return true;
}

bool file_stamp_equal(const FileStamp *a, const FileStamp *b)
{
  return a->device == b->device && a->inode == b->inode && a->size == b->size &&
         a->mtime_ns == b->mtime_ns;
}

static void inspect_file(Reader *r)
{
  struct stat st;
  if (fstat(r->fd, &st)) {
    fail(r, "%s", g_strerror(errno));
    return;
  }
  if (S_ISDIR(st.st_mode)) {
    fail(r, "is a directory");
    return;
  }
  off_t at = lseek(r->fd, 0, SEEK_CUR);
  if (!S_ISREG(st.st_mode) || at < 0) return;
  r->regular = true;
  r->start = (uint64_t)at;
  r->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
  r->stamp = stamp_of(&st);
  posix_fadvise(r->fd, at, 0, POSIX_FADV_SEQUENTIAL);
}

Reader *reader_open(const char *path, char **out_why)
{
  bool standard = g_str_equal(path, "-");
  if (standard && standard_is_closed(STDIN_FILENO)) {
    *out_why = g_strdup("standard input is closed");
    return NULL;
  }
  int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    *out_why = g_strdup(g_strerror(errno));
    return NULL;
  }
  Reader *r = g_new0(Reader, 1);
  r->fd = fd;
  inspect_file(r);
  if (!r->why) find_codec(r);
  if (!r->why) return r;
  *out_why = g_steal_pointer(&r->why);
  reader_close(r);
  return NULL;
}

void reader_close(Reader *r)
{
  if (!r) return;
  close(r->fd);
  gzip_in_free(r->gzip);
  ZSTD_freeDStream(r->zstd);
  g_free(r->in);
  g_free(r->ahead);
  g_free(r->why);
  g_free(r);
}

int64_t reader_read(Reader *r, void *buffer, size_t max)
{
  size_t n = MIN(max, r->ahead_len - r->ahead_pos);
  if (n > 0) memcpy(buffer, r->ahead + r->ahead_pos, n);
  r->ahead_pos += n;
  n += decode(r, (char *)buffer + n, max - n);
  if (n == 0 && max > 0 && r->why) return -1;
  return (int64_t)n;
}

/* Thousands of small files are looked at: what they cannot fill is not asked for. */
static size_t peek_room(const Reader *r)
{
  bool small = reader_is_plain_file(r) && r->size > 0 && r->size < PEEK_MAX;
  return small ? (size_t)r->size : PEEK_MAX;
}

size_t reader_peek(Reader *r, const char **out_bytes)
{
  if (!r->ahead) r->ahead = g_malloc(peek_room(r));
  if (r->ahead_pos == r->ahead_len) {
    r->ahead_pos = 0;
    r->ahead_len = decode(r, r->ahead, peek_room(r));
  }
  *out_bytes = r->ahead + r->ahead_pos;
  return r->ahead_len - r->ahead_pos;
}

size_t reader_peek_more(Reader *r, size_t max, const char **out_bytes)
{
  size_t len = reader_peek(r, out_bytes);
  if (len >= max) return len;
  char *more = g_malloc(MAX(max, (size_t)PEEK_MAX));
  memcpy(more, *out_bytes, len);
  g_free(r->ahead);
  r->ahead = more;
  r->ahead_pos = 0;
  r->ahead_len = len + decode(r, more + len, max - len);
  *out_bytes = more;
  return r->ahead_len;
}

int64_t file_read_at(int fd, void *buffer, size_t max, uint64_t offset)
{
  size_t done = 0;
  while (done < max) {
    ssize_t n = pread(fd, (char *)buffer + done, max - done, (off_t)(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += (size_t)n;
  }
  return (int64_t)done;
}

int64_t reader_read_at(const Reader *r, void *buffer, size_t max, uint64_t offset)
{
  if (reader_is_plain_file(r) && offset <= (uint64_t)INT64_MAX - r->start)
    return file_read_at(r->fd, buffer, max, r->start + offset);
  errno = ESPIPE;
  return -1;
}

Window *reader_window(const Reader *r, size_t size, uint64_t offset, size_t *out_at)
{
  if (!reader_is_plain_file(r) || offset > r->size || r->size - offset < size) return NULL;
  Window *w = window_new(size);
  if (!w) return NULL;
  bool inside = r->size - offset >= w->size;
  if (inside && window_show(w, r->fd, r->start + offset, out_at)) return w;
  window_free(w);
  return NULL;
}

size_t reader_tail(Reader *r, void *buffer, size_t max)
{
  size_t len = (size_t)MIN(r->size, MIN(max, (size_t)TAIL_MAX));
  if (!reader_is_plain_file(r) || len == 0) return 0;
  int64_t n = reader_read_at(r, buffer, len, r->size - len);
  return n > 0 ? (size_t)n : 0;
}

bool reader_is_plain_file(const Reader *r) { return r->regular && r->codec == STREAM_PLAIN; }
StreamCodec reader_codec(const Reader *r) { return r->codec; }
const char *reader_why(const Reader *r) { return r->why; }
bool reader_truncated(const Reader *r) { return r->truncated; }
uint64_t reader_size(const Reader *r) { return r->size; }
uint64_t reader_bytes_in(const Reader *r)
{
  return atomic_load_explicit(&r->bytes_in, memory_order_relaxed);
}

bool reader_stamp(const Reader *r, FileStamp *out)
{
  *out = r->stamp;
  return r->regular;
}
