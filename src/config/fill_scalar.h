/* Readers of one text; all have the shape of reader_fn (config/fill.c). */
#ifndef CONFIG_FILL_SCALAR_H
#define CONFIG_FILL_SCALAR_H

#include "config/fill.h"

void fill_switch(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base);
void fill_number(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base);
/* Sizes and durations. */
void fill_quantity(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		   void *base);
void fill_text(struct fill *f, const struct schema_field *d, const struct yaml_node *n, void *base);
void fill_choice(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		 void *base);
void fill_place(struct fill *f, const struct schema_field *d, const struct yaml_node *n,
		void *base);
void fill_icon(struct fill *f, const struct schema_field *d, const struct yaml_node *n, void *base);

/* For lists: true when n is a text with something in it that keeps the field's rule; else
 * complains. */
bool fill_is_text(struct fill *f, const struct schema_field *d, const struct yaml_node *n);
bool fill_keeps_rule(struct fill *f, const struct schema_field *d, const struct yaml_node *n);

/* The choice that n names, or NULL after a complaint. */
const struct schema_choice *fill_find_choice(struct fill *f, const struct schema_field *d,
					     const struct yaml_node *n);

#endif
