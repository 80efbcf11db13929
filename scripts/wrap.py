#!/usr/bin/env python3
"""Breaks lines of prose in Markdown files that are longer than 120 characters; `--check` names them instead.

Code blocks, tables, headings, HTML and links that cannot be broken stay as they are.
"""

import re
import subprocess
import sys
from pathlib import Path

WIDTH = 120
ROOT = Path(__file__).resolve().parents[1]
# Code spans and targets of links are not broken.
TOKEN = re.compile(r"(?:`[^`]*`|\]\([^)]*\)|[^\s`])+|`")
MARK = re.compile(r"^(\s*)((?:[-*+]|\d+[.)])\s+|>\s?)?")


def pages():
    """The pages that Git knows, and new ones that it does not ignore."""
    run = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    skip = ("bench/results/", "fuzz/corpus/")
    return [ROOT / name for name in names if name and not name.startswith(skip) and (ROOT / name).is_file()]


def filled(item):
    """The lines of a paragraph or list item, filled again where one of them is too long."""
    if all(len(line) <= WIDTH for line in item):
        return item
    indent, mark = MARK.match(item[0]).groups()
    mark = mark or ""
    quoted = mark.startswith(">")
    hanging = indent + (mark if quoted else " " * len(mark))
    rest = [item[0][len(indent) + len(mark) :]]
    rest += [line.lstrip().removeprefix(">") if quoted else line for line in item[1:]]
    words = TOKEN.findall(" ".join(rest))
    lines, current = [], indent + mark
    start = len(current)
    for k, word in enumerate(words):
        # No line within a paragraph may begin as a list, a heading or a quotation does.
        begins = re.match(r"(?:[-*+>|]|\d+[.)])$|#", word)
        next_begins = k + 1 < len(words) and re.match(r"(?:[-*+>|]|\d+[.)])$|#", words[k + 1])
        room = len(words[k + 1]) + 1 if next_begins else 0
        if len(current) > start and len(current) + 1 + len(word) + room > WIDTH and not begins:
            lines.append(current)
            current, start = hanging, len(hanging)
        current += ("" if len(current) == start else " ") + word
    return [*lines, current]


def wrapped(text):
    """The text with its prose filled, and the numbers of lines that were too long."""
    out, item, long = [], [], []
    code = comment = False

    def end():
        if item:
            new = filled(item)
            first = number - len(item) + 1
            long.extend(first + k for k, line in enumerate(item) if len(line) > WIDTH and new != item)
            out.extend(new)
            item.clear()

    for number, line in enumerate(text.split("\n")):
        bare = line.lstrip()
        if bare.startswith(("```", "~~~")):
            end()
            code = not code
            out.append(line)
            continue
        comment = comment or bare.startswith("<!--")
        if code or comment or not bare or bare.startswith(("|", "#", "<")) or re.match(r"\[[^]]+\]: ", line):
            end()
            out.append(line)
        else:
            if MARK.match(line).group(2) and not (bare.startswith(">") and item):
                end()
            item.append(line)
            if line.endswith(("  ", "\\")):
                end()
        if "-->" in line:
            comment = False
    end()
    return "\n".join(out), long


def main():
    check, bad = "--check" in sys.argv[1:], 0
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new, long = wrapped(text)
        bad += len(long)
        if not long:
            continue
        if check:
            lines = text.split("\n")
            for number in long:
                place = f"{path.relative_to(ROOT)}:{number}"
                print(f"{place}: must have at most {WIDTH} characters, found {len(lines[number - 1])}")
        else:
            path.write_text(new, encoding="utf-8")
    print(f"{bad} lines {'are too long' if check else 'broken'}")
    return 1 if check and bad else 0


if __name__ == "__main__":
    sys.exit(main())
