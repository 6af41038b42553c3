/* The folder of --state: records that processes leave there of lanes, for each other and for later
 * ones. Each process appends to a file of its own; a record that is cut off does not count. */
#ifndef SCHED_RECORDS_H
#define SCHED_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/error.h"

typedef struct Records Records;

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

/* The error of two records that should be the same bytes. */
typedef Error *(*RecordsDiffer)(const void *context, const RecordKey *key, Summary *one,
                              Summary *other);
typedef struct RecordsJob { /* which run it is of */
  const Summary *bytes;
  char *(*difference)(Summary *theirs, Summary *ours); /* of such bytes; NULL: theirs are none */
  RecordsDiffer differ;
  const void *context;
} RecordsJob;

/* make: the folder, if it is not there; else it is as if it was empty, and takes no record. */
Error *records_open(const char *path, const RecordsJob *job, bool make, Records **out);
void records_free(Records *s); /* NULL is fine */
/* Takes in what has come since the last look. No thread may use the records meanwhile. */
Error *records_look(Records *s);
/* Of those that were there at the last look; RECORD_LANE also finds RECORD_FAILURE. Any thread. */
bool records_has(const Records *s, const RecordKey *key);
/* The same, with what is in it; bytes may be NULL. *out_found is false if there is none. */
Error *records_get(Records *s, const RecordKey *key, bool *out_found, Record *out, Summary *out_bytes);
/* Adds a record. If there is one, its bytes must be the same. Any thread. */
Error *records_put(Records *s, const Record *record, const Summary *bytes);

#endif
