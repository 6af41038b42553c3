/* The folder of --state: records that processes leave there of lanes, for each other and for later
 * ones. Each process appends to a file of its own; a record that is cut off does not count. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_RECORDS_H
#define SCHED_RECORDS_H

#include "sched/record-file.h"

typedef struct Records Records;

/* The error of two records that should be the same bytes. */
typedef Error *(*RecordsDiffer)(const void *context, const RecordKey *key, Summary *one,
                                Summary *other);
typedef struct RecordsJob { /* which run it is of */
  const Summary *bytes;
  char *(*difference)(Summary *theirs, Summary *ours); /* of such bytes; NULL: theirs are none */
  RecordsDiffer differ;
  const void *context;
  uint32_t n_lanes, n_stages; /* lanes that an input begins with; stages of the plan */
} RecordsJob;

/* make: the folder, if it is not there; else it is as if it was empty, and takes no record. */
Error *records_open(const char *path, const RecordsJob *job, bool make, Records **out);
void records_free(Records *s); /* NULL is fine */
/* Takes in what has come since the last look. No thread may use the records meanwhile. */
Error *records_look(Records *s);
/* Of those that were there at the last look; RECORD_LANE also finds RECORD_FAILURE. Any thread. */
bool records_has(const Records *s, const RecordKey *key);
/* The same, with what is in it; bytes may be NULL. *out_found is false if there is none. */
Error *records_get(Records *s, const RecordKey *key, bool *out_found, Record *out,
                   Summary *out_bytes);
/* Adds a record. If there is one, its bytes must be the same. Any thread. */
Error *records_put(Records *s, const Record *record, const Summary *bytes);

#endif
