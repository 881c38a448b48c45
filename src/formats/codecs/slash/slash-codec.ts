import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { isOn } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { defaultMaxTokens, tooLarge } from '../../../engine/core/sentence/sentence-limit.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { splitRow } from '../conll/conll-layout.js';
import { readLineRecords } from '../read-line-records.js';
import { tagCellOptions } from '../tag-cell-options.js';
import {
  formatOfCells,
  predictedCells,
  readTagCells,
  type TagCells,
  tagCellsOf,
} from '../tag-cells.js';
import {
  type DocumentPart,
  type OnReplaced,
  plainCell,
  reportLeftOut,
  requireTokens,
  sentenceRanges,
} from '../writing.js';

const held: ReadonlySet<DocumentPart> = new Set(['tokens', 'tags', 'sentences']);

/**
 * Returns the codec of slash-separated tags: a sentence per line, each word with its tag after a separator, as in the
 * Brown corpus: `The/at jury/nn said/vbd`.
 *
 * Tagged sentences contain predicted tags instead of gold ones. A document without tags is written as words only.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const codec = slashCodec();
 * codec.writeDocument({ tokens: ['It', '1/2'], tags: ['PRON', 'NUM'] }) // => 'It/PRON 1/2/NUM\n'
 * codec.write({ document: {}, tokens: ['It'], gold: ['X'], tags: ['PRON'] }) // => 'It/PRON\n'
 */
export function slashCodec(options: z.input<typeof slashOptions> = {}): Codec {
  const checked = parseOptions(slashOptions, options, 'slash');
  const { separator, columns = plain, tagOptional, maxLineBytes, maxTokens } = checked;
  const layout = { separator, columns, tagOptional, tagCells: checked };
  const names = checked.columns === undefined ? '' : ` ${columns.join(' ')}`;
  const format = `slash ${separator}${names}${formatOfCells(checked)}`;
  const holdsColumn = (name: string) => name !== 'form' && columns.includes(name);
  const inTag = new RegExp(`(?:[ \\t\\r\\n]|${escaped(separator)})+|^$`, 'g');
  const inWord = /[ \t\r\n]+|^$/g;
  const written = (
    tokens: readonly string[],
    tags: readonly string[] | undefined,
    { sentences, columns: others }: Laid,
    onReplaced?: OnReplaced,
  ) => {
    const word = (t: number) => {
      const form = plainCell(tokens[t]!, inWord, '_', onReplaced);
      if (tags === undefined) return form;
      const cells = columns.slice(1).map(name => {
        const value = name === 'tag' ? tags[t]! : String(others?.[name]?.[t] ?? '_');
        return plainCell(value, inTag, '_', onReplaced);
      });
      return [form, ...cells].join(separator);
    };
    let text = '';
    for (const [start, end] of sentenceRanges(sentences, tokens.length)) {
      for (let t = start; t < end; t += 1) text += `${word(t)}${t + 1 === end ? '\n' : ' '}`;
    }
    return text;
  };
  return {
    name: 'slash',
    format,
    recordsAreLines: true,
    recordEnd: '\n',
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readLineRecords(bytes, context, {
        ...{ format, maxLineBytes, maxTokens },
        parse: line => readWords(line, layout, maxTokens),
      }),
    write: tagged => {
      const { document, tokens, sentences = document.sentences } = tagged;
      const { columns } = document;
      requireTokens({ tokens }, 'words with tags');
      return written(tokens, predictedCells(tagged, checked), { sentences, columns });
    },
    writeDocument: (document, onReplaced, onDropped) => {
      if (document.format === format && document.raw !== undefined) return `${document.raw}\n`;
      reportLeftOut(document, held, holdsColumn, onDropped);
      const tags = tagCellsOf(document, checked);
      return written(requireTokens(document, 'words with tags'), tags, document, onReplaced);
    },
  };
}

/** The content written in addition to tokens and tags. */
interface Laid {
  readonly sentences?: Document['sentences'] | undefined;
  readonly columns?: Document['columns'] | undefined;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export const slashOptions = z.strictObject({
  separator: z
    .string()
    .min(1)
    .regex(/^[^ \t\r\n]+$/, 'white space separates words')
    .default('/')
    .describe('separator between a word and its tag; the last one in a word counts'),
  columns: z
    .array(z.string().min(1))
    .min(2)
    .refine(
      ([first, ...others]) =>
        first === 'form' &&
        others.filter(name => name === 'tag').length === 1 &&
        new Set(others.filter(name => name !== '_')).size ===
          others.filter(name => name !== '_').length,
      'must start with form and have one tag, such as [form, pos, tag]',
    )
    .optional()
    .describe(
      'the parts of a word between its separators, such as [form, pos, tag] for `Rome|NNP|I-LOC`; `_` is ignored; default: [form, tag]',
    ),
  tagOptional: isOn(false, 'a line may contain words without tags: for records to tag'),
  ...tagCellOptions,
  ...lineOptions,
});

/** The layout of words and tags on a line. */
export interface SlashLayout {
  readonly separator: string;
  /** Names of the parts between separators, starting with the word; default: the word and its tag. */
  readonly columns?: readonly string[] | undefined;
  readonly tagOptional: boolean;
  readonly tagCells: TagCells;
}

/**
 * Parses a line as a sentence: words separated by blanks, each with its tag after the last separator.
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
