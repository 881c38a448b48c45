import { TagstreamError } from '../../core/errors.js';
import type { DocumentDraft } from '../codec.js';
import type { LettersLayout } from './letters-options.js';

/**
 * The document of one word: a token a letter (code point), a tag a letter. A further column of as many
 * letters as the word is divided in the same way; any other holds for the whole word and is repeated.
 * A tag column of a lone `_` means that the word is unlabelled.
 *
 * @throws TagstreamError `wrong-shape` on a wrong number of columns, `empty-sentence` on an empty word,
 * `length-mismatch` if word and tags differ in length
 * @example
 * const layout = { columns: ['word', 'phonemes'], formIndex: 0, tagIndex: 1 };
 * readWord('ab\txb', layout) // => ({ tokens: ['a', 'b'], tags: ['x', 'b'] })
 */
export function readWord(row: string, layout: LettersLayout): DocumentDraft {
  const { columns, formIndex, tagIndex } = layout;
  const cells = row.split('\t');
  if (layout.tagOptional === true && cells.length === 1) return wordAlone(cells[0]!);
  if (cells.length !== columns.length) {
    const problem = `a row of ${cells.length} columns where ${columns.length} were expected`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: `each row is: ${columns.join(', ')}, with one tab between`,
    });
  }
  const tokens = Array.from(cells[formIndex]!);
  if (tokens.length === 0) throw new TagstreamError('empty-sentence', 'the word is empty');
  const draft: DocumentDraft = { tokens };
  const others: [string, string[]][] = [];
  columns.forEach((name, index) => {
    if (index === formIndex) return;
    const letters = Array.from(cells[index]!);
    if (index === tagIndex) {
      if (cells[index] !== '_') draft.tags = matching(letters, tokens, name);
    } else if (letters.length === tokens.length) others.push([name, letters]);
    else others.push([name, tokens.map(() => cells[index]!)]);
  });
  if (others.length > 0) draft.columns = Object.fromEntries(others);
  return draft;
}

function wordAlone(word: string): DocumentDraft {
  const tokens = Array.from(word);
  if (tokens.length === 0) throw new TagstreamError('empty-sentence', 'the word is empty');
  return { tokens };
}

function matching(
  tags: readonly string[],
  tokens: readonly string[],
  name: string,
): readonly string[] {
  if (tags.length === tokens.length) return tags;
  const problem = `${tokens.length} letters but ${tags.length} ${name}`;
  throw new TagstreamError('length-mismatch', problem, { fix: 'give one tag for each letter' });
}
