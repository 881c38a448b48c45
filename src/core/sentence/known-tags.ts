import type { PartialTag } from './partial-tag.js';

/** Gold tags as documents and sentences hold them. */
export interface KnownTags {
  readonly tags?: readonly string[];
  readonly partialTags?: readonly PartialTag[];
}

/**
 * `tags` where the tag of each token is known, `partialTags` where less is, neither where nothing is. A
 * set of one tag is that tag.
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
