/* The parts of an output, for the files of this room. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_OUTPUT_STATE_H
#define OUTPUT_OUTPUT_STATE_H

#include <pthread.h>
#include <sys/types.h>

#include "base/stream.h"
#include "input/file-sum.h"
#include "output/output.h"
#include "output/own-folder.h"

typedef enum {
  OUTPUT_FOLDER,
  OUTPUT_FILE,    /* one, or one per rank */
  OUTPUT_THROUGH, /* standard output, a pipe or a device: written directly */
  OUTPUT_NOWHERE
} OutputKind;

typedef struct Target {
  char *path;     /* "-" for standard output */
  Writer *writer; /* NULL while nobody writes to it: there may be thousands */
  FileSum *sum;   /* of what was written, for a folder of results */
  bool on_disk;   /* the file exists */
} Target;

typedef struct Part {
  int position;
  Target own; /* no path: written directly into the file */
  char *join;
} Part;

typedef struct OutFile {
  char *name;
  const char *writer; /* the sink that writes it; NULL: the program */
  Target own;
  GHashTable *parts; /* Part *, by position */
  GString *captured;
  bool any_lane; /* some lane has a part that is not empty */
  bool placed;   /* its sink writes it by its path; on_disk is set once that was checked */
} OutFile;

typedef struct FileId {
  uint64_t device, inode;
} FileId;

struct Output {
  OutputKind kind;
  char *final;        /* absolute: a module may change the current folder */
  char *profile;      /* of a folder */
  pid_t process;      /* a module may fork a child, which never commits */
  OwnFolder temp;     /* for parts that wait, and for files that are replaced */
  GPtrArray *made;    /* folders above it that this run made, see folder.h */
  char *files;        /* a folder below it, with what is written until all is complete */
  atomic_bool closed; /* no more files are made: the process ends */
  bool force, sync;
  bool adds; /* adds to the run in the folder, whose other files stay */
  pthread_mutex_t lock;
  GPtrArray *list;    /* OutFile *, in the order in which they were begun */
  GHashTable *spared; /* FileId *: of inputs */
  GHashTable *names;  /* the same files by their names */
  GPtrArray *capture; /* char * */
  GHashTable *at;     /* GPtrArray * of OutFile *, by position: which have a part there */
  GHashTable *ended;  /* positions */
  int front;          /* the position whose turn it is */
  unsigned n_parts;
};

void output_file_free(gpointer out_file);
/* Ends a process that did not open this output. */
void output_check_process(const Output *o);
GHashTable *output_spared_new(void); /* A set of FileId *, without any input so far. */
/* An error if a file at that path would replace an input, or something in one. */
Error *output_check_spared(const Output *o, const char *path);
Error *output_write_error(const Output *o, const char *name, const char *why, int error_no);
Error *output_is_ending(void);
/* Opens once more a file that was closed for a while. */
Error *output_need_writer(const Output *o, const OutFile *f, Target *t);
/* Closes it in any case; an error is reported. */
Error *output_shut(const Output *o, const OutFile *f, Writer **writer);

#endif
