import type { Sentence } from '../../engine/core/sentence/sentence.js';

/**
 * Returns the names of the columns that all sentences have, the token's own first; features can use
 * only these.
 *
 * @example
 * columnsOf([{ tokens: ['a'], columns: { pos: ['N'] }, document: {}, part: { index: 0, count: 1, start: 0 } }])
 * // => ['form', 'pos']
 */
export function columnsOf(sentences: readonly Pick<Sentence, 'columns'>[]): string[] {
  const [first] = sentences;
  const names = Object.entries(first?.columns ?? {})
    .filter(([, values]) => typeof values[0] === 'string')
    .map(([name]) => name);
  const common = names.filter(name =>
    sentences.every(({ columns }) => Object.hasOwn(columns, name)),
  );
  return ['form', ...common.filter(name => name !== 'form')];
}
