/* The executor of the program, in a file of its own: a test program has another one in its place. */
#include "sched/executor.h"

const Executor *executor_of_program(void) { return &executor_threads; }
