"""What strict readers raise, and the reading of texts that they share."""
# SPDX-License-Identifier: MIT


class Broken(Exception):
    pass


def text_of(data, what):
    """UTF-8 without a byte order mark, without halves of pairs."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as why:
        raise Broken(f"{what}: not UTF-8: {why}") from None
    if "\0" in text:
        raise Broken(f"{what}: a NUL")
    if text.startswith("\ufeff"):
        raise Broken(f"{what}: a byte order mark")
    return text
