import { TagstreamError } from '../../../core/errors.js';
import { defaultMaxTokens, tooLarge } from '../../../core/sentence/sentence-limit.js';
import type { DocumentDraft } from '../codec.js';
import { splitRow } from '../conll/conll-layout.js';
import { readTagCells, type TagCells } from '../tag-cells.js';

/** How words and tags stand in a line. */
export interface SlashLayout {
  readonly separator: string;
  readonly tagOptional: boolean;
  readonly tagCells: TagCells;
}

/**
 * The sentence of a line: words with blanks between them, each with its tag after the last separator.
 *
 * @throws TagstreamError `wrong-shape` that names a word without a tag, `too-large`
 * @example
 * const layout = { separator: '/', tagOptional: true, tagCells: {} };
 * readWords('The/DT 1/2/CD', layout) // => ({ tokens: ['The', '1/2'], tags: ['DT', 'CD'] })
 * readWords('The half', layout) // => ({ tokens: ['The', 'half'] })
 */
export function readWords(
  line: string,
  { separator, tagOptional, tagCells }: SlashLayout,
  maxTokens = defaultMaxTokens,
): DocumentDraft {
  const words = splitRow(line, 'whitespace');
  if (words.length > maxTokens)
    throw tooLarge(`a line of ${words.length} words`, String(maxTokens));
  if (tagOptional && !words.some(word => word.includes(separator))) return { tokens: words };
  const tokens: string[] = [];
  const tags: string[] = [];
  for (const [i, word] of words.entries()) {
    const at = word.lastIndexOf(separator);
    if (at <= 0 || at + separator.length === word.length) throw untagged(word, i, separator);
    tokens.push(word.slice(0, at));
    tags.push(word.slice(at + separator.length));
  }
  return { tokens, ...readTagCells(tags, tagCells) };
}

function untagged(word: string, index: number, separator: string): TagstreamError {
  const shown = JSON.stringify(word.slice(0, 40));
  return new TagstreamError('wrong-shape', `word ${index + 1}, ${shown}, has no tag`, {
    fix: `write each word as WORD${separator}TAG, or name another separator`,
  });
}
