import { TagstreamError } from '../../core/errors.js';

/** A name list, as created by `gazetteer`. */
export interface Gazetteer {
  /** One entry per line, its tokens separated by single spaces; sorted, without duplicates. */
  readonly text: string;
  /** Whether case is ignored: entries and looked-up words are then in lower case. */
  readonly fold: boolean;
}

/** Words in a hierarchy of clusters, as created by `wordClusters`. */
export interface WordClusters {
  /**
   * One cluster per line: its path of 0 and 1, followed by its words, all separated by tabs;
   * sorted.
   */
  readonly text: string;
  /** Whether case is ignored: listed and looked-up words are then in lower case. */
  readonly fold: boolean;
  /**
   * Path prefix lengths for the templates that are added if no template uses the clusters; default
   * 4, 6 and 10.
   */
  readonly bits?: readonly number[] | undefined;
}

/** Words with vectors, as created by `quantisedVectors`. */
export interface QuantisedVectors {
  /** One word per line, in the order of the vectors; without duplicates. */
  readonly text: string;
  /** Whether case is ignored: listed and looked-up words are then in lower case. */
  readonly fold: boolean;
  /** Number of components per vector. */
  readonly dimensions: number;
  /**
   * Components of the vectors, one vector after the other: each from -127 to 127, in steps of its
   * vector.
   */
  readonly numbers: Int8Array;
  /** Step of each vector: the value of a component of 1. */
  readonly steps: Float32Array;
}

/** Named lists in which templates look up words; plain data, part of a model. */
export interface Resources {
  /** Gazetteers, for `%gazetteer[0,0,NAME]`. */
  readonly gazetteers?: Readonly<Record<string, Gazetteer>>;
  /** Word clusters, for `%cluster[0,0,NAME,4]`. */
  readonly clusters?: Readonly<Record<string, WordClusters>>;
  /** Word vectors, for `%vector[0,0,NAME]`. */
  readonly vectors?: Readonly<Record<string, QuantisedVectors>>;
}

/** Pattern of list names, as used in templates. */
export const resourceName = /^[\w.-]+$/;

/**
 * Requires that a name list read from a file has at least one entry.
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
  /** Words, the most frequent first if the file is sorted that way; without duplicates. */
  readonly words: readonly string[];
  readonly dimensions: number;
  /** Vectors, one after the other. */
  readonly values: Float32Array;
}
