"""Writes the powers of ten that num-shortest.c multiplies by, as 128-bit numbers rounded up."""
# SPDX-License-Identifier: MIT

FIRST, LAST = -292, 324  # what a double can need


def rounded_up(power):
    """10^power scaled by a power of two into [2^127, 2^128)."""
    number, divisor = (10 ** power, 1) if power >= 0 else (1, 10 ** -power)
    shift = 127 - (power * 1741647 >> 19)
    number, divisor = (number << shift, divisor) if shift >= 0 else (number, divisor << -shift)
    scaled = -(-number // divisor)
    assert 1 << 127 <= scaled < 1 << 128, power
    return scaled


print("/* Made by pow10-table.py. */")
print(f"#define POW10_FIRST ({FIRST})")
print(f"static const uint64_t POW10_WIDE[{LAST - FIRST + 1}][2] = {{")
for power in range(FIRST, LAST + 1):
    value = rounded_up(power)
    print(f"  {{ 0x{value >> 64:016x}u, 0x{value & (1 << 64) - 1:016x}u }},")
print("};")
