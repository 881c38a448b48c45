/** The known part of a token's gold tag: the tag, its alternatives, or null if unknown. */
export type PartialTag = string | readonly string[] | null;

/**
 * The tag that a partial tag leaves: the tag itself or the only one of a set; null where there are several or none.
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
 * Whether partial tags say something of at least one token.
 *
 * @example
 * saysSomething([null, ['X', 'Y']]) // => true
 * saysSomething([null, null]) // => false
 */
export function saysSomething(tags: readonly PartialTag[]): boolean {
  return tags.some(tag => tag !== null);
}
