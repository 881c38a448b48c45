import { TagstreamError } from '../../core/errors.js';

/** A list of names, as `gazetteer` makes it. */
export interface Gazetteer {
  /** An entry per line, its tokens separated by single spaces; sorted, none twice. */
  readonly text: string;
  /** Ignores case: entries and looked-up words are in lower case. */
  readonly fold: boolean;
}

/** Words in a hierarchy of clusters, as `wordClusters` makes it. */
export interface WordClusters {
  /** A cluster per line: its path of 0 and 1, then its words, all separated by tabs; sorted. */
  readonly text: string;
  /** Ignores case: listed and looked-up words are in lower case. */
  readonly fold: boolean;
  /** Prefix lengths of paths for the templates that are added if no template names the clusters; default 4, 6 and 10. */
  readonly bits?: readonly number[] | undefined;
}

/** Words with a vector for each, as `quantisedVectors` makes them. */
export interface QuantisedVectors {
  /** A word per line, in the order of the vectors; none twice. */
  readonly text: string;
  /** Ignores case: listed and looked-up words are in lower case. */
  readonly fold: boolean;
  /** Numbers of each vector. */
  readonly dimensions: number;
  /** The numbers of the vectors, one vector after the other: each from -127 to 127, in steps of its vector. */
  readonly numbers: Int8Array;
  /** The value of 1 in the numbers of each vector. */
  readonly steps: Float32Array;
}

/** Named lists in which templates look up words; plain data, part of a model. */
export interface Resources {
  /** For `%gazetteer[0,0,NAME]`. */
  readonly gazetteers?: Readonly<Record<string, Gazetteer>>;
  /** For `%cluster[0,0,NAME,4]`. */
  readonly clusters?: Readonly<Record<string, WordClusters>>;
  /** For `%vector[0,0,NAME]`. */
  readonly vectors?: Readonly<Record<string, QuantisedVectors>>;
}

/** The allowed names of lists, as templates use them. */
export const resourceName = /^[\w.-]+$/;

/**
 * A list of names that was read from a file, which has one at least.
 *
 * @throws TagstreamError `wrong-shape` that names the file
 * @example
 * requireEntries({ text: 'Bath', fold: false }, 'towns.txt').text // => 'Bath'
 */
export function requireEntries(list: Gazetteer, source: string): Gazetteer {
  if (list.text !== '') return list;
  throw new TagstreamError('wrong-shape', 'the gazetteer has no entries', {
    place: { source },
    fix: 'write one name per line, or leave the list out',
  });
}

/** Words and a vector for each, as other programs learn them from text. */
export interface WordVectors {
  /** The words, the most frequent first where the file has them so; none twice. */
  readonly words: readonly string[];
  readonly dimensions: number;
  /** The vectors, one after the other. */
  readonly values: Float32Array;
}
