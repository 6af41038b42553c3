/* What reading and formatting of numbers share. */
#ifndef BASE_NUM_DIGITS_H
#define BASE_NUM_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 Wide;

static const uint64_t POW10[20] = { 1u,
                                    10u,
                                    100u,
                                    1000u,
                                    10000u,
                                    100000u,
                                    1000000u,
                                    10000000u,
                                    100000000u,
                                    1000000000u,
                                    10000000000u,
                                    100000000000u,
                                    1000000000000u,
                                    10000000000000u,
                                    100000000000000u,
                                    1000000000000000u,
                                    10000000000000000u,
                                    100000000000000000u,
                                    1000000000000000000u,
                                    10000000000000000000u };

/* num-shortest.c: digits * 10^power for a finite v above zero; the last digit is not 0. */
uint64_t num_shortest(double v, int *out_power);

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

#endif
