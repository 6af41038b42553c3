/* The process is ended by one thread, once, and what was written is removed before: whoever else wants to
 * end it waits for that. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_ENDING_H
#define CMD_ENDING_H

#include <stdbool.h>

typedef struct Run Run;

void ending_init(void);      /* in this process: a child that a module forks is another one */
bool ending_is_child(void);  /* such a child asks */
void ending_watch(Run *run); /* that is asked to stop; NULL: there is none */
Run *ending_watched(void);

/* All that follows is safe in a signal handler.  True: this thread ends the process.  False: it is doing so
 * already, and was interrupted.  Does not return while another thread does. */
bool ending_take(void);
/* Child processes, and what was written; says so where files that were there before are still aside. */
void ending_remove(void);

/* The status that the program ends with, whatever modules do from here on. */
void ending_decide(int status);
int ending_status(void);

/* Handlers of crashes, of memory that GLib does not get, and of exit in a module. */
void crash_install(void);
void module_exit_install(void); /* a part of it, and the next one, too */
void module_exec_install(void);
/* For a module that did what ends the program, called from there.  The thread that ends it anyway has a status already. */
_Noreturn void module_end(const char *what, void *caller);

#endif
