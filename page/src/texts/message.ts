/** The form of a text: a sentence, or a sentence for each plural form. */

type Plural = { readonly by: string } & { readonly [category in Intl.LDMLPluralRule]?: string };

/** A sentence with `{placeholders}`, or one sentence for each plural form of the placeholder `by`. */
export type Message = string | Plural;
