/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that unmodified programs read files in segments through
 * libsluice_segments.so. */
#include "config.h"
#include "tests/unit/select_io/segment_files.h"

#include <sys/wait.h>
#include "common/proc.h"

#ifndef __SANITIZE_ADDRESS__
/* Commands of a shell in which all programs have the library. $f is the file
 * as it was, $s the one in segments. */
static const char *const commands[] = {
	"cmp $f $s && cmp $s $f",
	"cat $s | cmp - $f",
	"cat <$s | cmp - $f",
	"cat $s >$d/copy && cmp $d/copy $f",
	"cp $s $d/copy && cmp $d/copy $f",
	"test $(stat -c %s $s) = $(stat -c %s $f)",
	"test $(wc -c <$s) = $(wc -c <$f)",
	"tail -c 140000 $s | cmp - $d/tail",
	"dd if=$s bs=1000 skip=50 count=100 status=none | cmp - $d/middle",
	/* where the file system has direct reading at all */
	"! dd if=$f iflag=direct bs=4k count=1 of=/dev/null 2>/dev/null || "
	"dd if=$s iflag=direct bs=64k status=none | cmp - $f",
	"test \"$(md5sum <$s)\" = \"$(md5sum <$f)\"",
	"(dd bs=70000 count=1 status=none; cat) <$s | cmp - $f",
	"sort $s | cmp - $d/sorted && sort <$s | cmp - $d/sorted",
	"uniq -c $s | cmp - $d/uniq && uniq -c <$s | cmp - $d/uniq",
	"shuf $s | LC_ALL=C sort | cmp - $d/csorted",
	"head -c 10 $d/ordinary | grep -q 012345678",
	"python3 -c '\n"
	"import ctypes, errno, sys\n"
	"c = ctypes.CDLL(None, use_errno=True)\n"
	"was = open(sys.argv[1], \"rb\").read()\n"
	"for call in \"creat\", \"creat64\", \"truncate\", \"truncate64\":\n"
	"    how = ctypes.c_long(0o600 if \"creat\" in call else 5)\n"
	"    got = getattr(c, call)(sys.argv[1].encode(), how)\n"
	"    assert got == -1 and ctypes.get_errno() == errno.EROFS, call\n"
	"    own = (sys.argv[2] + \"/\" + call).encode()\n"
	"    if \"trunc\" in call: open(own, \"w\").close()\n"
	"    assert getattr(c, call)(own, how) >= 0, call\n"
	"assert open(sys.argv[1], \"rb\").read() == was\n"
	"' $s $d",
	/* clones would be of the index; FIONREAD; "e" of fopen() */
	"python3 -c '\n"
	"import array, ctypes, errno, fcntl, os, struct, sys\n"
	"s, to = open(sys.argv[1], \"rb\"), open(sys.argv[2], \"wb\")\n"
	"size, src = os.path.getsize(sys.argv[1]), s.fileno()\n"
	"def fails(*call):\n"
	"    try: fcntl.ioctl(*call)\n"
	"    except OSError as e: return e.errno == errno.EXDEV\n"
	"assert fails(to, 0x40049409, src)\n"
	"assert fails(to, 0x4020940d, struct.pack(\"qQQQ\", src, 0, 0, 0))\n"
	"assert fails(s, 0xc0189436, struct.pack(\"QQHHIqQQiI\", 0, 9, 1, 0, "
	"0, to.fileno(), 0, 0, 0, 0))\n"
	"left = array.array(\"i\", [0])\n"
	"os.lseek(src, 7, 0)\n"
	"assert fcntl.ioctl(s, 0x541b, left) == 0 and left[0] == size - 7\n"
	"c = ctypes.CDLL(None)\n"
	"c.fopen.restype, c.fileno.argtypes = ctypes.c_void_p, "
	"[ctypes.c_void_p]\n"
	"h = c.fopen(sys.argv[1].encode(), b\"re\")\n"
	"assert not os.get_inheritable(c.fileno(h))\n"
	"' $s $d/clone",
	/* where the parts cannot be found, the index is not read instead */
	"test $(id -u) != 0 || { unshare -m sh -c 'umount -l /proc; "
	"cat $s >$d/raw' 2>/dev/null; ! test -s $d/raw; }",
	"! sh -c 'echo x >>$s' 2>/dev/null && ! sh -c 'echo x >$s' 2>/dev/null",
	"grep -c . $s >$d/a; grep -c . $f >$d/b; cmp $d/a $d/b",
	"python3 -c '\n"
	"import mmap, os, sys\n"
	"f, s = sys.argv[1:3]\n"
	"a = open(f, \"rb\").read()\n"
	"with open(s, \"rb\") as h:\n"
	"    assert h.read() == a\n"
	"    for at in 0, 1, 65535, 65536, 196607, 196608, len(a) - 1:\n"
	"        h.seek(at)\n"
	"        assert h.read(70000) == a[at:at + 70000], at\n"
	"        assert os.pread(h.fileno(), 5, at) == a[at:at + 5], at\n"
	"    h.seek(-5, 2)\n"
	"    assert h.read() == a[-5:]\n"
	"    assert os.path.getsize(s) == len(a)\n"
	"    assert os.fstat(h.fileno()).st_size == len(a)\n"
	"    m = mmap.mmap(h.fileno(), 0, access=mmap.ACCESS_READ)\n"
	"    assert m[:] == a\n"
	"    m = mmap.mmap(h.fileno(), 65536, offset=65536,\n"
	"                  access=mmap.ACCESS_READ)\n"
	"    assert m[:] == a[65536:131072]\n"
	"    b = bytearray(100000)\n"
	"    os.lseek(h.fileno(), 3, 0)\n"
	"    assert os.readv(h.fileno(), [b]) == 100000\n"
	"    assert b == a[3:100003]\n"
	"    assert os.preadv(h.fileno(), [b], 3) == 100000\n"
	"    assert b == a[3:100003]\n"
	"    try:\n"
	"        sys.exit(os.preadv(h.fileno(), [b], -5))\n"
	"    except OSError as e:\n"
	"        assert e.errno == 22, e\n"
	"    try:\n"
	"        sys.exit(os.lseek(h.fileno(), 2 ** 63 - 1, 2))\n"
	"    except OSError as e:\n"
	"        assert e.errno in (22, 75), e\n"
	"    two = os.dup(h.fileno())\n"
	"    os.lseek(two, 65530, 0)\n"
	"    assert os.read(h.fileno(), 20) == a[65530:65550]\n"
	"    pid = os.fork()\n"
	"    if pid == 0:\n"
	"        os._exit(os.read(two, 20) != a[65550:65570])\n"
	"    assert os.waitpid(pid, 0)[1] == 0\n"
	"    assert os.lseek(two, 0, 1) == 65570\n"
	"' $f $s",
	/* what was linked before glibc 2.33; aio; freopen; vfork */
	"python3 -c '\n"
	"import ctypes, os, subprocess, sys, threading\n"
	"f, s = sys.argv[1:3]\n"
	"a = open(f, \"rb\").read()\n"
	"c = ctypes.CDLL(None, use_errno=True)\n"
	"h = os.open(s, os.O_RDONLY)\n"
	"st = (ctypes.c_uint64 * 32)()\n"
	"name = s.encode()\n"
	"for x in \"\", \"64\":\n"
	"    for call, args in ((\"__fxstat\", (1, h, st)),\n"
	"                       (\"__xstat\", (1, name, st)),\n"
	"                       (\"__lxstat\", (1, name, st)),\n"
	"                       (\"__fxstatat\", (1, -100, name, st, 0))):\n"
	"        st[6] = 0\n"
	"        assert getattr(c, call + x)(*args) == 0\n"
	"        assert st[6] == len(a), (call + x, st[6])\n"
	"class Block(ctypes.Structure):\n"
	"    _fields_ = [(\"fd\", ctypes.c_int), (\"op\", ctypes.c_int),\n"
	"                (\"prio\", ctypes.c_int), (\"buf\", ctypes.c_void_p),\n"
	"                (\"n\", ctypes.c_size_t), (\"value\", ctypes.c_void_p),\n"
	"                (\"signo\", ctypes.c_int), (\"how\", ctypes.c_int),\n"
	"                (\"rest\", ctypes.c_char * 256)]\n"
	"b = ctypes.create_string_buffer(70000)\n"
	"k = Block(fd=h, buf=ctypes.addressof(b), n=70000, how=1)\n"
	"assert c.aio_read(ctypes.byref(k)) == 0\n"
	"assert c.aio_error(ctypes.byref(k)) == 0\n"
	"assert c.aio_return(ctypes.byref(k)) == 70000\n"
	"assert b.raw == a[:70000]\n"
	"k.how = 0\n"
	"assert c.aio_read(ctypes.byref(k)) == -1\n"
	"c.fopen.restype = c.freopen.restype = ctypes.c_void_p\n"
	"o = c.fopen(b\"/dev/null\", b\"r\")\n"
	"assert c.freopen(name, b\"r\", ctypes.c_void_p(o)) is None\n"
	"# the child of vfork puts another file in its place\n"
	"n = os.open(\"/dev/null\", os.O_RDONLY)\n"
	"os.dup2(h, 0)\n"
	"subprocess.run([\"true\"], stdin=n, check=True, close_fds=False)\n"
	"assert os.pread(0, 9, 65530) == a[65530:65539]\n"
	"# who reads together gets every byte once\n"
	"os.lseek(h, 0, 0)\n"
	"got = []\n"
	"def reader():\n"
	"    while True:\n"
	"        x = os.read(h, 1000)\n"
	"        if not x: return\n"
	"        got.append(x)\n"
	"t = [threading.Thread(target=reader) for _ in range(4)]\n"
	"for x in t: x.start()\n"
	"for x in t: x.join()\n"
	"assert sum(map(len, got)) == len(a)\n"
	"assert len(set(got)) == len(got)\n"
	"' $f $s",
	/* one descriptor for the index, one for all its parts in turn; with
	 * less the file cannot be opened, and the index is not shown for it */
	"(ulimit -n 5; exec cat $s) | cmp - $f",
	"(ulimit -n 5; exec cat $s $s) >$d/a; cat $f $f | cmp - $d/a",
	"(ulimit -n 4; exec cat) <$s | cmp - $f",
	"(ulimit -n 6; exec cmp $f $s) && (ulimit -n 6; exec cmp $s $s)",
	"(ulimit -n 4; exec cat $s) >$d/a 2>$d/b; test $? = 1 && "
	"test ! -s $d/a && grep -q 'Too many open files' $d/b",
	"(ulimit -n 4; exec stat -c %s $s) | grep -qx $(stat -c %s $f)",
	"python3 -c '\n"
	"import errno, os, resource, sys, threading\n"
	"f, s, d = sys.argv[1:4]\n"
	"a = open(f, \"rb\").read()\n"
	"plain = d + \"/ordinary\"\n"
	"text = open(plain, \"rb\").read()\n"
	"def whole(fd):\n"
	"    return b\"\".join(os.pread(fd, 99999, at)\n"
	"                    for at in range(0, len(a), 99999))\n"
	"# no descriptors left\n"
	"resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))\n"
	"h = os.open(s, os.O_RDONLY)\n"
	"dups = []\n"
	"while True:\n"
	"    try:\n"
	"        dups.append(os.dup(h))\n"
	"    except OSError:\n"
	"        break\n"
	"assert whole(h) == a and whole(dups[-1]) == a\n"
	"assert os.stat(s).st_size == len(a)\n"
	"try:\n"
	"    assert whole(os.open(s, os.O_RDONLY)) == a\n"
	"except OSError as e:\n"
	"    assert e.errno == errno.EMFILE\n"
	"for fd in dups: os.close(fd)\n"
	"# parts are closed, and their numbers are other files\n"
	"assert whole(h) == a\n"
	"p = os.open(plain, os.O_RDONLY)\n"
	"os.closerange(200, 300)\n"
	"assert whole(h) == a\n"
	"for fd in range(200, 220): os.dup2(p, fd)\n"
	"assert whole(h) == a\n"
	"pid = os.fork()\n"
	"if pid == 0:\n"
	"    os.closerange(200, 300)\n"
	"    os._exit(whole(h) != a)\n"
	"assert os.waitpid(pid, 0)[1] == 0\n"
	"os.close(h)\n"
	"for fd in range(200, 220): assert os.pread(fd, 99, 0) == text\n"
	"# so is the index\n"
	"h = os.open(s, os.O_RDONLY)\n"
	"os.closerange(h, 300)\n"
	"p = os.open(plain, os.O_RDONLY)\n"
	"assert p == h and os.read(p, 99) == text\n"
	"os.close(p)\n"
	"# it is put in the place of another, and another in its\n"
	"h = os.open(s, os.O_RDONLY)\n"
	"p = os.open(plain, os.O_RDONLY)\n"
	"os.dup2(h, 100)\n"
	"os.dup2(p, h)\n"
	"assert os.pread(h, 99, 0) == text and whole(100) == a\n"
	"# many read it, while descriptors come and go\n"
	"bad = []\n"
	"def reader():\n"
	"    for _ in range(20):\n"
	"        if whole(100) != a: bad.append(1)\n"
	"def other():\n"
	"    for _ in range(200):\n"
	"        fd = os.open(s, os.O_RDONLY)\n"
	"        if os.pread(fd, 9, 65530) != a[65530:65539]: bad.append(2)\n"
	"        os.close(fd)\n"
	"t = [threading.Thread(target=g) for g in (reader, other) * 3]\n"
	"for x in t: x.start()\n"
	"for x in t: x.join()\n"
	"assert not bad, bad\n"
	"' $f $s $d",
};

/* What fio has written with checksums, read in order, at random, and mapped. */
static const char *const fio[] = {
	"fio --minimal --name=r --filename=$s --rw=read --bs=4k --size=1m "
	"--ioengine=psync --verify=crc32c --verify_fatal=1 >/dev/null",
	"fio --minimal --name=r --filename=$s --rw=randread --bs=4k --size=1m "
	"--ioengine=sync --verify=crc32c --verify_fatal=1 >/dev/null",
	"fio --minimal --name=r --filename=$s --rw=randread --bs=4k --size=1m "
	"--ioengine=mmap --verify=crc32c --verify_fatal=1 >/dev/null",
};

/* Direct, where the file system can. */
static const char fio_direct[] =
	"! dd if=$f iflag=direct bs=4k count=1 of=/dev/null 2>/dev/null || "
	"fio --minimal --name=r --filename=$s --rw=randread --bs=4k --size=1m "
	"--direct=1 --ioengine=psync --verify=crc32c --verify_fatal=1 "
	">/dev/null";

/* Without its second part: an error, no zeros. */
static const char *const broken[] = {
	"! cat $s >/dev/null 2>&1",
	"python3 -c '\n"
	"import errno, mmap, os, sys\n"
	"h = os.open(sys.argv[1], os.O_RDONLY)\n"
	"m = mmap.mmap(h, 65536, access=mmap.ACCESS_READ)\n"
	"for n in 0, 131072:\n"
	"    try:\n"
	"        mmap.mmap(h, n, access=mmap.ACCESS_READ)\n"
	"        sys.exit(\"mapped\")\n"
	"    except OSError as e:\n"
	"        assert e.errno in (errno.EIO, errno.ENOENT), e\n"
	"' $s",
};

/* An index that somebody else wrote leads nowhere but to his own plain files
 * beside it: not by a link, nor by one that comes later in the place of its
 * directory, nor to a stranger's. */
static const char *const led_away[] = {
	"! cat $d/file 2>$d/why && grep -q 'symbolic links' $d/why",
	"! cat $d/way 2>$d/why && grep -q 'symbolic links' $d/why",
	"! cmp $d/file $d/secret/key 2>/dev/null",
	"! cat $d/pipe 2>/dev/null",
	"! cat $d/stranger 2>/dev/null",
	"python3 -c '\n"
	"import errno, os, sys\n"
	"d = sys.argv[1]\n"
	"def opened():\n"
	"    os.mkdir(d + \"/moves\")\n"
	"    open(d + \"/moves/key\", \"w\").write(\"harmless\\n\")\n"
	"    open(d + \"/moves/i\", \"w\").write(\"sluice-segments 1 9\\n\"\n"
	"                                      \"9 key\\n\")\n"
	"    return os.open(d + \"/moves/i\", os.O_RDONLY)\n"
	"h = opened()\n"
	"assert os.pread(h, 9, 0) == b\"harmless\\n\"\n"
	"os.dup2(os.open(\"/dev/null\", os.O_RDONLY), 200)\n"
	"os.closerange(200, 210)\n" /* the part has to be opened again */
	"os.rename(d + \"/moves\", d + \"/moved\")\n"
	"os.symlink(d + \"/secret\", d + \"/moves\")\n"
	"try:\n"
	"    sys.exit(os.pread(h, 9, 0))\n"
	"except OSError as e:\n"
	"    assert e.errno == errno.ELOOP, e\n"
	"' $d",
};

static void shell(const char *command)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
	struct slu_buf out = {0};

	expect(!slu_run(argv, 60, &out, &err), "%s: %s %s", command, err.text,
	       out.data ? out.data : "");
	slu_buf_free(&out);
}

static void set_names(const char *from, const char *to)
{
	setenv("f", from, 1);
	setenv("s", to, 1);
	setenv("d", tmpdir(), 1);
}

START_TEST(test_programs)
{
	char *library = realpath(".libs/libsluice_segments.so", NULL);
	char *from = path("from"), *to = path("to");

	expect(library, "no library");
	set_names(from, to);
	make_random(from, 1000 * KIB + 77);
	shell("tail -c 140000 $f >$d/tail; echo 0123456789 >$d/ordinary;"
	      "sort $f >$d/sorted; uniq -c $f >$d/uniq;"
	      "LC_ALL=C sort $f >$d/csorted;"
	      "dd if=$f bs=1000 skip=50 count=100 status=none >$d/middle");
	expect_ok(cut(from, to, &plain), err);
	setenv("LD_PRELOAD", library, 1);
	each(c, commands) shell(*c);
	unsetenv("LD_PRELOAD");
	shell("truncate -s -4096 $s.segments/8ost-2m/part-01");
	setenv("LD_PRELOAD", library, 1);
	each(c, broken) shell(*c);
	unsetenv("LD_PRELOAD");
	shell("rm $s.segments/8ost-2m/part-01");
	setenv("LD_PRELOAD", library, 1);
	each(c, broken) shell(*c);
	unsetenv("LD_PRELOAD");
	shell("! cmp -s $f $s"); /* without it there is only the index */
	free(library);
	free(from);
	free(to);
}
END_TEST

START_TEST(test_led_away)
{
	char *library = realpath(".libs/libsluice_segments.so", NULL);

	setenv("d", tmpdir(), 1);
	shell("mkdir $d/secret $d/x.segments; echo password >$d/secret/key;"
	      "ln -s $d/secret/key $d/x.segments/part-00;"
	      "ln -s $d/secret $d/y.segments; mkfifo $d/x.segments/fifo;"
	      "echo password >$d/x.segments/his;"
	      "! test $(id -u) = 0 || chown 1 $d/x.segments/his;"
	      "test $(id -u) = 0 || rm $d/x.segments/his;"
	      "i() { printf 'sluice-segments 1 9\n9 %s\n' $2 >$d/$1; };"
	      "i file x.segments/part-00; i way y.segments/key;"
	      "i pipe x.segments/fifo; i stranger x.segments/his");
	setenv("LD_PRELOAD", library, 1);
	each(c, led_away) shell(*c);
	unsetenv("LD_PRELOAD");
	free(library);
}
END_TEST

/* Without the library the program would read the index instead. */
START_TEST(test_no_library)
{
	int status = system("SLUICE_SEGMENTS_LIBRARY=/none/x "
			    "./sluice-segments run true 2>/dev/null");

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 126);
}
END_TEST

START_TEST(test_fio)
{
	char *library = realpath(".libs/libsluice_segments.so", NULL);
	char *from = path("from"), *to = path("to");

	if (system("command -v fio >/dev/null")) {
		skip("no fio here");
		return;
	}
	set_names(from, to);
	shell("fio --minimal --name=w --filename=$f --rw=write --bs=4k "
	      "--size=1m --verify=crc32c --do_verify=0 >/dev/null; "
	      "rm -f *-verify.state");
	expect_ok(cut(from, to, &plain), err);
	setenv("LD_PRELOAD", library, 1);
	each(c, fio) shell(*c);
	shell(fio_direct);
	unsetenv("LD_PRELOAD");
	free(library);
	free(from);
	free(to);
}
END_TEST

TEST_MAIN("segments_programs", test_programs, test_led_away, test_no_library,
	  test_fio)
#else
START_TEST(test_skipped_with_sanitizer)
{
	skip("a sanitizer has to be loaded first");
}
END_TEST

TEST_MAIN("segments_programs", test_skipped_with_sanitizer)
#endif
