#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# What bench/coherence measures in one directory: `write DIR` on one node, then
# `measure DIR` on another, which prints lines "CASE SECONDS".
import os
import random
import shutil
import subprocess
import sys
import time

MIB = 1 << 20
SIZE = 64 * MIB
CALLS = 2000
FILES = 300
PACKAGES = ["json", "email", "http", "xml", "unittest", "logging"]

todo, top = sys.argv[1:]
big, other = top + "/big", top + "/other"


def write(path=big):
    with open(path, "wb", buffering=0) as f:
        for _ in range(SIZE // MIB):
            f.write(b"x" * MIB)
        os.fsync(f.fileno())


def read(path, piece=MIB, most=SIZE):
    with open(path, "rb", buffering=0) as f:
        for _ in range(most // piece):
            f.read(piece)


def append():
    with open(top + "/log", "ab", buffering=0) as f:
        for _ in range(CALLS // 4):
            f.write(b"y" * 200)


def random_reads():
    at = random.Random(1)
    with open(big, "rb", buffering=0) as f:
        for _ in range(CALLS):
            os.pread(f.fileno(), 4096, at.randrange(SIZE // 4096) * 4096)


def small_files():
    top_of_them = top + "/small%d" % time.monotonic_ns()
    os.mkdir(top_of_them)
    for i in range(FILES):
        with open("%s/%d" % (top_of_them, i), "wb") as f:
            f.write(b"z" * 4096)
    for i in range(FILES):
        with open("%s/%d" % (top_of_them, i), "rb") as f:
            f.read()


def imports():
    subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, %r);"
                    "import json, email.mime.text, http.client, unittest,"
                    "xml.dom.minidom, logging.config" % (top + "/lib")],
                   check=True)


def timed(name, function, times=3):
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        function()
        took.append(time.perf_counter() - begin)
    print(name, "%.4f" % sorted(took)[len(took) // 2], flush=True)


if todo == "write":
    write(other)
    for package in PACKAGES:
        shutil.copytree(os.path.dirname(os.__file__) + "/" + package,
                        top + "/lib/" + package, dirs_exist_ok=True)
else:
    timed("read-of-other", lambda: read(other), 1)
    timed("write", write)
    timed("read-again", lambda: read(big))
    timed("read-4KiB-in-turn", lambda: read(big, 4096, CALLS * 4096))
    timed("read-4KiB-random", random_reads)
    timed("append-200B", append)
    timed("small-files", small_files)
    timed("python-import", imports)
