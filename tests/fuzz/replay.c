/*
 * replay: feeds the empty input and each file of a corpus folder to one fuzz target, in every
 * build.
 *
 * Each input lies in a heap block of exactly its size, so that a sanitizer sees one byte read too
 * far. Prints TAP. A crash is the failure: the plan then comes short, which the test runner counts.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 20 };

/* Reads the whole file; NULL when it cannot be read. The caller frees. */
static uint8_t *read_input(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;

	uint8_t *data = NULL;
	long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
	if (size >= 0 && size <= INPUT_MAX && fseek(file, 0, SEEK_SET) == 0) {
		data = malloc(size > 0 ? (size_t)size : 1);
		if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
			free(data);
			data = NULL;
		}
	}
	fclose(file);
	if (data)
		*ret_size = (size_t)size;
	return data;
}

static bool replay_file(const char *dir, const char *name)
{
	char path[4096];
	size_t size;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return false;

	uint8_t *data = read_input(path, &size);
	if (!data)
		return false;
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return true;
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}

	struct dirent **entries = NULL;
	int n = scandir(argv[1], &entries, is_input, alphasort);
	int failed = 0;
	if (n < 0)
		n = 0;

	printf("1..%d\n", n + 1);
	fflush(stdout);
	uint8_t *empty = malloc(1);
	LLVMFuzzerTestOneInput(empty, 0);
	free(empty);
	printf("ok 1 - empty\n");

	for (int i = 0; i < n; i++) {
		bool ok = replay_file(argv[1], entries[i]->d_name);
		printf("%sok %d - %s\n", ok ? "" : "not ", i + 2, entries[i]->d_name);
		fflush(stdout);
		failed += !ok;
		free(entries[i]);
	}
	free(entries);
	return failed > 0;
}
