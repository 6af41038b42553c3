/* Errors as values: what, where, why, help, and the chain of causes.
 *
 * A function that can fail returns Error *, NULL on success.  Each layer may add
 * one cause; nobody logs and returns.  Independent problems of one phase are
 * joined and printed together. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ERROR_H
#define MODEL_ERROR_H

#include <glib.h>
#include <stdbool.h>

#include "model/summary.h"

enum {
  EXIT_DONE = 0,
  EXIT_REGRESSION = 1,
  EXIT_USAGE = 2,
  EXIT_INPUT = 3,
  EXIT_PROFILE = 4,
  EXIT_STAGE = 5,
  EXIT_OUTPUT = 6,
  EXIT_HELPER = 7,
  EXIT_LIMIT = 8,
  EXIT_INTERNAL = 70,
  EXIT_INTERRUPTED = 130,
  EXIT_TERMINATED = 143
};

/* Errors that the program itself distinguishes; the codes are for people. */
typedef enum ErrorKind {
  ERROR_OTHER,
  ERROR_UNKNOWN_PROFILE, /* nothing is called so */
  ERROR_UNREAD_PROFILE, /* it cannot be read */
  ERROR_MISSING_FACT,   /* a stage needs what nothing provides */
  ERROR_WRONG_INPUT,    /* the same, and only other inputs could */
  ERROR_UNKNOWN_MODULE,
  ERROR_UNSEEN_MODULE,  /* the system did not let us look at it: what it is remains unknown */
  ERROR_UNKNOWN_FORMAT, /* of an input */
  ERROR_SIDE_INPUT,     /* it would be one if it had the label for it */
  ERROR_EMPTY_INPUT,
  ERROR_INTERRUPTED,
  ERROR_REJECTED_OPTION,  /* by the stage itself: the status is that of whoever set it */
  ERROR_UNWRITTEN_FORMAT, /* it was asked for and had nothing to write: all else is in place */
  ERROR_LOST_STAGE, /* it crashed, ended or hung in a process of its own */
  ERROR_BROKEN_RULE       /* a module did what its header forbids: a mistake of its author */
} ErrorKind;

typedef struct Error Error;
struct Error {
  int status;
  ErrorKind kind;
  char *code; /* "PRF-03" */
  char *what;
  GPtrArray *at; /* lines of text: places */
  GPtrArray *why;
  GPtrArray *help;
  GPtrArray *causes; /* innermost first: "file:line: text" */
  Error *next;       /* further independent problems */
  Error *last;       /* of the first one: where the last is, or was; NULL: this one */
};

/* error_new(EXIT_PROFILE, "PRF-03", "unknown stage \"%s\"", name) */
#define error_new(...) error_new_at(__FILE__, __LINE__, __VA_ARGS__)
Error *error_new_at(const char *file, int line, int status, const char *code, const char *format,
                    ...) G_GNUC_PRINTF(5, 6);
/* What is not there, or not for the user, is known; any other errno leaves open what would have been found. */
bool error_is_answer(int error_no);
/* Each returns e, so that calls can be chained. */
Error *error_of_kind(Error *e, ErrorKind kind);
/* Memory that the system refused is a limit, whatever was being done: error_no says why. */
Error *error_of_errno(Error *e, int error_no);
Error *error_of_read(Error *e, const GError *why); /* the same, of g_file_get_contents */
Error *error_at(Error *e, const char *format, ...) G_GNUC_PRINTF(2, 3);
Error *error_why(Error *e, const char *format, ...) G_GNUC_PRINTF(2, 3);
Error *error_help(Error *e, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* "did you mean", when one of the words (NULL-terminated) is near but not the same. */
Error *error_suggest(Error *e, const char *word, const char *const *words);
#define error_cause(...) error_cause_at(__FILE__, __LINE__, __VA_ARGS__)
Error *error_cause_at(const char *file, int line, Error *e, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

Error *error_join(Error *first, Error *then); /* either may be NULL */
Error *error_copy(const Error *e);            /* without those that follow */
void error_free(Error *e);                    /* with all that follow */
/* With all that follow, as bytes; e may be NULL. */
void error_save(const Error *e, Summary *out);
Error *error_load(Summary *from);
/* As people see it, in printable characters; causes when verbose; colour for the word "error". */
#define ERROR_COLOUR "\033[1;31m"
#define ERROR_COLOUR_END "\033[0m"
void error_format(const Error *e, bool verbose, bool colour, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Error, error_free)

#endif
