import { conlluColumns } from './surface-words.js';

export type ConlluColumn = (typeof conlluColumns)[number];

/** Where the tags of CoNLL-U are: a column, or an attribute in FEATS or MISC. */
export interface TagPlace {
  readonly column: ConlluColumn;
  readonly attribute?: string;
}

/**
 * The place that the option `tag` names; undefined for one that there is not.
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
 * The place of what a tagger has found under this name: the column of the name, else an attribute of MISC.
 *
 * @example
 * resultPlaceOf('lemma') // => { column: 'lemma' }
 * resultPlaceOf('named entities') // => { column: 'misc', attribute: 'named_entities' }
 */
export function resultPlaceOf(name: string): TagPlace {
  return tagPlaceOf(name) ?? { column: 'misc', attribute: name.replace(/[\s|=]+/g, '_') };
}

/**
 * Two of these names whose values have the same place in CoNLL-U, so that one would overwrite the other; undefined where there are none.
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
