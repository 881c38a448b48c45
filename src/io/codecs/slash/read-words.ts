import { TagstreamError } from '../../../core/errors.js';
import { defaultMaxTokens, tooLarge } from '../../../core/sentence/sentence-limit.js';
import type { DocumentDraft } from '../codec.js';
import { splitRow } from '../conll/conll-layout.js';
import { readTagCells, type TagCells } from '../tag-cells.js';

/** How words and tags stand in a line. */
export interface SlashLayout {
  readonly separator: string;
  /** What stands between separators, from the word on; default: the word and its tag. */
  readonly columns?: readonly string[] | undefined;
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
  { separator, columns = plain, tagOptional, tagCells }: SlashLayout,
  maxTokens = defaultMaxTokens,
): DocumentDraft {
  const words = splitRow(line, 'whitespace');
  if (words.length > maxTokens)
    throw tooLarge(`a line of ${words.length} words`, String(maxTokens));
  if (tagOptional && !words.some(word => word.includes(separator))) return { tokens: words };
  const tokens: string[] = [];
  const others = columns.slice(1).map((): string[] => []);
  for (const [i, word] of words.entries()) {
    let end = word.length;
    for (let n = others.length - 1; n >= 0; n -= 1) {
      const at = word.lastIndexOf(separator, end - 1);
      if (at <= 0 || at + separator.length === end) throw untagged(word, i, separator, columns);
      others[n]!.push(word.slice(at + separator.length, end));
      end = at;
    }
    tokens.push(word.slice(0, end));
  }
  const named = columns.slice(1).map((name, n) => [name, others[n]!] as const);
  const own = named.filter(([name]) => name !== 'tag' && name !== '_');
  const tags = named.find(([name]) => name === 'tag')![1];
  return {
    tokens,
    ...(own.length === 0 ? {} : { columns: Object.fromEntries(own) }),
    ...readTagCells(tags, tagCells),
  };
}

const plain: readonly string[] = ['form', 'tag'];

function untagged(
  word: string,
  index: number,
  separator: string,
  columns: readonly string[],
): TagstreamError {
  const shown = JSON.stringify(word.slice(0, 40));
  const lacks = columns.length === 2 ? 'no tag' : `not ${columns.length} parts`;
  const form = columns.length === 2 ? ['WORD', 'TAG'] : columns;
  return new TagstreamError('wrong-shape', `word ${index + 1}, ${shown}, has ${lacks}`, {
    fix: `write each word as ${form.join(separator)}, or name another separator`,
  });
}
