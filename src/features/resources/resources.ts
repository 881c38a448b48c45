import { TagstreamError } from '../../core/errors.js';

/** A list of names, as created by `gazetteer`. */
export interface Gazetteer {
  /** An entry per line, its tokens separated by single spaces; sorted, without duplicates. */
  readonly text: string;
  /** Ignores case: entries and looked-up words are in lower case. */
  readonly fold: boolean;
}

/** Words in a hierarchy of clusters, as created by `wordClusters`. */
export interface WordClusters {
  /** A cluster per line: its path of 0 and 1, then its words, all separated by tabs; sorted. */
  readonly text: string;
  /** Ignores case: listed and looked-up words are in lower case. */
  readonly fold: boolean;
  /** Prefix lengths of paths for the templates added if no template names the clusters; default 4, 6 and 10. */
  readonly bits?: readonly number[] | undefined;
}

/** Words with vectors, as created by `quantisedVectors`. */
export interface QuantisedVectors {
  /** A word per line, in the order of the vectors; without duplicates. */
  readonly text: string;
  /** Ignores case: listed and looked-up words are in lower case. */
  readonly fold: boolean;
  /** Numbers of each vector. */
  readonly dimensions: number;
  /** The numbers of the vectors, one vector after the other: each from -127 to 127, in steps of its vector. */
  readonly numbers: Int8Array;
  /** The step of each vector: the value of 1 in its numbers. */
  readonly steps: Float32Array;
}

/** Named lists for templates to look words up in; plain data, part of a model. */
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
 * Checks that a list of names read from a file has at least one.
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

/** Words with vectors, as learned from text by other programs. */
export interface WordVectors {
  /** The words, the most frequent first if the file is sorted that way; without duplicates. */
  readonly words: readonly string[];
  readonly dimensions: number;
  /** The vectors, one after the other. */
  readonly values: Float32Array;
}
