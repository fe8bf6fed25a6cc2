/* Readers of lists; all have the shape of reader_fn (config/fill.c). A single value counts as a
 * list of itself. */
#ifndef CONFIG_FILL_LIST_H
#define CONFIG_FILL_LIST_H

#include "config/fill.h"

void fill_choices(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		  void *base);
void fill_networks(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		   void *base);
void fill_texts(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		void *base);
void fill_routes(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base);

/* Complains when the list is shorter or longer than the field allows. */
bool fill_count_is_ok(struct fill *f, const struct schema_field *d, const struct yaml_node *n);

#endif
