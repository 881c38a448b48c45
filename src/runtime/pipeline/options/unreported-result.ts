import type { DecodeOptions } from '../../../engine/models/decoding/decode-options.js';
import { traitsOf } from '../../../formats/codecs/format-traits.js';

/** Results that not every format can represent. */
export const results = [
  'scores',
  'marginals',
  'pairThreshold',
  'probability',
  'nbest',
  'spanProbabilities',
  'modelVersion',
] as const;

/** The format of columns, and what it can represent. */
const columns = 'conll';
const columnResults: ReadonlySet<string> = new Set([
  ...['marginals', 'pairThreshold', 'probability', 'nbest'],
]);

/** Requested results. */
export type AskedResults = Pick<
  DecodeOptions,
  Exclude<(typeof results)[number], 'scores' | 'modelVersion'>
> & {
  readonly scores?: boolean | undefined;
  readonly modelVersion?: boolean | undefined;
};

/** The reason why a result is not written. */
export interface UnreportedResult {
  readonly result: (typeof results)[number];
  readonly because: string;
  readonly fix: string;
}

/**
 * Returns the first requested result that the output cannot contain, with the reason and the likely fix; undefined if
 * all are written. Whole NDJSON records can contain all results; columns can contain the probabilities of tags and
 * sequences.
 *
 * @example
 * unreportedResult({ nbest: 3 }, 'slash', 'record')
 * // => { result: 'nbest', because: 'slash holds only tags', fix: 'read NDJSON, which `tagstream convert FILE --to ndjson` writes' }
 * unreportedResult({ scores: true }, 'conll', 'record').because // => 'conll holds only tags and their probabilities'
 * unreportedResult({ nbest: 3 }, 'conll', 'record') // => undefined
 */
export function unreportedResult(
  asked: AskedResults,
  format: string,
  output: 'record' | 'tags',
): UnreportedResult | undefined {
  if (asked.pairThreshold !== undefined && asked.marginals !== 'pairs') {
    const fix = 'ask for marginals: pairs (--marginals pairs), or leave it out';
    return { result: 'pairThreshold', because: 'it applies to pairs of tags', fix };
  }
  const isAsked = (name: (typeof results)[number]) => isAskedFor(asked, name);
  const inColumns = format === columns && output === 'record';
  const result = results.find(name => isAsked(name) && !(inColumns && columnResults.has(name)));
  if (inColumns && result === undefined && isAsked('nbest') && asked.marginals === true) {
    const because = 'each of several sequences has its own tags';
    return { result: 'marginals', because, fix: 'ask for the probabilities of all: marginals all' };
  }
  if (inColumns && result === undefined && asked.marginals === 'pairs') {
    const because = 'columns have no place for pairs of tags';
    return { result: 'marginals', because, fix: 'ask for those of single tags: marginals all' };
  }
  if (result === undefined) return undefined;
  if (traitsOf(format).writesJson === true) {
    if (output === 'record') return undefined;
    return { result, because: 'the shortest form holds only tags', fix: 'write whole records' };
  }
  const held = inColumns ? 'tags and their probabilities' : 'tags';
  const fix = 'read NDJSON, which `tagstream convert FILE --to ndjson` writes';
  return { result, because: `${format} holds only ${held}`, fix };
}

/** Returns whether a result is requested: true, a number or a word. */
export function isAskedFor<Name extends string>(
  asked: { readonly [Key in Name]?: unknown },
  name: Name,
): boolean {
  return (asked[name] ?? false) !== false;
}
