/* The files in the folder of --state, byte by byte. Numbers are little-endian. */
#ifndef SCHED_RECORD_FILE_H
#define SCHED_RECORD_FILE_H

#include "sched/records.h"

#define RECORD_SUFFIX ".mill"
#define RECORD_JOB "job" RECORD_SUFFIX

/* ---- job.mill: which run it is, see shared-job.h */

GString *record_job_text(const Summary *job);
/* The bytes of the job, to be read and not cleared; or what is wrong. */
const char *record_job_open(const char *text, size_t len, Summary *out);

/* ---- the file of a process: a head, then records, each with a head */

typedef struct RecordFileHead {
  char magic[8];
  uint32_t version;
  char job[64]; /* SHA-256 of job.mill */
  uint32_t crc; /* of the members before */
} RecordFileHead;

void record_file_head(RecordFileHead *out, const GString *job_text);
/* What is wrong, or NULL; *out_at: its end. A file that is shorter holds nothing: *out_at is 0. */
const char *record_file_check(int fd, uint64_t size, const RecordFileHead *ours, uint64_t *out_at);

#define RECORD_HEAD_BYTES 32u
typedef struct RecordHead {
  Record record;
  uint32_t len, crc; /* of its bytes, which follow */
} RecordHead;

/* With its head, for the caller to free; the length. */
size_t record_bytes(const RecordHead *head, const Summary *bytes, char **out);
/* What is wrong, or NULL; bytes may be NULL. */
const char *record_at(int fd, uint64_t at, RecordHead *out, Summary *out_bytes);

/* ---- any of them */

/* For reading, a regular file, not through a link. -1: an error, or (NULL) there is none. */
int record_file_open(const char *path, Error **out_error);
bool record_file_write(int fd, const char *bytes, size_t len); /* false: errno says why */

#endif
