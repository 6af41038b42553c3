/* What an output is made of, for the files of this room. */
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
  OUTPUT_THROUGH, /* standard output, a pipe or a device: written as it comes */
  OUTPUT_NOWHERE
} OutputKind;

typedef struct Target {
  char *path;     /* "-" for standard output */
  Writer *writer; /* NULL while nobody writes: there may be thousands of them */
  FileSum *sum;   /* of what was written of a folder's results */
  bool on_disk;   /* it was made */
} Target;

typedef struct Part {
  int position;
  Target own; /* no path: written straight into the file */
  char *join;
} Part;

typedef struct OutFile {
  char *name;
  const char *writer; /* the sink that writes it, or NULL: the program */
  Target own;
  GHashTable *parts; /* Part * by position */
  GString *captured;
  bool any_lane; /* a lane's part was not empty */
  bool placed;   /* its sink writes it by its path; on_disk once that was looked at */
} OutFile;

typedef struct FileId {
  uint64_t device, inode;
} FileId;

struct Output {
  OutputKind kind;
  char *final;        /* absolute: a module may change the current folder */
  char *profile;      /* of a folder */
  pid_t process;      /* a child that a module forks is another one, and never commits */
  OwnFolder temp;     /* parts that wait, and what is replaced */
  GPtrArray *made;    /* folders above it that were not there, see folder.h */
  char *files;        /* below it: what is written, until all is complete */
  atomic_bool closed; /* no file is made any more: the process ends */
  bool force, sync;
  bool adds; /* to the run in the folder: its other files stay */
  pthread_mutex_t lock;
  GPtrArray *list;    /* OutFile *, as they came */
  GHashTable *spared; /* FileId *: what is read */
  GHashTable *names;  /* to the same */
  GPtrArray *capture; /* char * */
  GHashTable *ended;  /* positions */
  int front;          /* the position whose turn it is */
  unsigned n_parts;
};

void output_file_free(gpointer out_file);
/* Ends a process that did not open this output. */
void output_check_process(const Output *o);
GHashTable *output_spared_new(void); /* of FileId *: nothing is read so far */
/* A file at that path would be replaced, which is one of the inputs, or lies in one. */
Error *output_check_spared(const Output *o, const char *path);
Error *output_write_error(const Output *o, const char *name, const char *why, int error_no);
Error *output_is_ending(void);
/* Opens again what was put aside. */
Error *output_need_writer(const Output *o, const OutFile *f, Target *t);
/* Nothing is open after it; a failure is reported in any case. */
Error *output_shut(const Output *o, const OutFile *f, Writer **writer);

#endif
