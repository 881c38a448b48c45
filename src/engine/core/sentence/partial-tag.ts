/** Known part of a token's gold tag: the tag, its alternatives, or null if unknown. */
export type PartialTag = string | readonly string[] | null;

/**
 * Returns whether a text cannot be a label because nothing in it can be seen: an empty cell of a table is a mistake,
 * not a class of tokens.
 *
 * @example
 * ['', ' ', '\t', '_', 'O'].map(isBlankLabel) // => [true, true, true, false, false]
 */
export function isBlankLabel(text: string): boolean {
  // Most labels begin with a letter, which decides.
  return !(text.charCodeAt(0) > 32) && text.trim() === '';
}

/**
 * Returns the index of the first gold tag that is blank, or has a blank alternative; -1 if there is none.
 *
 * @example
 * [['X', ''], ['X', ['Y', ' ']], ['X', null]].map(blankTagIn) // => [1, 1, -1]
 */
export function blankTagIn(tags: readonly PartialTag[]): number {
  return tags.findIndex(tag =>
    typeof tag === 'string' ? isBlankLabel(tag) : tag?.some(isBlankLabel) === true,
  );
}

/**
 * Returns the tag that a partial tag determines: the tag itself, or the only member of a set; null
 * otherwise.
 *
 * @example
 * ['X', ['X'], ['X', 'Y'], null].map(determinedTag) // => ['X', 'X', null, null]
 */
export function determinedTag(tag: PartialTag): string | null {
  if (tag === null || typeof tag === 'string') return tag;
  const [first = null] = tag;
  return tag.every(each => each === first) ? first : null;
}

/**
 * Returns whether partial tags constrain at least one token.
 *
 * @example
 * saysSomething([null, ['X', 'Y']]) // => true
 * saysSomething([null, null]) // => false
 */
export function saysSomething(tags: readonly PartialTag[]): boolean {
  return tags.some(tag => tag !== null);
}

/** Gold tags as stored in documents and sentences. */
export interface KnownTags {
  readonly tags?: readonly string[];
  readonly partialTags?: readonly PartialTag[];
}

/**
 * Returns `tags` if the tag of each token is known, `partialTags` if only some tags are known, and
 * neither if none is. A set with one member counts as that tag.
 *
 * @example
 * knownTags(['X', ['Y']]) // => ({ tags: ['X', 'Y'] })
 * knownTags(['X', null]) // => ({ partialTags: ['X', null] })
 * knownTags([null, null]) // => ({})
 */
export function knownTags(given: readonly PartialTag[]): KnownTags {
  const tags = given.map(tag =>
    Array.isArray(tag) && tag.length === 1 ? (tag[0] as string) : tag,
  );
  if (tags.every(tag => typeof tag === 'string')) return { tags: tags as readonly string[] };
  return tags.every(tag => tag === null) ? {} : { partialTags: tags };
}
