/* The executor of the program, in a file of its own so that a test program can link another one. */
/* SPDX-License-Identifier: MIT */
#include "sched/executor.h"

const Executor *executor_of_program(void) { return &executor_threads; }
