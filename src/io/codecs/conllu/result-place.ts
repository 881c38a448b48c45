import { conlluColumns } from './surface-words.js';

export type ConlluColumn = (typeof conlluColumns)[number];

/** Location of tags in CoNLL-U: a column, or an attribute in FEATS or MISC. */
export interface TagPlace {
  readonly column: ConlluColumn;
  readonly attribute?: string;
}

/**
 * Parses the option `tag`; undefined if it is invalid.
 *
 * @example
 * tagPlaceOf('misc.name') // => ({ column: 'misc', attribute: 'name' })
 * ['upos', 'upos.x', 'form'].map(tagPlaceOf) // => [{ column: 'upos' }, undefined, undefined]
 */
export function tagPlaceOf(tag: string): TagPlace | undefined {
  const [, name, attribute] = /^(feats|misc)\.([^\s|=]+)$/.exec(tag) ?? [];
  if (attribute !== undefined) return { column: name as ConlluColumn, attribute };
  const column = conlluColumns.find(each => each === tag);
  return column === undefined ? undefined : { column };
}

/**
 * Returns the place of a tagger's results: the column with its name, otherwise an attribute of MISC.
 *
 * @example
 * resultPlaceOf('lemma') // => { column: 'lemma' }
 * resultPlaceOf('named entities') // => { column: 'misc', attribute: 'named_entities' }
 */
export function resultPlaceOf(name: string): TagPlace {
  return tagPlaceOf(name) ?? { column: 'misc', attribute: name.replace(/[\s|=]+/g, '_') };
}

/**
 * Returns two names that share a place in CoNLL-U, where one would overwrite the other; undefined if there are none.
 *
 * @example
 * inOnePlace(['upos', 'my tag', 'my_tag']) // => ['my tag', 'my_tag']
 */
export function inOnePlace(names: readonly string[]): readonly [string, string] | undefined {
  const byPlace = new Map<string, string>();
  for (const name of names) {
    const { column, attribute } = resultPlaceOf(name);
    const key = attribute === undefined ? column : `${column}.${attribute}`;
    const other = byPlace.get(key);
    if (other !== undefined) return [other, name];
    byPlace.set(key, name);
  }
  return undefined;
}
