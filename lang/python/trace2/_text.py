# SPDX-License-Identifier: MIT
"""Text of events: JSON strings, and secrets."""

import re
from json.encoder import encode_basestring

HIDDEN = "<REDACTED>"

_SURROGATE = re.compile("[\ud800-\udfff]")
_SECRETS = {"token", "secret", "password", "passwd", "signature", "key"}
# Words end where letters end, and at humps.
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_WORD = re.compile("[A-Za-z]+")
# Where a word ends: quotes end it only where they close.
_GAP = r"[\x00-\x20]|[\"'`<>]{1,4}(?:[\x00-\x20,;:)\]}]|\Z)|\Z"
_ASSIGNMENT = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]*=")
_AUTHORIZATION = re.compile(r"(?i:authorization)[ \"']*:(?!//.|\\/\\/.)[ \t\"']*", re.DOTALL)
_URL = re.compile(r"[A-Za-z0-9]:(?://|\\/\\/)")
_WORD_END = re.compile(_GAP)
_LINE_END = re.compile(r"[\r\n]|(?=[\"'`<>])(?:" + _GAP + r")|\Z")
_VALUE_END = {
    '"': re.compile(r'(?<!\\)"|\Z'),
    "'": re.compile(r"'|\Z"),
    "": re.compile(r"[&;#]|" + _GAP),
}
_USER_END = re.compile("[:@/?#]")
_QUERY = re.compile(r"[?#]|\Z")
_WAS_HIDDEN = re.compile(HIDDEN + "(?![A-Za-z0-9_.-])")
_PORT = re.compile(r"[0-9]{0,5}(?:\Z|[\x00-\x20\"'`<>/?#]|\\/)")


def string(text):
    """Return a JSON string; a lone surrogate, for a byte that is not UTF-8,
    becomes U+FFFD."""
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    return encode_basestring(text)


def is_secret_name(name):
    words = _WORD.findall(_HUMP.sub(" ", name))
    return any(word.lower() in _SECRETS for word in words)


def redact(text):
    """Replace secrets, by the rules of the library (lib/event/redact.c)."""
    if ":" not in text and "=" not in text:
        return text
    spans = [(start, end) for start, end in _spans(text)
             if start < end and not _WAS_HIDDEN.match(text, start)]
    if not spans:
        return text
    spans.sort()
    parts = []
    copied = 0
    start, end = spans[0]
    for next_start, next_end in spans[1:] + [(len(text) + 1, 0)]:
        if next_start <= end:
            end = max(end, next_end)
            continue
        parts.append(text[copied:start])
        parts.append(HIDDEN)
        copied = end
        start, end = next_start, next_end
    parts.append(text[copied:])
    return "".join(parts)


def _spans(text):
    search = _Search(text)
    for match in _AUTHORIZATION.finditer(text):
        yield match.end(), search.end(_LINE_END, match.end())
    for match in _URL.finditer(text):
        yield search.userinfo(match.start() + 1, match.end())
    for match in _ASSIGNMENT.finditer(text):
        if is_secret_name(match.group()[:-1]):
            yield search.value(match.start(), match.end())


class _Search:
    """What is known of a text: one full of "://" is searched once, not once for
    each."""

    def __init__(self, text):
        self.text = text
        self.ends = {}
        self.word_end = self.query = -1
        self.at = self.at_before_query = -1

    def end(self, pattern, start):
        """Return where a value ends that begins at start."""
        since, to = self.ends.get(pattern, (1, 0))
        if not since <= start <= to:
            to = pattern.search(self.text, start).start()
            self.ends[pattern] = start, to
        return to

    def value(self, name, start):
        quote = self.text[start:start + 1]
        if quote not in ('"', "'"):
            # If the whole string is the assignment, the value is all the rest.
            if not name:
                return start, len(self.text)
            quote = ""
        start += len(quote)
        return start, self.end(_VALUE_END[quote], start)

    def _look_around(self, place):
        moved = place >= self.word_end
        if moved:
            self.word_end = _WORD_END.search(self.text, place).start()
            self.at = self.text.rfind("@", place, self.word_end)
        if moved or place > self.query:
            self.query = _QUERY.search(self.text, place, self.word_end).start()
            self.at_before_query = self.text.rfind("@", place, self.query)

    def userinfo(self, colon, start):
        """Return what to hide of a URL; its part behind "://" begins at start."""
        match = _USER_END.search(self.text, start)
        if not match or match.group() in "/?#":
            return 0, 0
        end = match.start()
        if self.end(_WORD_END, start) <= end:
            return 0, 0
        if match.group() == "@":
            http = self.text[max(0, colon - 5):colon].lower().endswith(("http", "https"))
            return (start, end) if http else (0, 0)
        start = end + 1
        if _PORT.match(self.text, start):
            return 0, 0
        self._look_around(start)
        # None, or an empty one, unless the '?' or '#' is part of it.
        at = self.at_before_query
        return start, at if at > start else self.at
