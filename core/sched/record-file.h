/* The files in the folder of --state, byte by byte. Numbers are little-endian. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_RECORD_FILE_H
#define SCHED_RECORD_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/error.h"

typedef enum {
  RECORD_OBSERVED = 1, /* what a stage observed in a lane, up to a barrier of all lanes */
  RECORD_DECISION,     /* what was decided there, by the first lane of the group */
  RECORD_LANE,         /* a lane is through */
  RECORD_FAILURE       /* it never will be; takes the place of RECORD_LANE */
} RecordKind;

enum { /* flags */
       RECORD_FOLLOWED = 1, /* another lane of its input comes after it */
       RECORD_LENIENT = 2   /* its source counted something, and --strict was not given */
};

typedef struct RecordKey {
  RecordKind kind;
  uint32_t stage; /* of the plan; 0 for RECORD_LANE and RECORD_FAILURE */
  uint32_t input; /* the number of its first lane */
  uint32_t place; /* of the lane in its input */
} RecordKey;

typedef struct Record {
  RecordKey key;
  uint32_t flags;
  uint64_t n_events; /* of the lane, read so far */
} Record;

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
