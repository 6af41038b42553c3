/* The writer of stream.h: one buffer, compressed piece by piece, every write checked. */
/* SPDX-License-Identifier: MIT */
#include "base/worker.h"
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
  /* The compressors always get blocks of this size, so that the sizes of writes do not matter. */
  PIECE = 1 << 20,
  PAD = 1024, /* after the piece: compressors look a little ahead, and must find the same there */
  OUT_BLOCK = 256 << 10,
  ZSTD_LEVEL = 3
};

struct Writer {
  int fd;
  StreamCodec codec;
  char *why;
  int error;
  bool in_member; /* a gzip member or zstd frame has begun */
  bool any_member;
  bool appended;
  void (*see)(void *data, const void *bytes, size_t len);
  void *see_data;

  uint8_t *piece;
  size_t piece_len;
  /* Pieces are passed on by a second thread, where there is one; this one then belongs to it, and so does all
   * above but the piece, until it was waited for. */
  Worker *worker;
  uint8_t *passing;
  size_t passing_len;
  bool passing_last;
  _Atomic bool failed;
  uint8_t *out; /* of the compressor, and for copying */
  GzipOut *gzip;
  ZSTD_CCtx *zstd;
};

static int fail(Writer *w, int error, const char *format, ...) G_GNUC_PRINTF(3, 4);
static int fail(Writer *w, int error, const char *format, ...)
{
  va_list args;
  if (w->why) return -1;
  va_start(args, format);
  w->why = g_strdup_vprintf(format, args);
  va_end(args);
  w->error = error;
  atomic_store(&w->failed, true);
  return -1;
}

/* In short steps: whoever should read may never do so.  False, with errno: it was given up. */
static bool wait_to_write(int fd)
{
  if (!stream_cancelled()) poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, STREAM_WAIT_MS);
  if (stream_cancelled()) errno = ECANCELED;
  return !stream_cancelled();
}

static int write_file(Writer *w, const uint8_t *bytes, size_t len)
{
  while (len > 0) {
    ssize_t n = write(w->fd, bytes, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && wait_to_write(w->fd)) continue;
    if (n < 0) return fail(w, errno, "cannot write: %s", g_strerror(errno));
    if (w->see) w->see(w->see_data, bytes, (size_t)n);
    bytes += n;
    len -= (size_t)n;
  }
  return 0;
}

static int compress_gzip(Writer *w, uint8_t *piece, size_t len, bool last)
{
  memset(piece + len, 0, PAD);
  bool done = false;
  GzipSpan span = { piece, len, NULL, 0 };
  if (!w->in_member) gzip_out_start(w->gzip);
  while (!done) {
    span.out = w->out;
    span.out_len = OUT_BLOCK;
    if (!gzip_out_step(w->gzip, &span, last, &done)) return fail(w, EIO, "cannot compress");
    if (write_file(w, w->out, OUT_BLOCK - span.out_len)) return -1;
  }
  return 0;
}

static int compress_zstd(Writer *w, const uint8_t *piece, size_t len, bool last)
{
  size_t left;
  ZSTD_inBuffer from = { piece, len, 0 };
  do {
    ZSTD_outBuffer to = { w->out, OUT_BLOCK, 0 };
    left = ZSTD_compressStream2(w->zstd, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) {
      int why = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? ENOMEM : EIO;
      return fail(w, why, "cannot compress: %s", ZSTD_getErrorName(left));
    }
    if (write_file(w, w->out, to.pos)) return -1;
  } while (last ? left > 0 : from.pos < from.size);
  return 0;
}

/* `last` ends the member or frame. */
static int pass_piece(Writer *w, uint8_t *piece, size_t len, bool last)
{
  int status = w->codec == STREAM_GZIP   ? compress_gzip(w, piece, len, last)
               : w->codec == STREAM_ZSTD ? compress_zstd(w, piece, len, last)
                                         : write_file(w, piece, len);
  w->in_member = !last;
  w->any_member = true;
  return status;
}

static void pass_in_worker(void *writer)
{
  Writer *w = writer;
  if (!w->why) pass_piece(w, w->passing, w->passing_len, w->passing_last);
}

/* From here on the writer is this thread's alone. */
static int wait_for_worker(Writer *w)
{
  if (w->worker) worker_wait(w->worker);
  return w->why ? -1 : 0;
}

/* Small files are not worth a thread. */
static void want_worker(Writer *w)
{
  if (!w->worker && w->piece_len == PIECE) w->worker = worker_new(pass_in_worker, w);
  if (w->worker && !w->passing) w->passing = g_malloc(PIECE + PAD);
}

static int flush_piece(Writer *w, bool last)
{
  size_t len = w->piece_len;
  want_worker(w);
  w->piece_len = 0;
  if (!w->worker) return pass_piece(w, w->piece, len, last);
  if (wait_for_worker(w)) return -1;
  uint8_t *piece = w->piece;
  w->piece = w->passing;
  w->passing = piece;
  w->passing_len = len;
  w->passing_last = last;
  worker_start(w->worker);
  return last ? wait_for_worker(w) : 0;
}

static StreamCodec codec_of(const char *path)
{
  if (g_str_has_suffix(path, ".gz")) return STREAM_GZIP;
  if (g_str_has_suffix(path, ".zst")) return STREAM_ZSTD;
  return STREAM_PLAIN;
}

static bool prepare_codec(Writer *w)
{
  w->piece = g_malloc(PIECE + PAD);
  if (w->codec == STREAM_PLAIN) return true;
  w->out = g_malloc(OUT_BLOCK);
  if (w->codec == STREAM_GZIP) w->gzip = gzip_out_new();
  if (w->codec != STREAM_ZSTD) return true;
  w->zstd = ZSTD_createCCtx();
  if (!w->zstd) return false;
  return !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
         !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1));
}

static void free_writer(Writer *w)
{
  worker_free(w->worker);
  if (w->fd >= 0) close(w->fd);
  gzip_out_free(w->gzip);
  ZSTD_freeCCtx(w->zstd);
  g_free(w->piece);
  g_free(w->passing);
  g_free(w->out);
  g_free(w->why);
  g_free(w);
}

static Writer *make_writer(int fd, StreamCodec codec, char **out_why)
{
  Writer *w = g_new0(Writer, 1);
  w->fd = fd;
  w->codec = codec;
  if (prepare_codec(w)) return w;
  *out_why = g_strdup("not enough memory to compress");
  free_writer(w);
  errno = ENOMEM;
  return NULL;
}

static bool is_pipe(int fd)
{
  struct stat st;
  return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

/* Of a pipe another description of it is opened: the one that we were given is shared, and its mode is not ours. */
static int open_standard(void)
{
  char made[32];
  int fd = is_pipe(standard_out())
               ? open(standard_path("/proc/self/fd/1", made), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
               : -1;
  return fd >= 0 ? fd : fcntl(standard_out(), F_DUPFD_CLOEXEC, 3);
}

/* A pipe that nobody reads yet is waited for. */
static int open_path(const char *path, int flags)
{
  struct stat st;
  char made[32];
  path = standard_path(path, made);
  flags |= O_WRONLY | O_CLOEXEC | O_NOCTTY;
  if (stat(path, &st) || !S_ISFIFO(st.st_mode)) return open(path, flags, 0666);
  for (;;) {
    int fd = open(path, flags | O_NONBLOCK, 0666);
    if (fd >= 0 || errno != ENXIO) return fd;
    if (!stream_cancelled()) poll(NULL, 0, STREAM_WAIT_MS);
    if (!stream_cancelled()) continue;
    errno = ECANCELED;
    return -1;
  }
}

Writer *writer_open(const char *path, StreamCodec codec, char **out_why)
{
  bool standard = g_str_equal(path, "-");
  if (standard && standard_is_closed(standard_out())) {
    *out_why = g_strdup("standard output is closed");
    errno = EBADF;
    return NULL;
  }
  int fd = standard ? open_standard() : open_path(path, O_CREAT | O_TRUNC);
  if (fd < 0) {
    *out_why = g_strdup(g_strerror(errno));
    return NULL;
  }
  return make_writer(fd, codec == STREAM_AUTO ? codec_of(path) : codec, out_why);
}

Writer *writer_reopen(const char *path, StreamCodec codec, char **out_why)
{
  int fd = open_path(path, O_APPEND);
  if (fd < 0) {
    *out_why = g_strdup(g_strerror(errno));
    return NULL;
  }
  Writer *w = make_writer(fd, codec == STREAM_AUTO ? codec_of(path) : codec, out_why);
  if (w) w->appended = true;
  return w;
}

void writer_watch(Writer *w, void (*see)(void *data, const void *bytes, size_t len), void *data)
{
  w->see = see;
  w->see_data = data;
}

int writer_write(Writer *w, const void *bytes, size_t len)
{
  const uint8_t *from = bytes;
  if (atomic_load(&w->failed)) return wait_for_worker(w);
  while (len > 0) {
    size_t n = MIN(len, PIECE - w->piece_len);
    memcpy(w->piece + w->piece_len, from, n);
    w->piece_len += n;
    from += n;
    len -= n;
    if (w->piece_len == PIECE && flush_piece(w, false)) return -1;
  }
  return 0;
}

/* Ends what has begun; a file of nothing still holds one empty member. */
static int end_member(Writer *w, bool need_one)
{
  if (wait_for_worker(w)) return -1;
  if (w->piece_len == 0 && !w->in_member && !need_one) return 0;
  return flush_piece(w, true);
}

int writer_finish(Writer *w)
{
  if (w->fd < 0) return w->why ? -1 : 0;
  wait_for_worker(w);
  end_member(w, !w->any_member && !w->appended);
  if (close(w->fd) && errno != EINTR) fail(w, errno, "cannot close: %s", g_strerror(errno));
  w->fd = -1;
  return w->why ? -1 : 0;
}

int writer_close(Writer *w)
{
  if (!w) return 0;
  int status = writer_finish(w), error = w->error;
  free_writer(w);
  if (status) errno = error;
  return status;
}

static int copy_from(Writer *w, int fd, const char *path)
{
  for (;;) {
    ssize_t n = read(fd, w->piece, PIECE);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(w, errno, "cannot read %s: %s", path, g_strerror(errno));
    if (n == 0) return 0;
    w->appended = true;
    if (write_file(w, w->piece, (size_t)n)) return -1;
  }
}

int writer_append_file(Writer *w, const char *path)
{
  if (end_member(w, false)) return -1;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(w, errno, "cannot read %s: %s", path, g_strerror(errno));
  int status = copy_from(w, fd, path);
  close(fd);
  return status;
}

int writer_cut(Writer *w) { return w->codec == STREAM_PLAIN ? 0 : end_member(w, false); }

const char *writer_why(const Writer *w) { return w->why; }
int writer_errno(const Writer *w) { return w->error; }
