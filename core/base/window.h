/* Windows: pieces of a plain file seen through mapped pages, so that nobody has to copy them. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_WINDOW_H
#define BASE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Window {
  char *bytes;       /* SCAN_PAD bytes of 0xFF follow */
  size_t size;       /* whole pages */
  _Atomic bool torn; /* bytes that it showed have vanished from the file: zeros are there */
  struct Window *next, *next_free;
} Window;

Window *window_new(size_t at_least); /* NULL: no address space */
void window_free(Window *w);
/* Shows the file from the page with the byte at `offset` on, instead of what it showed before;
 * *out_at is that byte's offset in the window.  The whole window must be inside the file.
 * False: this file cannot be mapped. */
bool window_show(Window *w, int fd, uint64_t offset, size_t *out_at);

/* When a file shrinks under a window, or its device fails, looking at it raises SIGBUS.  For the
 * handler of that signal: puts zeros there; false: the address is in no window. */
bool window_repair(const void *address);

#endif
