#include "app/proxy.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "app/banner.h"
#include "app/limits_of_process.h"
#include "app/signals.h"
#include "app/sockets.h"
#include "session/worker.h"

struct seat {
	struct worker worker;
	struct desk desk;
	struct sys *sys;
	pthread_t thread;
	struct loop *main_loop;
	_Atomic bool finished;
	bool running;
};

struct proxy {
	struct settings *settings;
	struct sys *sys;
	struct loop *loop;
	struct hub *hub;
	struct sockets sockets;
	struct signals *signals;
	struct seat *seats;
	struct desk **desks;
	unsigned n;
	bool stopping;
};

/* One on two cores: a wake-up across cores costs more there than a second worker brings. */
static unsigned worker_count(const struct settings *s)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (s->workers > 0)
		return s->workers;
	return cores <= 2 ? 1 : (unsigned)cores;
}

static void *run_worker(void *arg)
{
	struct seat *seat = arg;

	while (worker_turn(&seat->worker, -1))
		continue;
	atomic_store(&seat->finished, true);
	loop_wake(seat->main_loop);
	return NULL;
}

static bool listen_all(struct proxy *p, struct seat *seat)
{
	for (unsigned i = 0; i < p->sockets.n; i++) {
		const struct socket_set *set = &p->sockets.sets[i];
		int fd = sockets_fd(&p->sockets, i, seat->worker.index);

		if (listener_new(&seat->worker, set->set, fd, set->n == 1 && p->n > 1) == NULL)
			return false;
	}
	return true;
}

static bool init_seat(struct proxy *p, unsigned i)
{
	struct seat *seat = &p->seats[i];

	p->desks[i] = &seat->desk;
	seat->main_loop = p->loop;
	seat->sys = sys_linux_new();
	return seat->sys != NULL && worker_init(&seat->worker, &(struct worker_setup){
								       .sys = seat->sys,
								       .desk = &seat->desk,
								       .index = (uint16_t)i,
								       .settings = p->settings,
							       });
}

static bool start_seat(struct proxy *p, struct seat *seat)
{
	worker_start(&seat->worker, hub_common(p->hub));
	if (!listen_all(p, seat))
		return false;
	seat->running = pthread_create(&seat->thread, NULL, run_worker, seat) == 0;
	return seat->running;
}

static void on_mail(void *arg)
{
	struct proxy *p = arg;

	hub_on_mail(p->hub);
}

static bool assemble(struct proxy *p)
{
	p->n = worker_count(p->settings);
	p->seats = calloc(p->n, sizeof(*p->seats));
	p->desks = calloc(p->n, sizeof(struct desk *));
	p->sys = sys_linux_new();
	p->loop = p->sys == NULL ? NULL : loop_new(p->sys);
	if (p->seats == NULL || p->desks == NULL || p->loop == NULL)
		return false;
	for (unsigned i = 0; i < p->n; i++) {
		if (!init_seat(p, i))
			return false;
	}
	p->hub = hub_new(&(struct hub_setup){
		.loop = p->loop,
		.settings = p->settings,
		.desks = p->desks,
		.desk_n = p->n,
		.log_fd = STDERR_FILENO,
		.cause_names = worker_cause_names,
		.cause_n = CAUSE_COUNT,
	});
	if (p->hub == NULL)
		return false;
	loop_set_hooks(p->loop, (struct loop_hooks){.on_mail = on_mail, .arg = p});
	return true;
}

static void stop(struct proxy *p)
{
	if (p->stopping)
		return;
	p->stopping = true;
	(void)sd_notify(0, "STOPPING=1");
	hub_log(p->hub, LOG_INFO, "msg=\"stopping: every player reads a goodbye\" players=%zu",
		hub_players(p->hub));
	hub_drain(p->hub);
}

static void on_signal(void *arg, enum signal_meaning what)
{
	struct proxy *p = arg;

	switch (what) {
	case SIGNAL_STOP:
		stop(p);
		break;
	case SIGNAL_COUNTERS:
		hub_log_counters(p->hub);
		break;
	case SIGNAL_RELOAD:
		hub_log(p->hub, LOG_WARN,
			"msg=\"reloading is not there yet: restart to read the config again\"");
		break;
	}
}

static bool start(struct proxy *p)
{
	p->signals = signals_open(p->loop, on_signal, p);
	if (p->signals == NULL)
		return false;
	for (unsigned i = 0; i < p->n; i++) {
		if (!start_seat(p, &p->seats[i]))
			return false;
	}
	banner_print(p->settings, &p->sockets);
	hub_log(p->hub, LOG_INFO,
		"msg=ready version=" MOONBRIDGE_VERSION " workers=%u listeners=%u backends=%zu",
		p->n, p->sockets.n, p->settings->backend_n);
	(void)sd_notify(0, "READY=1");
	return true;
}

static bool all_finished(const struct proxy *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (p->seats[i].running && !atomic_load(&p->seats[i].finished))
			return false;
	}
	return true;
}

/* A worker ends by itself only when its loop fails. Its socket would go on taking players. */
static bool one_has_failed(const struct proxy *p)
{
	for (unsigned i = 0; i < p->n && !p->stopping; i++) {
		if (atomic_load(&p->seats[i].finished))
			return true;
	}
	return false;
}

/* False: something failed on the way. */
static bool run(struct proxy *p)
{
	bool ok = true;

	while (!all_finished(p)) {
		if (loop_turn(p->loop, -1) < 0) {
			hub_log(p->hub, LOG_ERROR, "msg=\"the main loop failed: ending at once\"");
			_exit(1);
		}
		if (one_has_failed(p)) {
			ok = false;
			hub_log(p->hub, LOG_ERROR, "msg=\"the loop of a worker failed: stopping\"");
			stop(p);
		}
	}
	return ok;
}

static void take_apart(struct proxy *p)
{
	for (unsigned i = 0; i < p->n && p->seats != NULL; i++) {
		if (p->seats[i].running)
			(void)pthread_join(p->seats[i].thread, NULL);
	}
	hub_free(p->hub);
	signals_close(p->signals);
	for (unsigned i = 0; i < p->n && p->seats != NULL; i++) {
		if (p->seats[i].sys == NULL)
			continue;
		worker_fini(&p->seats[i].worker);
		sys_linux_free(p->seats[i].sys);
	}
	if (p->loop != NULL)
		loop_free(p->loop);
	sys_linux_free(p->sys);
	sockets_close(&p->sockets);
	free(p->seats);
	free(p->desks);
}

int proxy_run(struct settings *s)
{
	struct proxy p = {.settings = s};
	bool ok;

	signals_block();
	process_raise_limits(s);
	ok = sockets_open(&p.sockets, s, worker_count(s));
	if (ok && (!assemble(&p) || !start(&p))) {
		(void)fputs("moonbridge: out of memory at start\n", stderr);
		ok = false;
	}
	if (ok)
		ok = run(&p);
	else if (p.hub != NULL)
		stop(&p);
	take_apart(&p);
	return ok ? 0 : 1;
}
