# SPDX-License-Identifier: GPL-2.0-or-later
"""What only one of many may succeed in: once.py begin|all|look WAY [PROCESSES].

begin: make what is to be removed. all: every process tries each name. look:
somebody has succeeded with each name, and nobody else."""
import os
import sys

ROUNDS = 200


def make(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def lock_link(name, mine):
    os.link(mine, name)


def lock_open(name, mine):
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))


def lock_mkdir(name, mine):
    os.mkdir(name)


def lock_symlink(name, mine):
    os.symlink(mine, name)


def once_unlink(name, mine):
    os.unlink(name)


def once_rename(name, mine):
    os.rename(name, mine + "." + name)


WAYS = {"link": lock_link, "open": lock_open, "mkdir": lock_mkdir,
        "symlink": lock_symlink, "unlink": once_unlink, "rename": once_rename}


def name_of(i):
    return "name%03d" % i


def begin(way):
    for i in range(ROUNDS):
        if way in ("unlink", "rename"):
            make(name_of(i))


def everybody(way, rank):
    mine = "mine%d" % rank
    make(mine)
    with open("won%d" % rank, "w") as won:
        for i in range(ROUNDS):
            try:
                WAYS[way](name_of(i), mine)
                won.write("%d\n" % i)
            except (FileExistsError, FileNotFoundError):
                pass


def look(way, processes):
    winners = [0] * ROUNDS
    for rank in range(processes):
        with open("won%d" % rank) as won:
            for line in won:
                winners[int(line)] += 1
    bad = [n for n in winners if n != 1]
    assert not bad, "wrong: %d of %d names had %d to %d who succeeded in %s" % (
        len(bad), ROUNDS, min(bad), max(bad), way)


if __name__ == "__main__":
    what, way = sys.argv[1:3]
    if what == "begin":
        begin(way)
    elif what == "all":
        everybody(way, int(os.environ["SLURM_PROCID"]))
    else:
        look(way, int(sys.argv[3]))
