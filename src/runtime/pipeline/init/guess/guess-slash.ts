import { SchemeCounts } from '../../../../engine/text/tags/detect-scheme.js';
import { tagReader } from '../../../../engine/text/tags/tag-form.js';
import { splitRow } from '../../../../formats/codecs/conll/conll-layout.js';
import {
  type ColumnLook,
  featureColumns,
  type Guess,
  lookAtColumn,
  shownValues,
} from './column-look.js';

const separators = ['/', '_', '|', '#', '+'];

/**
 * Recognizes a file of words with tags after a separator: lines of several words, nearly all of which end in a
 * separator and a possible tag.
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
    const others = columnsBefore(words, separator);
    const names = ['form', ...[...others.keys()], 'tag'];
    return {
      format: 'slash',
      options: {
        ...(separator === '/' ? {} : { separator }),
        ...(others.size === 0 ? {} : { columns: names }),
        ...look.form,
        ...(isIob1(lines, separator, look) ? { iob1: true } : {}),
      },
      columns: featureColumns(others),
      reasons: [
        `one sentence per line, each word with its tag after ${separator}`,
        ...[...others].map(([name, other]) => `  ${name}: ${shownValues(other)}`),
        `  tags: ${shownValues(look, false)}`,
        ...(isIob1(lines, separator, look) ? ['  the tags are IOB1, read as BIO'] : []),
      ],
      warnings: [],
    };
  }
  return undefined;
}

/** Returns the columns between the words and their tags, such as parts of speech, if every word has them. */
function columnsBefore(
  words: readonly string[],
  separator: string,
): ReadonlyMap<string, ColumnLook> {
  const rows = words.map(word => word.split(separator));
  const usual = rows.reduce((least, { length }) => Math.min(least, length), rows[0]?.length ?? 0);
  const looks = new Map<string, ColumnLook>();
  for (let back = 2; back < usual; back += 1) {
    const look = lookAtColumn(rows.map(cells => cells.at(-back)!));
    if (!readsAsTags(look)) break;
    looks.set(back === 2 ? 'pos' : `c${back}`, look);
  }
  return new Map([...looks].reverse());
}

/** Returns whether spans are IOB1, as in the data of C&C and in Wikiner. */
function isIob1(lines: readonly string[], separator: string, { kind, form }: ColumnLook): boolean {
  if (kind !== 'spans') return false;
  const read = form === undefined ? undefined : tagReader(form);
  const counts = new SchemeCounts();
  for (const line of lines.slice(0, 5000)) {
    const tags = splitRow(line, 'whitespace').map(word =>
      word.slice(word.lastIndexOf(separator) + 1),
    );
    counts.add(read === undefined ? tags : tags.map(read));
  }
  return counts.scheme === 'IOB1' && counts.broken('IOB1') === 0;
}

function readsAsTags({ kind }: ColumnLook): boolean {
  return kind === 'closed' || kind === 'upos' || kind === 'spans';
}
