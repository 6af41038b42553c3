/* Bytes in and out: plain, gzip, zstd, standard streams behind one reader and one writer. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/window.h"

typedef enum { STREAM_AUTO, STREAM_PLAIN, STREAM_GZIP, STREAM_ZSTD } StreamCodec;

/* Which file it is, and whether it is as it was. */
typedef struct FileStamp {
  uint64_t device, inode, size;
  int64_t mtime_ns;
} FileStamp;

bool file_stamp(int fd, FileStamp *out); /* false: it is no regular file */
bool file_stamp_equal(const FileStamp *a, const FileStamp *b);

typedef struct Reader Reader;

/* path "-" is standard input.  The codec is found from the first bytes, never from the name.
 * NULL on failure, with *out_why allocated (g_free). */
Reader *reader_open(const char *path, char **out_why);
void reader_close(Reader *r);
/* Decompressed bytes; 0 at the end; -1 on failure, see reader_why.  Fills `max` unless the end is
 * reached; what could be read before a failure is given first. */
int64_t reader_read(Reader *r, void *buffer, size_t max);
/* The first bytes without consuming them (at most 64 KiB are kept for it); the length. */
size_t reader_peek(Reader *r, const char **out_bytes);
/* The same, with as many as `max` of them; for the few inputs of which 64 KiB do not say enough. */
size_t reader_peek_more(Reader *r, size_t max, const char **out_bytes);
/* The last bytes of a plain seekable file (at most max, at most 256 KiB); 0 when that cannot be. */
size_t reader_tail(Reader *r, void *buffer, size_t max);
/* As many bytes as there are, at most max; -1 with errno set. */
int64_t file_read_at(int fd, void *buffer, size_t max, uint64_t offset);
/* The same of plain seekable files only, any thread. */
int64_t reader_read_at(const Reader *r, void *buffer, size_t max, uint64_t offset);
/* The same without a copy: `size` bytes, or some more, from the page with that offset on; *out_at
 * is its offset there.  NULL: not so many are left, or the file cannot be mapped; read it. */
Window *reader_window(const Reader *r, size_t size, uint64_t offset, size_t *out_at);
bool reader_is_plain_file(const Reader *r);
StreamCodec reader_codec(const Reader *r);
const char *reader_why(const Reader *r); /* NULL while nothing has failed */
bool reader_truncated(const Reader *r);  /* the compressed stream ended too early */
uint64_t reader_size(const Reader *r);   /* of the file on disk; 0 when unknown */
/* Any thread: bytes of the file read so far in sequence. */
uint64_t reader_bytes_in(const Reader *r);
/* False for what is not a regular file. */
bool reader_stamp(const Reader *r, FileStamp *out);

/* For signal handlers: every reader of the process fails at its next read, also one that waits for a pipe; and every
 * writer that waits for one. */
void stream_cancel_all(void);
bool stream_cancelled(void);
enum { STREAM_WAIT_MS = 100 }; /* until the next look whether it was cancelled */

typedef struct Writer Writer;

/* path "-" is standard output.  STREAM_AUTO: by suffix (.gz, .zst), else plain.
 * The same bytes give the same file, however they are cut into writes. */
Writer *writer_open(const char *path, StreamCodec codec, char **out_why);
/* Continues after what a closed file holds: a member or frame of its own when compressed. */
Writer *writer_reopen(const char *path, StreamCodec codec, char **out_why);
/* From now on `see` gets what is written into the file, in order, by any thread. */
void writer_watch(Writer *w, void (*see)(void *data, const void *bytes, size_t len), void *data);
int writer_write(Writer *w, const void *bytes, size_t len); /* 0, or -1: see writer_why */
/* Flushes, ends the file and closes it; writer_why and writer_errno then report a failure (-1). */
int writer_finish(Writer *w);
int writer_close(Writer *w); /* finishes, and frees in any case; -1: failed, errno says why */
const char *writer_why(const Writer *w); /* NULL while nothing has failed */
int writer_errno(const Writer *w);       /* EPIPE, ENOSPC ... */
/* Appends a closed file made with the same codec: members and frames may follow each other. */
int writer_append_file(Writer *w, const char *path);
/* Ends the member or frame here: what follows is compressed as if it were a file of its own. */
int writer_cut(Writer *w);

#endif
