# SPDX-License-Identifier: MIT
"""Text of events: JSON strings, and secrets.

All that the library hides (lib/event/redact.c) is hidden here, too, and more,
since the rules are coarser. A test compares both.
"""

import re

try:
    from _json import encode_basestring
except ImportError:  # the package json takes long to load
    from json.encoder import encode_basestring

HIDDEN = "<REDACTED>"

_SURROGATE = re.compile("[\ud800-\udfff]")

# Last words of secret names, in letters only.
_SECRETS = ("token", "secret", "password", "passwd", "passphrase", "pass", "key",
            "signature", "sig", "pwd")
_WORD = re.compile("[A-Z]*[a-z]*")
_HEADER = ("authorization", "cookie")
# Options of these programs whose value, the next word, is a secret.
_OPTIONS = {"curl": {"-u", "--user", "-U", "--proxy-user"}, "sshpass": {"-p"}}

_NAME = r"(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]+)"
_DARK = re.compile(r"[^\x00-\x20]*")
_LINE = re.compile(r"[^\r\n]*")
_QUOTED = re.compile(r"(?:[^\"]|(?<=\\)\")*")
_SINGLE = re.compile("[^']*")
_WORDS = re.compile(r"[^\x00-\x20]+")
_SLASHES = re.compile(r":(?://|\\/\\/)")
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:gh[opusr]_|github_pat_|glpat-|AKIA|ASIA|xox[abps]-|sk-|[rs]k_live_"
    r"|sk_test_|npm_|pypi-AgE|AIza|hf_|dop_v1_|dckr_pat_|tskey-|eyJ)([A-Za-z0-9_.-]{10,})")
_PRIVATE_KEY = re.compile("-----BEGIN [^-]*PRIVATE KEY")
_HINT = re.compile("[:=-]|[A-Za-z0-9_.]{14}")


def string(text):
    """Return a JSON string; a lone surrogate, for a byte that is not UTF-8,
    becomes U+FFFD."""
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    return encode_basestring(text)


def is_secret_name(name):
    """Does a word of the name, with the words before it, end like the name of a secret?"""
    letters = ""
    for word in _WORD.findall(name):
        letters += word.lower()
        if word and letters.endswith(_SECRETS):
            return True
    return False


def _is_header(name):
    return name.lower().endswith(_HEADER) or is_secret_name(name)


def redact(text):
    """Replace parts that look like secrets."""
    if not _HINT.search(text):
        return text
    spans = sorted(_spans(text))
    if not spans:
        return text
    parts = []
    copied = 0
    for start, end in spans:
        if end <= copied:
            continue
        if start > copied or not copied:
            parts.append(text[copied:start])
            parts.append(HIDDEN)
        copied = end
    parts.append(text[copied:])
    return "".join(parts)


# Each rule: a name, the end of its value, and the test whether the value is a
# secret.
_RULES = (
    (re.compile(_NAME + "=(?![\"'])"), _DARK, is_secret_name),
    (re.compile(_NAME + "=\""), _QUOTED, is_secret_name),
    (re.compile(_NAME + "='"), _SINGLE, is_secret_name),
    (re.compile(_NAME + r"[ \"']*:(?!//.|\\/\\/.)[ \t\"']*", re.DOTALL), _LINE, _is_header),
    (re.compile(_NAME + r"\"[ \"']*:[ \t]*\"[ \t\"']*"), _QUOTED, is_secret_name),
    (re.compile(r"(?<![A-Za-z0-9_.-])(-[A-Za-z0-9_.-]+) (?!-)"), _DARK, is_secret_name),
)


def _spans(text):
    for pattern, end, judge in _RULES:
        behind = 0
        for match in pattern.finditer(text):
            start = match.end()
            if start < behind or not judge(match.group(1)):
                continue
            # If the whole string is the assignment, the value is the whole
            # rest.
            whole = end is _DARK and not match.start() and match.group()[-1] == "="
            behind = len(text) if whole else end.match(text, start).end()
            if start < behind:
                yield start, behind
    for word in _WORDS.finditer(text):
        slashes = _SLASHES.search(text, word.start(), word.end())
        if slashes:
            at = text.rfind("@", slashes.end(), word.end())
            if at > slashes.end():
                yield slashes.end(), at
    for match in _TOKEN.finditer(text):
        yield match.span(1)
    match = _PRIVATE_KEY.search(text)
    if match and match.end() < len(text):
        yield match.end(), len(text)


def is_secret_option(program, option):
    """Is the word after this option a secret?"""
    if option[:1] != "-":
        return False
    return is_secret_name(option) and "=" not in option or \
        option in _OPTIONS.get(program.rpartition("/")[2], ())
