"""Values for every place of a JSON document: those that are no JSON, or hardly, and some that are."""
# SPDX-License-Identifier: MIT

MALFORMED = [
    b'{"a":1,}', b'{"a":1,,"b":2}', b'{,"a":1}', b'{"a"}', b'{"a" 1}', b'{"a"::1}', b'{"a":}', b"{a:1}", b"{'a':1}",
    b'{"a":1 "b":2}', b'{"a":1;"b":2}', b'{"a":1}}', b'{"a":[1}', b'{"a":{1]}', b'{1:2}', b'{"a":"b":1}', b'{"a":1,"b"}',
    b"[1,]", b"[,1]", b"[1,,2]", b"[1 2]", b'["a" "b"]', b'["a":1]', b"[1;2]", b"[}", b"[", b"[1}", b"[tru]", b"[1.]", b"[[],]",
    b"tru", b"True", b"nul", b"nulll", b"false1", b"NaN", b"-Infinity", b"nan", b"undefined", b"1true",
    b"01", b"-01", b"+1", b".5", b"1.", b"-", b"--1", b"1e", b"1e+", b"1.e5", b"0x10", b"1_000", b"1.2.3", b"1,5", b"1e5.5",
    b'"a', b'"a"b"', b'"\\x"', b'"\\u12g4"', b'"\\u12', b'"a\tb"', b'"\x00"', b'"\xff"', b'"\xc3("', b'"\xed\xa0\x80"', b"'a'", b'""a',
    b"", b" ", b"/* a */ 1", b"// a", b"\\", b"\x00", b"\xc3\xa9", b"\xef\xbb\xbf1",
]
VALID = [
    b"{}", b"[]", b'{"a":{"b":[{"c":[]}]}}', b"[[],{}]", b'[ 1 , -2.5e-3 , "\\\\" ]', b"0", b"-0", b"0.0", b"1E5", b"true", b"null",
    b'"\\u00e9\\/\\""', '"\u00e9\U0001f600"'.encode(), b'"{\\"ph\\":"', b'\n\t{\r "a" : 1 }',
]
