/* What the files of the workload-card source share: run folders, cards, tags from both. */
/* SPDX-License-Identifier: MIT */
#ifndef WORKLOAD_CARD_H
#define WORKLOAD_CARD_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/run-names.h"

enum {
  CARD_NO_RESULTS = 1,
  CARD_UNREADABLE = 2,
  CARD_NOTHING = 3,
  CARD_LEFT_OUT = 4,
  CARD_WRONG_TYPE = 5,
  CARD_IDLE_RUN = 6,
  CARD_SUMMARY = 7,
  CARD_TWICE = 8,
  CARD_N_NOTICES = 8
};
extern const MillNotice card_notices[CARD_N_NOTICES];

/* A file or folder of a run that some source reads. */
typedef struct Found {
  char *path;
  const char *source; /* NULL: whoever knows its bytes */
} Found;

/* A run folder: what lies in it, and its card. */
typedef struct RunFolder {
  char *path;
  char *card_path;  /* or NULL */
  bool has_signs;   /* results or gate logs: a run folder without a card too */
  GPtrArray *found; /* Found, in the order of reading */
  GPtrArray *
      loose; /* Found: other files, of what is neither a run nor has a card; inputs beside runs below it */
  GPtrArray *own;  /* Found: all files, of what has neither, where results are among them */
  bool is_flat;    /* it has only these, which are known by their own names */
  bool has_inputs; /* files that some source may read */
} RunFolder;

typedef enum CardState {
  CARD_ABSENT,
  CARD_READ,
  CARD_BROKEN,
  CARD_FOREIGN /* a YAML file of another program */
} CardState;

typedef struct Card {
  CardState state;
  char *place;     /* "path:line:column" of what is broken */
  char *why;       /* of a broken one */
  GPtrArray *tags; /* "name=value" */
} Card;

/* True when the folder can be listed; then *out is to be cleared. */
bool run_folder_look(const MillSourceHost *host, const char *path, RunFolder *out);
void run_folder_clear(RunFolder *run);
void run_folder_adopt(RunFolder *run); /* it is a run whose files are its own ones */
/* The folders in a folder that may be run folders, hidden ones left out: names. */
GPtrArray *folder_children(const MillSourceHost *host, const char *path);

/* Wrong types are counted. */
void card_read(const MillSourceHost *host, const RunFolder *run, Card *out);
void card_clear(Card *card);

#endif
