import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import type { Gazetteer } from './resources.js';

/**
 * A list of names for `%gazetteer`, from entries or from text with an entry per line.
 *
 * An entry is one token or several, separated by white space, as a tokenizer would give them: `St. John 's`.
 * Blank lines are skipped; there are no comments, as names may begin with any character. Cost
 * O(n log n) for n entries.
 *
 * @param options.fold case makes no difference; default false
 * @example
 * gazetteer(['New York', 'Bath', 'New  York']) // => ({ text: 'Bath\nNew York', fold: false })
 * gazetteer('Bath\nBATH\n', { fold: true }).text // => 'bath'
 */
export function gazetteer(
  entries: string | readonly string[],
  options: { readonly fold?: boolean | undefined } = {},
): Gazetteer {
  if (typeof entries !== 'string') requireArgument('gazetteer: the entries', entries, kinds.texts);
  requireKnown('gazetteer', options, ['fold']);
  const fold = options.fold ?? false;
  const lines = typeof entries === 'string' ? entries.split('\n') : entries;
  const distinct = new Set<string>();
  for (const line of lines) {
    const entry = line.trim().replace(/\s+/g, ' ');
    if (entry !== '') distinct.add(fold ? entry.toLowerCase() : entry);
  }
  return { text: [...distinct].sort().join('\n'), fold };
}
