#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim_stage.h"
#include "base/clock.h"
#include "base/format.h"

/* How often the names of all workers are compared, and how long a proxy may take to fall quiet. */
enum { NAMES_EVERY_US = 500, QUIET_US = 120 * US_PER_S };

static const char config_head[] = "listen: \"" STAGE_FRONT "\"\n"
				  "workers: 3\n"
				  "logLevel: debug\n";

void stage_fail(const struct stage *st, const char *fmt, ...)
{
	va_list ap;

	(void)fprintf(stderr, "simulation, seed %llu, at %llu us: ", (unsigned long long)st->seed,
		      (unsigned long long)sim_now_us(st->world));
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
	abort();
}

unsigned stage_seeds(unsigned n)
{
	const char *text = getenv("MOONBRIDGE_SEEDS");
	unsigned long given = text == NULL ? 0 : strtoul(text, NULL, 10);

	return given == 0 ? n : (unsigned)given;
}

/* The value of key=... in a log line, without quotes. */
static bool value_of(const char *line, const char *key, char *ret, size_t cap)
{
	const char *at = strstr(line, key);
	size_t n;

	if (at == NULL)
		return false;
	at += strlen(key);
	n = strcspn(at, " ");
	n = n < cap ? n : cap - 1;
	memcpy(ret, at, n);
	ret[n] = '\0';
	return true;
}

static struct stage_row *row_of(struct stage *st, uint64_t conn)
{
	while (conn >= st->row_cap) {
		size_t cap = st->row_cap == 0 ? 256 : st->row_cap * 2;

		st->rows = realloc(st->rows, cap * sizeof(*st->rows));
		stage_check(st, st->rows != NULL, "out of memory");
		memset(st->rows + st->row_cap, 0, (cap - st->row_cap) * sizeof(*st->rows));
		st->row_cap = cap;
	}
	return &st->rows[conn];
}

static void note_end(struct stage *st, const char *line)
{
	char conn[24] = "", why[32] = "";
	struct stage_row *row;

	stage_check(st, value_of(line, " conn=", conn, sizeof(conn)), "no conn: %s", line);
	(void)value_of(line, " why=", why, sizeof(why));
	/* A garbled dump may have brought any. */
	if (strtoull(conn, NULL, 10) > atomic_load(&hub_common(st->hub)->last_conn))
		return;
	row = row_of(st, strtoull(conn, NULL, 10));
	stage_check(st, !row->ended, "ended twice: %s, before: %s", line, row->why);
	row->ended = true;
	memcpy(row->why, why, sizeof(why));
	(void)value_of(line, " name=", row->name, sizeof(row->name));
}

/* Before the hub gets them: it writes five of one cause and counts the rest. */
static void read_logs(struct stage *st)
{
	char text[LOG_LINE_MAX + 1];
	struct log_line line;

	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		while (log_ring_take(&st->desks[i].log, &line, text)) {
			text[line.len] = '\0';
			if (getenv("SIM_LOG") != NULL)
				(void)fprintf(stderr, "%10llu w%u %s\n",
					      (unsigned long long)sim_now_us(st->world), i, text);
			for (unsigned c = 0; c < line.len; c++)
				st->log_hash = (st->log_hash ^ (uint8_t)text[c]) * 0x100000001B3ULL;
			if (strstr(text, "msg=\"session ended\"") != NULL)
				note_end(st, text);
		}
	}
}

static bool holds_name(const struct session *s)
{
	return s->cold != NULL && s->cold->claim != NULL;
}

static bool name_is_held_again(struct stage *st, const struct session *s, unsigned from_worker)
{
	for (unsigned i = from_worker; i < STAGE_WORKERS; i++) {
		for (unsigned p = 0; p < PHASE_COUNT; p++) {
			LIST_EACH(n, &st->workers[i].by_phase[p])
			{
				struct session *o = LIST_ENTRY(n, struct session, node);

				if (o != s && holds_name(o) &&
				    slice_eq_nocase(slice_str(o->kept.name),
						    slice_str(s->kept.name)))
					return true;
			}
		}
	}
	return false;
}

static void check_names(struct stage *st)
{
	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		for (unsigned p = 0; p < PHASE_COUNT; p++) {
			LIST_EACH(n, &st->workers[i].by_phase[p])
			{
				struct session *s = LIST_ENTRY(n, struct session, node);

				stage_check(st, !holds_name(s) || !name_is_held_again(st, s, i),
					    "two hold the name %s", s->kept.name);
			}
		}
	}
}

static void check_step(struct stage *st)
{
	uint64_t now_us = sim_now_us(st->world);

	read_logs(st);
	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		size_t held = st->workers[i].links.pool.held_bytes;

		st->most_pool_bytes = held > st->most_pool_bytes ? held : st->most_pool_bytes;
	}
	if (now_us >= st->names_due_us) {
		check_names(st);
		st->names_due_us = now_us + NAMES_EVERY_US;
	}
	if (st->on_step != NULL)
		st->on_step(st);
}

static struct settings *parse(struct stage *st, const char *yaml)
{
	struct config_errors errs = {0};
	struct buf text = {0};

	stage_check(st,
		    buf_append(&text, slice_str(config_head)) && buf_append(&text, slice_str(yaml)),
		    "out of memory");
	st->settings = settings_parse("sim.yml", buf_slice(&text), &errs);
	stage_check(st, st->settings != NULL, "config: %.*s", (int)errs.text.len,
		    errs.text.p == NULL ? "" : (const char *)errs.text.p);
	config_errors_fini(&errs);
	buf_fini(&text);
	return st->settings;
}

static void on_hub_mail(void *arg)
{
	struct stage *st = arg;

	hub_on_mail(st->hub);
}

static void open_workers(struct stage *st)
{
	for (uint16_t i = 0; i < STAGE_WORKERS; i++) {
		struct worker_setup setup = {
			.sys = sim_world_sys(st->world, i),
			.desk = &st->desks[i],
			.index = i,
			.settings = st->settings,
		};

		st->desk_list[i] = &st->desks[i];
		stage_check(st, worker_init(&st->workers[i], &setup), "out of memory");
		st->loops[i] = st->workers[i].loop;
	}
}

static void open_fronts(struct stage *st)
{
	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		worker_start(&st->workers[i], hub_common(st->hub));
		st->fronts[i] = sim_listener(st->world, STAGE_FRONT);
		stage_check(st,
			    listener_new(&st->workers[i], &st->settings->listeners[0],
					 st->fronts[i], false) != NULL,
			    "out of memory");
	}
}

struct stage *stage_new(const struct sim_options *given, const char *yaml)
{
	struct stage *st = calloc(1, sizeof(*st));
	struct sim_options o = *given;

	if (st == NULL)
		abort();
	o.loops = STAGE_LOOPS;
	st->seed = o.seed;
	st->world = sim_world_new(&o);
	(void)parse(st, yaml);
	open_workers(st);
	st->loops[STAGE_HUB] = loop_new(sim_world_sys(st->world, STAGE_HUB));
	st->hub = hub_new(&(struct hub_setup){
		.loop = st->loops[STAGE_HUB],
		.settings = st->settings,
		.desks = st->desk_list,
		.desk_n = STAGE_WORKERS,
		.log_fd = -1,
		.cause_names = worker_cause_names,
		.cause_n = CAUSE_COUNT,
	});
	stage_check(st, st->hub != NULL, "out of memory");
	loop_set_hooks(st->loops[STAGE_HUB],
		       (struct loop_hooks){.on_mail = on_hub_mail, .arg = st});
	open_fronts(st);
	return st;
}

struct wait {
	struct stage *st;
	bool (*done)(struct stage *st);
};

static bool step(void *arg)
{
	struct wait *w = arg;

	check_step(w->st);
	return w->done != NULL && w->done(w->st);
}

static enum sim_end run(struct stage *st, uint64_t us, bool (*done)(struct stage *st))
{
	struct wait w = {.st = st, .done = done};
	uint64_t until_us = sim_now_us(st->world) + us;
	enum sim_end end;

	/* A million turns are no sign of being stuck where much is sent. */
	do {
		end = sim_run(st->world, st->loops, until_us, step, &w);
	} while (end == SIM_STUCK && sim_now_us(st->world) > st->names_due_us - NAMES_EVERY_US * 2);
	return end;
}

void stage_run_for(struct stage *st, uint64_t us)
{
	enum sim_end end = run(st, us, NULL);

	stage_check(st, end == SIM_TIME, "the world stopped: %d", (int)end);
}

void stage_run_until(struct stage *st, bool (*done)(struct stage *st), uint64_t within_us,
		     const char *what)
{
	enum sim_end end = run(st, within_us, done);

	stage_check(st, end == SIM_DONE, "waited in vain for: %s", what);
}

static bool box_is_empty(struct mailbox *box)
{
	return atomic_load(&box->head) == NULL;
}

bool stage_is_quiet(struct stage *st)
{
	if (st->frozen > 0 || !box_is_empty(&hub_common(st->hub)->hub))
		return false;
	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		const struct worker *w = &st->workers[i];

		if (w->by_conn.n > 0 || w->links.n > 0 || !box_is_empty(&st->desks[i].box))
			return false;
	}
	return hub_players(st->hub) == 0;
}

void stage_drain(struct stage *st)
{
	st->draining = true;
	st->drain_us = sim_now_us(st->world);
	hub_drain(st->hub);
}

static bool is_drained(struct stage *st)
{
	return hub_is_drained(st->hub) && stage_is_quiet(st);
}

unsigned stage_ends(const struct stage *st, const char *label)
{
	unsigned n = 0;

	for (size_t i = 0; i < st->row_cap; i++)
		n += st->rows[i].ended && strcmp(st->rows[i].why, label) == 0;
	return n;
}

uint64_t stage_counter(const struct stage *st, size_t offset)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		const char *at = (const char *)&st->desks[i].counters + offset;

		sum += atomic_load((const _Atomic uint64_t *)(const void *)at);
	}
	return sum;
}

static void check_nothing_left(struct stage *st)
{
	struct limits *limits = hub_common(st->hub)->limits;
	uint64_t last = atomic_load(&hub_common(st->hub)->last_conn);

	stage_check(st, limits_connections(limits) == 0, "%u connections are still counted",
		    limits_connections(limits));
	stage_check(st, limits_entries(limits) == 0, "%zu addresses are still counted",
		    limits_entries(limits));
	for (uint64_t conn = 1; conn <= last; conn++)
		stage_check(st, row_of(st, conn)->ended, "connection %llu never ended",
			    (unsigned long long)conn);
	stage_check(st, stage_counter(st, offsetof(struct counters, log_lines_dropped)) == 0,
		    "log lines were lost");
	stage_check(st, stage_counter(st, offsetof(struct counters, ends)) == last,
		    "ends were counted wrong");
	for (unsigned i = 0; i < STAGE_WORKERS; i++)
		stage_check(st, st->workers[i].links.pool.held_bytes == 0,
			    "worker %u holds %zu pool bytes", i,
			    st->workers[i].links.pool.held_bytes);
}

uint64_t stage_finish(struct stage *st)
{
	stage_run_until(st, stage_is_quiet, QUIET_US, "everybody is gone");
	if (!st->draining)
		stage_drain(st);
	stage_run_until(st, is_drained, QUIET_US, "workers are drained");
	/* One turn more, for what ended in the last one. */
	stage_run_for(st, US_PER_MS);
	check_nothing_left(st);
	return sim_trace(st->world) ^ st->log_hash;
}

void stage_free(struct stage *st)
{
	size_t left;

	hub_free(st->hub);
	for (unsigned i = 0; i < STAGE_WORKERS; i++) {
		worker_fini(&st->workers[i]);
		sim_world_sys(st->world, i)->ops->close(sim_world_sys(st->world, i), st->fronts[i]);
	}
	loop_free(st->loops[STAGE_HUB]);
	left = sim_open_fds(st->world);
	stage_check(st, left == 0, "%zu descriptors were never closed", left);
	(void)sim_world_free(st->world);
	settings_unref(st->settings);
	free(st->rows);
	free(st);
}
