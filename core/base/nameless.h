/* A temporary file without a name: it is gone when it is closed. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NAMELESS_H
#define BASE_NAMELESS_H

/* -1 and errno: it cannot be made in that folder. */
int nameless_open(const char *folder);

#endif
