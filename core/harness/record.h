/* Calls of a test in C, as the items of a case: what the option --cases of a test program prints. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_RECORD_H
#define HARNESS_RECORD_H

#include "case-file.h"

/* From here on calls are written down, as of a case of this name; NULL: no more.  What was written so far, to be
 * freed. */
char *harness_record_begin(const char *name);
/* Another case in the same test. */
void harness_record_next(void);
/* Each may be NULL or 0 where the word has none; nothing happens unless a case was begun. */
void harness_record_item(CaseWord word, const char *rest);
void harness_record_number(CaseWord word, uint64_t number, const char *rest);
void harness_record_value(CaseWord word, uint64_t number, const char *name, const char *value);
void harness_record_line(const char *line);  /* below the item */
void harness_record_row(const char *row);    /* the same, of bytes on one line */
void harness_record_text(const void *bytes, size_t len);
void harness_record_lack(const char *what); /* a case cannot say this */

#endif
