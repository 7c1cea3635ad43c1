#!/usr/bin/env python3
"""The slowest tests of some runs, from what ctest --output-junit wrote.

  slowest_tests.py FILE.xml ...
"""
import sys
import xml.etree.ElementTree as ElementTree

SHOWN = 20


def main():
    found = []
    for file in sys.argv[1:]:
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            found.append((float(case.get("time", 0)), case.get("name"), file.rsplit("/", 1)[-1].split("_")[0]))
    found.sort(reverse=True)
    print(f"{sum(seconds for seconds, _, _ in found):6.0f} s  of all {len(found)} tests together; the slowest:")
    for seconds, name, preset in found[:SHOWN]:
        print(f"{seconds:6.1f} s  {name} ({preset})")


if __name__ == "__main__":
    main()
