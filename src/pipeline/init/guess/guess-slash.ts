import { splitRow } from '../../../io/codecs/conll/conll-layout.js';
import { type ColumnLook, lookAtColumn } from './column-look.js';
import type { Guess } from './guess.js';
import { shownValues } from './shown-values.js';

const separators = ['/', '_', '|', '#', '+'];

/**
 * A file of words that have their tags after a separator, if it is one: lines of several words, nearly all of which have it,
 * before what reads as tags.
 *
 * @example
 * guessSlash(['The/DT dog/NN', 'It/PRP ran/VBD'])?.format // => 'slash'
 * guessSlash(['The_DT dog_NN', 'It_PRP ran_VBD'])?.options // => ({ separator: '_' })
 * guessSlash(['The dog', 'and/or that']) // => undefined
 */
export function guessSlash(lines: readonly string[]): Guess | undefined {
  const words = lines.slice(0, 5000).flatMap(line => splitRow(line, 'whitespace'));
  if (words.length <= lines.slice(0, 5000).length) return undefined;
  for (const separator of separators) {
    const tags = words.flatMap(word => {
      const at = word.lastIndexOf(separator);
      return at > 0 && at + 1 < word.length ? [word.slice(at + 1)] : [];
    });
    if (tags.length < 0.98 * words.length) continue;
    const look = lookAtColumn(tags);
    if (!readsAsTags(look)) continue;
    return {
      format: 'slash',
      options: separator === '/' ? {} : { separator },
      columns: [],
      reasons: [
        `one sentence per line, each word with its tag after ${separator}`,
        `  tags: ${shownValues(look, false)}`,
      ],
      warnings: [],
    };
  }
  return undefined;
}

function readsAsTags({ kind }: ColumnLook): boolean {
  return kind === 'closed' || kind === 'upos' || kind === 'spans';
}
