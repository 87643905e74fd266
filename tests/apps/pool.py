# SPDX-License-Identifier: GPL-2.0-or-later
"""Python's multiprocessing on files: pool.py one|all|look [PROCESSES].

one: a pool on one node. all: every process has a pool of its own, all count in
one file under a lock and write into one array that is mapped. look: what it
came to."""
import fcntl
import mmap
import multiprocessing
import os
import pickle
import sys

TURNS, WORKERS = 10, 2


def count(path):
    """A counter in a file, under flock, by a new open each time."""
    for _ in range(TURNS):
        with open(path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            value = int(file.read() or b"0") + 1
            file.seek(0)
            file.write(b"%08d" % value)


def square(i):
    with open("part.%d" % i, "wb") as file:
        pickle.dump([i * i] * 1000, file)
    return "part.%d" % i


def one():
    with multiprocessing.Pool(4) as pool:
        for i, path in enumerate(pool.imap(square, range(100))):
            with open(path, "rb") as file:
                assert pickle.load(file) == [i * i] * 1000, path + " is wrong"
    open("count", "wb").close()
    with open("array", "wb") as file:
        file.truncate(64 * 4096)


def fill_row(row):
    with open("array", "r+b") as file:
        with mmap.mmap(file.fileno(), 0) as array:
            array[row * 4096:(row + 1) * 4096] = bytes([row + 1]) * 4096
            array.flush()


def everybody(rank):
    with multiprocessing.Pool(WORKERS) as pool:
        pool.map(count, ["count"] * WORKERS)
        pool.map(fill_row, [rank])


def look(processes):
    with open("count", "rb") as file:
        got, want = int(file.read()), processes * WORKERS * TURNS
    assert got == want, "wrong: counted to %d, should be %d" % (got, want)
    with open("array", "rb") as file:
        for row in range(processes):
            assert file.read(4096) == bytes([row + 1]) * 4096, \
                "wrong: row %d of the array" % row


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "one":
        one()
    elif what == "all":
        everybody(int(os.environ["SLURM_PROCID"]))
    else:
        look(int(sys.argv[2]))
