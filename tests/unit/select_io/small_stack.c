/* SPDX-License-Identifier: GPL-2.0-or-later */
/* small_stack FILE: creates the file in a signal handler that runs on a small
 * stack of its own, as programs that record their crash do. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 8192 /* SIGSTKSZ, as it was for long */
#define PAGE 4096

static const char *path;
static volatile sig_atomic_t fd = -1;

static void on_signal(int signo)
{
	(void)signo;
	fd = open(path, O_CREAT | O_WRONLY, 0644);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = SIZE};
	char *room = mmap(NULL, PAGE + SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc != 2 || room == MAP_FAILED || mprotect(room, PAGE, PROT_NONE))
		return 2;
	path = argv[1];
	stack.ss_sp = room + PAGE;
	action.sa_handler = on_signal;
	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		return 2;
	raise(SIGUSR1);
	return fd < 0;
}
