/* What two readings of a meter of 32 bits say of the charge between them: no events, no host. */
/* SPDX-License-Identifier: MIT */
#ifndef PEC_CHARGE_H
#define PEC_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 ChargeUnits;

/* The meter counts 512 units a microampere second at 12 V: watts = 12 * units / 512 / us. */
#define CHARGE_WATT_NS 23.4375 /* of a unit */
#define CHARGE_PERIOD (INT64_C(1) << 32)

typedef enum ChargeVerdict {
  CHARGE_KNOWN,
  CHARGE_GAP,       /* so long that the meter may have gone through whole periods */
  CHARGE_RESTARTED, /* it went back, and not by a wrap */
  CHARGE_TOO_HIGH,  /* no device takes so much */
  CHARGE_VERDICTS
} ChargeVerdict;

typedef struct Charge {
  ChargeVerdict verdict;
  ChargeUnits least, most; /* the same when it is known */
} Charge;

/* The span is above 0. */
Charge charge_between(uint32_t before, uint32_t now, uint64_t span_ns, double max_watts);
double charge_watts(ChargeUnits units, uint64_t span_ns);
double charge_joules(ChargeUnits units);
/* Up to so many seconds between readings a device cannot use a whole period. */
double charge_longest_s(double max_watts);

#endif
