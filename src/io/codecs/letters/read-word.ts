import { TagstreamError } from '../../../core/errors.js';
import { defaultMaxTokens, tooLarge } from '../../../core/sentence/sentence-limit.js';
import { counted } from '../../../core/wording/counted.js';
import type { DocumentDraft } from '../codec.js';
import type { LettersLayout } from './letters-options.js';

/**
 * The document of one word: a token a letter (code point), a tag a letter. A further column of as many
 * letters as the word is divided in the same way; any other holds for the whole word and is repeated.
 * A tag column of a lone `_` means that the word is unlabelled.
 *
 * @throws TagstreamError `wrong-shape` on a wrong number of columns, `empty-sentence` on an empty word,
 * `length-mismatch` if word and tags differ in length, `too-large` for a word of too many letters
 * @example
 * const layout = { columns: ['word', 'phonemes'], formIndex: 0, tagIndex: 1 };
 * readWord('ab\txb', layout) // => ({ tokens: ['a', 'b'], tags: ['x', 'b'] })
 */
export function readWord(
  row: string,
  layout: LettersLayout,
  maxTokens = defaultMaxTokens,
): DocumentDraft {
  const { columns, formIndex, tagIndex } = layout;
  const cells = row.split('\t');
  if (layout.tagOptional === true && cells.length === 1) return wordAlone(cells[0]!, maxTokens);
  if (cells.length !== columns.length) {
    const problem = `a row of ${counted(cells.length, 'column')} where ${columns.length} were expected`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: `each row is: ${columns.join(', ')}, with one tab between`,
    });
  }
  const draft: DocumentDraft = wordAlone(cells[formIndex]!, maxTokens);
  const tokens = draft.tokens!;
  const others: [string, string[]][] = [];
  columns.forEach((name, index) => {
    if (index === formIndex) return;
    const cell = cells[index]!;
    const letters = lettersIn(cell);
    if (index === tagIndex) {
      if (cell !== '_') draft.tags = matching(cell, letters, tokens, name);
    } else if (letters === tokens.length) others.push([name, Array.from(cell)]);
    else others.push([name, tokens.map(() => cell)]);
  });
  if (others.length > 0) draft.columns = Object.fromEntries(others);
  return draft;
}

function wordAlone(word: string, maxTokens: number): DocumentDraft {
  const letters = lettersIn(word);
  if (letters === 0) throw new TagstreamError('empty-sentence', 'the word is empty');
  if (letters > maxTokens) throw tooLarge(`a word of ${letters} letters`, String(maxTokens));
  return { tokens: Array.from(word) };
}

/** Code points of a text; to have them all at hand would take many times its memory. */
function lettersIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count += 1;
  return count;
}

function matching(
  cell: string,
  letters: number,
  tokens: readonly string[],
  name: string,
): readonly string[] {
  if (letters === tokens.length) return Array.from(cell);
  const problem = `${tokens.length} letters but ${letters} ${name}`;
  throw new TagstreamError('length-mismatch', problem, { fix: 'give one tag per letter' });
}
