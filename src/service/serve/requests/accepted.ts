import { TagstreamError } from '../../../engine/core/errors.js';
import { Problem } from '../../../runtime/http/problem.js';
import type { WrittenForm } from '../threads/served-task.js';

/** Media types that answers can have. */
export const answerTypes = {
  'application/json': { form: 'records', contentType: 'application/json' },
  'application/x-ndjson': { form: 'records', contentType: 'application/x-ndjson' },
  'text/x-conll': { form: 'conll', contentType: 'text/x-conll; charset=utf-8' },
  'text/x-conllu': { form: 'conllu', contentType: 'text/x-conllu; charset=utf-8' },
  'text/html': { form: 'html', contentType: 'text/html; charset=utf-8' },
} as const satisfies Readonly<
  Record<string, { readonly form: WrittenForm; readonly contentType: string }>
>;

export type AnswerType = keyof typeof answerTypes;

const names = Object.keys(answerTypes) as AnswerType[];

/**
 * Returns the type of an answer according to the header `Accept`: the one with the highest weight, the first if tied.
 *
 * @param otherwise type for clients that accept anything
 * @throws Problem 406 if none is accepted
 * @example
 * acceptedType('text/html;q=0.5, text/x-conll', 'application/json') // => 'text/x-conll'
 * acceptedType('text/*', 'application/json') // => 'text/x-conll'
 * acceptedType(undefined, 'application/json') // => 'application/json'
 */
export function acceptedType(accept: string | undefined, otherwise: AnswerType): AnswerType {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === otherwise) {
    return otherwise;
  }
  let best: AnswerType | undefined;
  let most = 0;
  for (const range of accept.split(',', 64)) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    const quality = parameters.find(part => part.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    const found = [otherwise, ...names].find(name => isIn(name, type));
    if (found === undefined || !(weight > most)) continue;
    best = found;
    most = weight;
  }
  if (best !== undefined) return best;
  throw new Problem(
    new TagstreamError('usage', `the service cannot answer with any accepted type: ${accept}`, {
      fix: `accept one of ${names.join(', ')}`,
    }),
    { status: 406 },
  );
}

function isIn(name: AnswerType, range: string): boolean {
  return range === '*/*' || range === name || range === `${name.split('/')[0]}/*`;
}
