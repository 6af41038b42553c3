/* The files in the folder of --state, byte by byte; see record-file.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/record-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/stream.h"
#include "input/file-sum.h"
#include "model/printable.h"

#define VERSION 1u
#define JOB_MAGIC "MILLJOB\n"
#define FILE_MAGIC "MILLSTA\n"
#define MAGIC_BYTES 8u

static const char newer[] = "a newer stagemill wrote it";
static const char foreign[] = "stagemill did not write it";
static const char broken[] = "it is damaged";

static uint32_t crc_of(const void *bytes, size_t len)
{
  return (uint32_t)crc32_z(0, len ? bytes : (const void *)"", len);
}

/* ------------------------------------------------------------------ job.mill */

static void append_u32(GString *text, uint32_t v)
{
  v = GUINT32_TO_LE(v);
  g_string_append_len(text, (const char *)&v, sizeof v);
}

static uint32_t get_u32(const char *at)
{
  uint32_t v;
  memcpy(&v, at, sizeof v);
  return GUINT32_FROM_LE(v);
}

GString *record_job_text(const Summary *job)
{
  GString *text = g_string_new(JOB_MAGIC);
  append_u32(text, VERSION);
  g_string_append_len(text, (const char *)job->bytes, (gssize)job->len);
  append_u32(text, crc_of(text->str, text->len));
  return text;
}

const char *record_job_open(const char *text, size_t len, Summary *out)
{
  const size_t before = MAGIC_BYTES + sizeof(uint32_t), after = sizeof(uint32_t);
  if (len < before || memcmp(text, JOB_MAGIC, MAGIC_BYTES) != 0) return foreign;
  if (get_u32(text + MAGIC_BYTES) > VERSION) return newer;
  if (len < before + after || get_u32(text + len - after) != crc_of(text, len - after))
    return broken;
  *out = (Summary){ .bytes = (uint8_t *)text + before, .len = len - before - after };
  return NULL;
}

/* -------------------------------------------------------- the head of a file */

static char *job_sum(const GString *job_text)
{
  FileSum *sum = file_sum_new();
  file_sum_see(sum, job_text->str, job_text->len);
  char *text = file_sum_end(sum);
  file_sum_free(sum);
  return text;
}

void record_file_head(RecordFileHead *out, const GString *job_text)
{
  g_autofree char *sum = job_sum(job_text);
  memcpy(out->magic, FILE_MAGIC, sizeof out->magic);
  out->version = GUINT32_TO_LE(VERSION);
  memcpy(out->job, sum, sizeof out->job);
  out->crc = GUINT32_TO_LE(crc_of(out, offsetof(RecordFileHead, crc)));
}

const char *record_file_check(int fd, uint64_t size, const RecordFileHead *ours, uint64_t *out_at)
{
  RecordFileHead head;
  *out_at = 0;
  if (size < sizeof head) return NULL;
  if (file_read_at(fd, &head, sizeof head, 0) != sizeof head) return broken;
  if (memcmp(head.magic, FILE_MAGIC, sizeof head.magic) != 0) return foreign;
  if (GUINT32_FROM_LE(head.version) > VERSION) return newer;
  if (GUINT32_FROM_LE(head.crc) != crc_of(&head, offsetof(RecordFileHead, crc))) return broken;
  if (memcmp(head.job, ours->job, sizeof head.job) != 0) return "it is of another run";
  *out_at = sizeof head;
  return NULL;
}

/* ------------------------------------------------------------------- records */

enum { KIND_AND_STAGE, INPUT, PLACE, EVENTS_LOW, EVENTS_HIGH, LEN, CRC, HEAD_CRC, N_WORDS };
_Static_assert(N_WORDS * sizeof(uint32_t) == RECORD_HEAD_BYTES, "a head is made of its words");

static uint32_t head_crc(const uint32_t *words) { return crc_of(words, HEAD_CRC * sizeof *words); }

size_t record_bytes(const RecordHead *head, const Summary *bytes, char **out)
{
  const Record *r = &head->record;
  uint32_t words[N_WORDS] = { (uint32_t)r->key.kind | r->flags << 8 | r->key.stage << 16,
                              r->key.input,
                              r->key.place,
                              (uint32_t)r->n_events,
                              (uint32_t)(r->n_events >> 32),
                              (uint32_t)bytes->len,
                              crc_of(bytes->bytes, bytes->len) };
  for (int w = 0; w < HEAD_CRC; w++) words[w] = GUINT32_TO_LE(words[w]);
  words[HEAD_CRC] = GUINT32_TO_LE(head_crc(words));
  *out = g_malloc(sizeof words + bytes->len);
  memcpy(*out, words, sizeof words);
  if (bytes->len) memcpy(*out + sizeof words, bytes->bytes, bytes->len);
  return sizeof words + bytes->len;
}

static void take_head(const uint32_t *words, RecordHead *out)
{
  uint32_t kind_and_stage = GUINT32_FROM_LE(words[KIND_AND_STAGE]);
  out->record = (Record){
    .key = { .kind = (RecordKind)(kind_and_stage & 0xff),
             .stage = kind_and_stage >> 16,
             .input = GUINT32_FROM_LE(words[INPUT]),
             .place = GUINT32_FROM_LE(words[PLACE]) },
    .flags = kind_and_stage >> 8 & 0xff,
    .n_events = GUINT32_FROM_LE(words[EVENTS_LOW]) | (uint64_t)GUINT32_FROM_LE(words[EVENTS_HIGH])
                                                         << 32,
  };
  out->len = GUINT32_FROM_LE(words[LEN]);
  out->crc = GUINT32_FROM_LE(words[CRC]);
}

static bool is_known(const RecordHead *h)
{
  return h->record.key.kind >= RECORD_OBSERVED && h->record.key.kind <= RECORD_FAILURE &&
         h->record.key.stage < INT16_MAX;
}

static const char *read_bytes(int fd, uint64_t at, const RecordHead *head, Summary *out)
{
  g_autofree char *bytes = g_try_malloc((gsize)head->len + 1);
  if (!bytes) return g_strerror(ENOMEM);
  int64_t n = file_read_at(fd, bytes, head->len, at);
  if (n != (int64_t)head->len) return "it ends too early";
  if (crc_of(bytes, head->len) != head->crc) return broken;
  summary_set_bytes(out, bytes, head->len, NULL);
  return NULL;
}

const char *record_at(int fd, uint64_t at, RecordHead *out, Summary *out_bytes)
{
  uint32_t words[N_WORDS];
  if (file_read_at(fd, words, sizeof words, at) != sizeof words) return "it ends too early";
  if (GUINT32_FROM_LE(words[HEAD_CRC]) != head_crc(words)) return broken;
  take_head(words, out);
  if (!is_known(out)) return broken;
  return out_bytes ? read_bytes(fd, at + sizeof words, out, out_bytes) : NULL;
}

/* --------------------------------------------------------------- any of them */

int record_file_open(const char *path, Error **out_error)
{
  struct stat st;
  const char *why = "it is no regular file";
  *out_error = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) return fd;
  int error_no = fd < 0 && errno != ELOOP ? errno : 0;
  if (fd >= 0) close(fd);
  if (error_no == ENOENT) return -1;
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_INPUT, "RUN-51", "%s cannot be used: %s", safe,
                       error_no ? g_strerror(error_no) : why);
  *out_error = error_no ? error_of_errno(e, error_no) : e;
  return -1;
}

bool record_file_write(int fd, const char *bytes, size_t len)
{
  while (len) {
    ssize_t n = write(fd, bytes, len);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes += n, len -= (size_t)n;
  }
  return true;
}
