import type { DecodeOptions } from '../../models/decoding/decode-options.js';

/** What only whole records have a place for. */
const results = [
  'scores',
  'marginals',
  'probability',
  'nbest',
  'spanProbabilities',
  'modelVersion',
] as const;

/** Formats whose records are written as JSON. */
const jsonFormats: readonly string[] = ['ndjson', 'text'];

/** Results that are asked for. */
export type AskedResults = Pick<
  DecodeOptions,
  Exclude<(typeof results)[number], 'scores' | 'modelVersion'>
> & {
  readonly scores?: boolean | undefined;
  readonly modelVersion?: boolean | undefined;
};

/**
 * Names the first result that is asked for and has no place in what is written, with the reason; undefined
 * where all are written. Only whole NDJSON records hold more than tags.
 *
 * @example
 * unreportedResult({ nbest: 3 }, 'conll', 'record') // => { result: 'nbest', because: 'conll holds tags alone' }
 * unreportedResult({ nbest: 3 }, 'ndjson', 'tags') // => { result: 'nbest', because: 'the shortest form holds tags alone' }
 * unreportedResult({ nbest: 3 }, 'ndjson', 'record') // => undefined
 */
export function unreportedResult(
  asked: AskedResults,
  format: string,
  output: 'record' | 'tags',
): { readonly result: (typeof results)[number]; readonly because: string } | undefined {
  const result = results.find(name => (asked[name] ?? false) !== false);
  if (result === undefined) return undefined;
  if (!jsonFormats.includes(format)) return { result, because: `${format} holds tags alone` };
  if (output === 'tags') return { result, because: 'the shortest form holds tags alone' };
  return undefined;
}
