#include "config/yaml_tree.h"
#include "config_help.h"

struct fixture {
	struct arena memory;
	struct config_errors errs;
	struct problems problems;
};

static struct yaml_node *read_tree(struct fixture *f, const char *yaml)
{
	arena_init(&f->memory, 1024);
	f->errs = (struct config_errors){0};
	problems_init(&f->problems, "f", &f->errs);
	return yaml_tree_read(slice_str(yaml), &f->memory, &f->problems);
}

static void fini(struct fixture *f)
{
	arena_fini(&f->memory);
	config_errors_fini(&f->errs);
}

static void expect_error(const char *yaml, const char *want)
{
	struct fixture f;

	(void)read_tree(&f, yaml);
	assert_int_equal(f.errs.n, 1);
	assert_true(buf_append(&f.errs.text, slice_of("", 1)));
	assert_string_equal((const char *)f.errs.text.p, want);
	fini(&f);
}

static void expect_text(const struct yaml_node *n, const char *text, unsigned line,
			const char *path)
{
	char memory[256];
	struct text t = text_of(memory, sizeof(memory));

	assert_non_null(n);
	assert_int_equal(n->kind, NODE_TEXT);
	assert_true(slice_eq(n->text, slice_str(text)));
	assert_int_equal(n->text.p[n->text.len], '\0');
	assert_int_equal(n->line, line);
	yaml_path(n, &t);
	assert_string_equal(t.p, path);
}

static void test_tree(void **state)
{
	struct fixture f;
	const struct yaml_node *root = read_tree(&f, "# comment\n"
						     "a: 1\n"
						     "b:\n"
						     "  - x\n"
						     "  -\n"
						     "    - 'y'\n"
						     "  - c: |\n"
						     "      block\n"
						     "      text\n"
						     "    \"d e\": >-\n"
						     "      folded\n"
						     "      text\n"
						     "z: {}\n");
	const struct yaml_node *b = yaml_child(root, "b"), *c = NULL;

	(void)state;
	assert_int_equal(f.errs.n, 0);
	assert_int_equal(root->kind, NODE_MAP);
	assert_int_equal(root->n, 3);
	expect_text(yaml_child(root, "a"), "1", 2, "a");
	assert_int_equal(b->kind, NODE_LIST);
	assert_int_equal(b->line, 3);
	assert_int_equal(b->n, 3);
	expect_text(b->first, "x", 4, "b[0]");
	assert_true(b->first->plain);
	expect_text(b->first->next->first, "y", 6, "b[1][0]");
	assert_false(b->first->next->first->plain);
	c = b->last;
	expect_text(yaml_child(c, "c"), "block\ntext\n", 7, "b[2].c");
	expect_text(yaml_child(c, "d e"), "folded text", 10, "b[2].\"d e\"");
	assert_null(yaml_child(root, "q"));
	assert_null(yaml_child(b, "a"));
	assert_null(yaml_child(NULL, "a"));
	assert_int_equal(yaml_child(root, "z")->kind, NODE_MAP);
	fini(&f);
}

static void test_empty_files(void **state)
{
	static const char *const files[] = {
		"",    "\n",   "# only a comment\n", "---\n",
		"~\n", "{}\n", "\xEF\xBB\xBF",       "\xEF\xBB\xBF# mark\n"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct fixture f;
		struct yaml_node *root = read_tree(&f, files[i]);

		assert_int_equal(f.errs.n, 0);
		assert_non_null(root);
		assert_int_equal(root->kind, NODE_MAP);
		assert_int_equal(root->n, 0);
		fini(&f);
	}
}

static void test_line_ends(void **state)
{
	struct fixture f;
	struct yaml_node *root = read_tree(&f, "\xEF\xBB\xBF"
					       "a: 1\r\n\r\nb: 2\r\n");

	(void)state;
	expect_text(yaml_child(root, "a"), "1", 1, "a");
	expect_text(yaml_child(root, "b"), "2", 3, "b");
	fini(&f);
}

static void test_refused(void **state)
{
	(void)state;
	expect_error("a: &x 1\n",
		     "f:1: anchors (&name) are not used here; write the value out, or put "
		     "quotes around it\n");
	expect_error("a: 1\nb: &x [1]\n",
		     "f:2: anchors (&name) are not used here; write the value out, "
		     "or put quotes around it\n");
	expect_error("a: 1\nb: *a\n",
		     "f:2: aliases (*name) are not used here; write the value out, or "
		     "put quotes around it\n");
	expect_error("a: !!str 1\n",
		     "f:1: tags (!name) are not used here; write the value out, or put "
		     "quotes around it\n");
	expect_error("a: ! 1\n", "f:1: tags (!name) are not used here; write the value out, or put "
				 "quotes around it\n");
	expect_error("a: 1\n<<: {b: 2}\n",
		     "f:2: merge keys (<<) are not used here; write the keys out\n");
	expect_error("a: 1\n---\nb: 1\n",
		     "f:2: a second document begins here (---); keep one in the file\n");
	expect_error("- a\n", "f:1: the file is no list of keys; write lines as 'key: value'\n");
	expect_error("\nhello\n",
		     "f:2: the file is no list of keys; write lines as 'key: value'\n");
	expect_error("[a]: b\n",
		     "f:1: a section or list stands where a key belongs; put quotes around a "
		     "value that contains { or [\n");
	expect_error(
		"? {a: b}\n: c\n",
		"f:1: a section or list stands where a key belongs; put quotes around a value that "
		"contains { or [\n");
	expect_error("\"\": 1\n",
		     "f:1: this key is empty, too long or has control characters in it; write "
		     "a line as 'key: value'\n");
	expect_error(
		"\"a\\0b\": 1\n",
		"f:1: this key is empty, too long or has control characters in it; write a line as "
		"'key: value'\n");
	expect_error("a: \"x\\0y\"\n", "f:1: a: has a control character in it; take it out\n");
}

static void test_twice(void **state)
{
	struct fixture f;
	struct yaml_node *root = read_tree(&f, "a: 1\nb: 2\na: {c: 3}\n");

	(void)state;
	assert_int_equal(f.errs.n, 1);
	assert_non_null(root);
	assert_int_equal(root->n, 2);
	expect_text(yaml_child(root, "a"), "1", 1, "a");
	fini(&f);
	expect_error("a: 1\nb: 2\na: {c: 3}\n",
		     "f:3: a: is already set in line 1; keep one of the two\n");
}

static void test_depth(void **state)
{
	char yaml[128] = "a: ";

	(void)state;
	for (int depth = 1; depth < 40; depth++) {
		struct fixture f;

		memset(yaml + 3, '[', (size_t)depth);
		memset(yaml + 3 + depth, ']', (size_t)depth);
		yaml[3 + 2 * depth] = '\0';
		/* the root is a level, too */
		assert_int_equal(read_tree(&f, yaml) != NULL, depth + 1 <= YAML_DEPTH_MAX);
		fini(&f);
	}
}

/* The limit of nodes, and that no list of that length is slow. */
static void test_number_of_nodes(void **state)
{
	char *yaml = malloc(4 * YAML_NODES_MAX);
	size_t len = 4;
	struct fixture f;

	(void)state;
	assert_non_null(yaml);
	memcpy(yaml, "a: [", 4);
	/* root, list, items */
	for (int i = 0; i < YAML_NODES_MAX - 2; i++, len += 2)
		memcpy(yaml + len, "x,", 2);
	memcpy(yaml + len, "]", 2);
	assert_non_null(read_tree(&f, yaml));
	fini(&f);
	memcpy(yaml + len, "x]", 3);
	expect_error(yaml, "f:1: the file has more than 20000 values; make it smaller\n");
	free(yaml);
}

/* One key in thousands of sections: more than there are buckets, so some meet in one. */
static void test_same_key_in_many_sections(void **state)
{
	enum { SECTIONS = 9000 };
	char *yaml = malloc(16 * SECTIONS);
	size_t len = 3;
	struct fixture f;

	(void)state;
	assert_non_null(yaml);
	memcpy(yaml, "a:\n", 4);
	for (int i = 0; i < SECTIONS; i++, len += 7)
		memcpy(yaml + len, "- b: 1\n", 8);
	assert_non_null(read_tree(&f, yaml));
	assert_int_equal(f.errs.n, 0);
	fini(&f);
	free(yaml);
}

static void test_size(void **state)
{
	char *yaml = malloc(YAML_BYTES_MAX + 2);

	(void)state;
	assert_non_null(yaml);
	memset(yaml, '#', YAML_BYTES_MAX + 1);
	yaml[YAML_BYTES_MAX + 1] = '\0';
	expect_error(yaml, "f: the file is larger than 1 MiB; make it smaller\n");
	yaml[YAML_BYTES_MAX] = '\0';
	struct fixture f;

	assert_non_null(read_tree(&f, yaml));
	fini(&f);
	free(yaml);
}

static void test_items(void **state)
{
	struct fixture f;
	const struct yaml_node *root =
		read_tree(&f, "list: [a, b]\none: a\nmap: {x: 1, y: 2}\nno:\n");
	const struct yaml_node *list = yaml_child(root, "list"), *one = yaml_child(root, "one");
	const struct yaml_node *map = yaml_child(root, "map"), *no = yaml_child(root, "no");

	(void)state;
	assert_int_equal(yaml_item_n(list), 2);
	assert_ptr_equal(yaml_item_next(list, yaml_item(list)), list->last);
	assert_null(yaml_item_next(list, list->last));
	assert_int_equal(yaml_item_n(one), 1);
	assert_ptr_equal(yaml_item(one), one);
	/* its neighbour is no item */
	assert_null(yaml_item_next(one, one));
	assert_ptr_equal(yaml_item(map), map);
	assert_int_equal(yaml_item_n(no), 0);
	assert_null(yaml_item(no));
	assert_int_equal(yaml_item_n(NULL), 0);
	assert_null(yaml_item(NULL));
	fini(&f);
}

static void test_nothing(void **state)
{
	struct fixture f;
	const struct yaml_node *root =
		read_tree(&f, "a:\nb: ~\nc: NULL\nx: ''\ne: 'null'\nf: nul\ng: []\n");
	static const bool want[] = {true, true, true, false, false, false, false};
	const struct yaml_node *c = root->first;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(want); i++, c = c->next)
		assert_int_equal(yaml_is_nothing(c), want[i]);
	fini(&f);
}

/* Each beginning of a good file is read without a crash, and says something when it is no good. */
static void test_every_prefix(void **state)
{
	static const char yaml[] = "a: {b: [\"c\\n\", 'x'], e: |-\n f}\n";

	(void)state;
	for (size_t n = 0; n < sizeof(yaml); n++) {
		char *cut = strndup(yaml, n);
		struct fixture f;
		bool ok = read_tree(&f, cut) != NULL;

		assert_int_equal(ok, f.errs.n == 0);
		fini(&f);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_empty_files),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_number_of_nodes),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_same_key_in_many_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
