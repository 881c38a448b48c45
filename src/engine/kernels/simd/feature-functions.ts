import type { LinearMemory } from '../memory/linear-memory.js';
import { instantiate } from './instantiate.js';

/** The functions of the features module; addresses and counts are integers. */
export interface FeatureFunctions {
  combine(
    program: number,
    templates: number,
    contentLo: number,
    contentHi: number,
    stride: number,
    margin: number,
    length: number,
    list: number,
  ): void;
  findRows(
    table: number,
    mask: number,
    filter: number,
    filterMask: number,
    list: number,
    length: number,
    templates: number,
    firstRow: number,
    starts: number,
    rows: number,
    kept: number,
  ): void;
  /** Returns the next token: the length, or the token before which the table must grow. */
  internRows(
    table: number,
    mask: number,
    limit: number,
    cutoff: number,
    counts: number,
    list: number,
    from: number,
    length: number,
    templates: number,
    firstRow: number,
    starts: number,
    rows: number,
    kept: number,
    fresh: number,
    freshFrom: number,
    mark: number,
    free: number,
  ): number;
  hashRows(
    size: number,
    list: number,
    length: number,
    templates: number,
    firstRow: number,
    starts: number,
    rows: number,
    kept: number,
  ): void;
  rehash(from: number, entries: number, to: number, mask: number): void;
  /** Returns 1 if the fingerprints of marks [from, until), their order and their rows are valid, else 0. */
  placeKeys(
    entries: number,
    bucketNumbers: number,
    directoryBits: number,
    bits: number,
    marks: number,
    from: number,
    until: number,
    markBits: number,
    highs: number,
    rests: number,
    count: number,
    numbers: number,
    numberBytes: number,
    rowCount: number,
    progress: number,
  ): number;
  /** Returns 1 if the directory has `count` entries and their rows are valid, else 0. */
  linkEntries(
    entries: number,
    count: number,
    rowCount: number,
    directory: number,
    directoryBits: number,
  ): number;
  /** Returns where the following rows begin, or 0 if the rows are truncated. */
  placeWeights(
    from: number,
    end: number,
    rows: number,
    labels: number,
    unit: number,
    table: number,
    rowBytes: number,
    isWide: number,
  ): number;
  /** Returns where the following rows begin, or 0 if the rows are truncated. */
  countPairs(from: number, end: number, rows: number, labels: number, starts: number): number;
  /** Returns where the following rows begin. */
  placePairs(
    from: number,
    end: number,
    rows: number,
    labels: number,
    unit: number,
    starts: number,
    pairLabels: number,
    table: number,
    isWide: number,
  ): number;
  /** Returns at least the number of strings in JSON. */
  countTexts(from: number, end: number): number;
  /** Returns 1 if the JSON is a lexicon in the expected form, else 0. */
  enterWords(from: number, end: number, table: number, mask: number): number;
  /** Returns the number of rows so far. */
  encodeTexts(order: number, first: number, end: number, count: number, fixed: number): number;
  /**
   * Returns the next sentence: the end, or the sentence before which the table must grow.
   */
  internTexts(order: number, sentence: number, sentences: number): number;
}

const instances = new WeakMap<LinearMemory, FeatureFunctions>();

/** Returns the functions over a memory; one instance per memory. */
export function featureFunctions(memory: LinearMemory): FeatureFunctions {
  let functions = instances.get(memory);
  if (functions === undefined) {
    functions = instantiate(memory.memory) as unknown as FeatureFunctions;
    instances.set(memory, functions);
  }
  return functions;
}
