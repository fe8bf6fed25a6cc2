#include "app/signals.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct signals {
	struct poll poll;
	struct loop *loop;
	int fd;
	bool stopping;
	void (*on_signal)(void *arg, enum signal_meaning what);
	void *arg;
};

static sigset_t ours(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGUSR1);
	return set;
}

void signals_block(void)
{
	sigset_t set = ours();

	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static void take(struct signals *s, unsigned number)
{
	if (number == SIGUSR1) {
		s->on_signal(s->arg, SIGNAL_COUNTERS);
		return;
	}
	if (number == SIGHUP) {
		s->on_signal(s->arg, SIGNAL_RELOAD);
		return;
	}
	if (s->stopping)
		_exit(1);
	s->stopping = true;
	s->on_signal(s->arg, SIGNAL_STOP);
}

static void on_ready(struct poll *p, unsigned events)
{
	struct signals *s = CONTAINER_OF(p, struct signals, poll);
	struct signalfd_siginfo info;

	(void)events;
	while (read(s->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		take(s, info.ssi_signo);
}

struct signals *signals_open(struct loop *l, void (*on_signal)(void *arg, enum signal_meaning what),
			     void *arg)
{
	struct signals *s = calloc(1, sizeof(*s));
	sigset_t set = ours();

	if (s == NULL)
		return NULL;
	s->loop = l;
	s->on_signal = on_signal;
	s->arg = arg;
	s->poll.on_ready = on_ready;
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (s->fd >= 0 && poll_open(l, &s->poll, s->fd, SYS_IN) == 0)
		return s;
	if (s->fd >= 0)
		(void)close(s->fd);
	free(s);
	return NULL;
}

void signals_close(struct signals *s)
{
	if (s == NULL)
		return;
	poll_close(s->loop, &s->poll);
	(void)close(s->fd);
	free(s);
}
