/* Wraps, gaps and restarts of a meter; see charge.h. */
/* SPDX-License-Identifier: MIT */
#include "charge.h"

#define JOULES (CHARGE_WATT_NS / 1e9) /* of a unit */

double charge_watts(ChargeUnits units, uint64_t span_ns)
{
  return CHARGE_WATT_NS * (double)units / (double)span_ns;
}

double charge_joules(ChargeUnits units) { return (double)units * JOULES; }

double charge_longest_s(double max_watts) { return (double)CHARGE_PERIOD * JOULES / max_watts; }

/* What the device can take in this time; max_watts is at most 1e9. */
static ChargeUnits most_of(uint64_t span_ns, double max_watts)
{
  return (ChargeUnits)(max_watts * (double)span_ns / CHARGE_WATT_NS);
}

static ChargeUnits smaller(ChargeUnits a, ChargeUnits b) { return a < b ? a : b; }

/* A meter that starts again begins at 0: what it shows it has counted since.  A wrap is believed where it is the
 * shorter way, that is, over less than half a period. */
Charge charge_between(uint32_t before, uint32_t now, uint64_t span_ns, double max_watts)
{
  uint32_t units = now - before;
  ChargeUnits most = most_of(span_ns, max_watts);
  bool goes_back = now < before, fits = charge_watts(units, span_ns) <= max_watts;
  if (goes_back && (!fits || units > UINT32_MAX / 2))
    return (Charge){ CHARGE_RESTARTED, smaller(now, most), most };
  if (!fits) return (Charge){ CHARGE_TOO_HIGH, 0, most };
  if (charge_watts(units + (ChargeUnits)CHARGE_PERIOD, span_ns) > max_watts)
    return (Charge){ CHARGE_KNOWN, units, units };
  ChargeUnits periods = (most - units) / CHARGE_PERIOD;
  ChargeUnits least = goes_back ? smaller(now, units) : (ChargeUnits)units;
  return (Charge){ CHARGE_GAP, least, units + (periods > 0 ? periods : 1) * CHARGE_PERIOD };
}
