/* What sources say about their input: failures by their rows, places, what is known of it at once. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_INPUT_H
#define KIT_INPUT_H

#include <glib.h>
#include <stagemill/source.h>

/* Fails with the help of the row of that number, which must be there, and returns the status.
 * `what` NULL: what the row says; `where` and `why` may be NULL, too. */
int input_fail(const MillHost *common, const MillNotice *rows, uint32_t number, int status,
               const char *what, const char *where, const char *why);
/* Malformed input, at this place of it; line 0: all of it, which the host names. */
int input_fail_at(const MillHost *common, const MillNotice *rows, uint32_t number, uint64_t line,
                  uint64_t column, const char *what, const char *why);
char *input_place(const char *file, uint64_t line, uint64_t column); /* g_free */

void input_describe(const MillSourceHost *host, const char *key, const char *text);
/* Describes the tag `file`: the name of the input, if it has a path. */
void input_tag_file(const MillSourceHost *host);

/* Adds all bytes of the input to *out.  1: there are more than `most`; negative: reading failed. */
int input_read_all(const MillSourceHost *host, size_t most, GString *out);

/* Sources that look ahead read a plain file once more from its start.  False: it can be read only once. */
bool input_can_read_again(const MillHost *common, MillLane *out);
/* Enters it again, to where so many bytes were read before; false when it has no more as many. */
bool input_go_back(const MillSourceHost *host, const char *path, uint64_t n_read);

#endif
