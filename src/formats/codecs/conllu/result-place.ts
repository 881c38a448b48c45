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
    const key = nameOfPlace(resultPlaceOf(name));
    const other = byPlace.get(key);
    if (other !== undefined) return [other, name];
    byPlace.set(key, name);
  }
  return undefined;
}

/** The universal parts of speech, the only values of UPOS. */
export const universalTags: ReadonlySet<string> = new Set(
  'ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X'.split(' '),
);

/**
 * Returns the place of tags that belong in `place`: UPOS has universal parts of speech only, so that tags of spans go
 * into the attribute `name` of MISC, and others into XPOS, or into the attribute `tag` of MISC if XPOS has other values.
 *
 * @param hasXpos whether XPOS has values of its own
 * @example
 * const upos = { column: 'upos' };
 * placeOfTags(upos, ['NOUN', '_'], false) // => { column: 'upos' }
 * placeOfTags(upos, ['B-PER', 'O'], false) // => { column: 'misc', attribute: 'name' }
 * placeOfTags(upos, ['NN', 'VBZ'], false) // => { column: 'xpos' }
 */
export function placeOfTags(place: TagPlace, tags: readonly string[], hasXpos: boolean): TagPlace {
  if (place.column !== 'upos' || tags.every(tag => universalTags.has(tag) || tag === '_')) {
    return place;
  }
  const areSpans = tags.every(tag => tag === 'O' || tag === '_' || /^[A-Z]-[^|]+$/.test(tag));
  if (areSpans) return { column: 'misc', attribute: 'name' };
  return hasXpos ? { column: 'misc', attribute: 'tag' } : { column: 'xpos' };
}

/** Returns the name of a place, as in the option `tag`. */
export function nameOfPlace({ column, attribute }: TagPlace): string {
  return attribute === undefined ? column : `${column}.${attribute}`;
}
