import type { ColumnLook } from './column-look.js';
import type { FeatureColumn } from './guess.js';

/**
 * The columns that features are made of: the first of parts of speech, and the first of phrases.
 *
 * @example
 * const pos = { kind: 'closed', values: ['DT', 'NN'], phrases: false };
 * featureColumns(new Map([['pos', pos], ['xpos', pos]])) // => [{ name: 'pos', holds: 'pos' }]
 */
export function featureColumns(looks: ReadonlyMap<string, ColumnLook>): FeatureColumn[] {
  const all = [...looks];
  const pos = all.find(([, { kind }]) => kind === 'closed' || kind === 'upos')?.[0];
  const chunk = all.find(([, { phrases }]) => phrases)?.[0];
  return [
    ...(pos === undefined ? [] : [{ name: pos, holds: 'pos' as const }]),
    ...(chunk === undefined ? [] : [{ name: chunk, holds: 'chunk' as const }]),
  ];
}
