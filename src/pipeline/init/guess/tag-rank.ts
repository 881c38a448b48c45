import type { Task } from '../../training/recipe.js';
import type { ColumnLook } from './column-look.js';

/**
 * How much a column reads as the tags of a task: the higher the more, 0 for not at all.
 *
 * @example
 * tagRank({ kind: 'spans', values: ['O', 'B-NP'], phrases: true }) // => 3
 * tagRank({ kind: 'open', values: ['so', 'it', 'goes'], phrases: false }) // => 0
 */
export function tagRank({ kind, phrases }: ColumnLook, task?: Task): number {
  if (kind === 'open' || kind === 'index' || kind === 'empty') return 0;
  if (kind === 'constant') return 1;
  const spans = kind === 'spans';
  if (task === 'pos' && !spans) return 4;
  if (task === 'chunk' && spans) return phrases ? 5 : 4;
  if (task === 'ner' && spans) return phrases ? 4 : 5;
  return spans || kind === 'upos' ? 3 : 2;
}
