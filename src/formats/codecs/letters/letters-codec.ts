import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { givenText, isOn } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Column, Document } from '../../../engine/core/sentence/document.js';
import { blankTagIn } from '../../../engine/core/sentence/partial-tag.js';
import { defaultMaxTokens, tooLarge } from '../../../engine/core/sentence/sentence-limit.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { readLineRecords } from '../read-line-records.js';
import { predictedCells, tagCellsOf } from '../tag-cells.js';
import {
  type DocumentPart,
  type OnReplaced,
  plainCell,
  reportLeftOut,
  requireTokens,
} from '../writing.js';

const unlabelled: ReadonlySet<DocumentPart> = new Set(['tokens']);
const labelled: ReadonlySet<DocumentPart> = new Set(['tokens', 'tags']);

/**
 * Returns the codec of tagged letters: one word per line, one character as the tag of each letter, as in
 * letter-to-phoneme corpora.
 *
 * A tagged word is the original row plus the predicted tags as another column.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const codec = lettersCodec({ columns: ['word', 'phonemes'] });
 * const document = { tokens: ['a', 'b'], tags: ['x', 'b'] };
 * codec.writeDocument(document) // => 'ab\txb\n'
 * codec.write({ document, tokens: ['a', 'b'], tags: ['-', 'b'], gold: ['x', 'b'] }) // => 'ab\txb\t-b\n'
 */
export function lettersCodec(options: z.input<typeof lettersOptions> = {}): Codec {
  const checked = parseOptions(lettersOptions, options, 'letters');
  const layout = lettersLayout(checked);
  const { form, maxLineBytes, maxTokens } = checked;
  const tagName = layout.columns[layout.tagIndex] ?? '';
  const format = ['letters', form, tagName, ...layout.columns].join(' ');
  const parse = (text: string) => readWord(text, layout, maxTokens);
  const row = (document: Document, onReplaced?: OnReplaced) =>
    document.format === format && document.raw !== undefined
      ? document.raw
      : newRow(document, requireTokens(document, 'letters'), layout, onReplaced);
  const others = new Set(
    layout.columns.filter((_, i) => i !== layout.formIndex && i !== layout.tagIndex),
  );
  const holdsColumn = (name: string) => others.has(name);
  return {
    name: 'letters',
    format,
    recordsAreLines: true,
    recordEnd: '\n',
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readLineRecords(bytes, context, { format, maxLineBytes, maxTokens, parse }),
    write: tagged => {
      const { document, tokens, gold } = tagged;
      const whole = document.tokens === undefined ? { ...document, tokens } : document;
      const labelled = gold === undefined ? whole : { ...whole, tags: gold };
      return `${row(labelled)}\t${joinLetters(predictedCells(tagged, {}), 'tag')}\n`;
    },
    writeDocument: (document, onReplaced, onDropped) => {
      if (document.format !== format || document.raw === undefined) {
        reportLeftOut(
          document,
          layout.tagIndex < 0 ? unlabelled : labelled,
          holdsColumn,
          onDropped,
        );
      }
      return `${row(document, onReplaced)}\n`;
    },
  };
}

function newRow(
  document: Document,
  tokens: readonly string[],
  layout: LettersLayout,
  onReplaced: OnReplaced | undefined,
): string {
  const cell = (name: string, index: number) => {
    if (index === layout.formIndex) return joinLetters(tokens, 'token', onReplaced);
    if (index !== layout.tagIndex) return joinColumn(document.columns?.[name], onReplaced);
    const tags = tagCellsOf(document, {});
    return tags === undefined ? '_' : joinLetters(tags, 'tag', onReplaced);
  };
  return layout.columns.map(cell).join('\t');
}

/** @throws TagstreamError `wrong-shape` unless each item is a single character that a cell can contain */
function joinLetters(items: readonly string[], what: string, onReplaced?: OnReplaced): string {
  for (const item of items) {
    const isLetter =
      item.length > 0 && item.length === String.fromCodePoint(item.codePointAt(0)!).length;
    if (isLetter && item !== '\t' && item !== '\n' && item !== '\r') continue;
    const problem = `the ${what} ${JSON.stringify(item.slice(0, 40))} is not one letter`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: 'tokens and tags of the letters format have one character; write NDJSON or CoNLL',
    });
  }
  return plainCell(items.join(''), /[\t\r\n]+/g, ' ', onReplaced);
}

/** Joins a column with one character per letter; a value for the whole word is written once. */
function joinColumn(values: Column | undefined, onReplaced: OnReplaced | undefined): string {
  if (values === undefined || values.length === 0) return '_';
  const texts = values.map(String);
  const isDivided = texts.every(text => Array.from(text).length === 1);
  const cell = isDivided ? texts.join('') : texts[0]!;
  if (!isDivided && texts.some(text => text !== cell)) onReplaced?.(texts.join(' '), cell);
  return plainCell(cell, /[\t\r\n]+/g, ' ', onReplaced);
}

/**
 * Builds the document of one word: a token and a tag per letter (code point). Any other column with as many letters as
 * the word is split likewise; otherwise its value applies to the whole word and is repeated. A tag column `_` means
 * that the word is unlabelled.
 *
 * @throws TagstreamError `wrong-shape` for a wrong number of columns, `empty-sentence` for an empty
 * word, `length-mismatch` if word and tags differ in length, `too-large` for a word of too many letters
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
    const problem = `${counted(cells.length, 'column')} in a row, expected ${columns.length}`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: `write each row as ${columns.join(', ')}, separated by single tabs`,
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

/** Returns the number of code points in a text, without allocating an array of them. */
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
  if (letters === tokens.length) {
    const tags = Array.from(cell);
    const blank = blankTagIn(tags);
    if (blank < 0) return tags;
    throw new TagstreamError('wrong-shape', `letter ${blank + 1} has a blank in ${name}`, {
      fix: 'write a character that can be seen as its tag, such as -',
    });
  }
  const problem = `${tokens.length} letters but ${letters} ${name}`;
  throw new TagstreamError('length-mismatch', problem, { fix: 'give one tag per letter' });
}

const defaultTag = 'phonemes';

export const lettersOptions = z
  .strictObject({
    columns: z
      .array(z.string().min(1))
      .min(1)
      .refine(names => new Set(names).size === names.length, 'duplicate column name')
      .default(['word', defaultTag, 'stress', 'class'])
      .describe('names of the tab-separated columns'),
    form: z.string().min(1).default('word').describe('the column whose letters are the tokens'),
    tag: givenText('the column with one tag per letter; default: `phonemes`, if present'),
    tagOptional: isOn(false, 'a row may contain only the word: for words to tag'),
    ...lineOptions,
  })
  .refine(({ columns, form }) => columns.includes(form), {
    path: ['form'],
    message: 'no such column',
  })
  .refine(({ columns, tag }) => tag === undefined || columns.includes(tag), {
    path: ['tag'],
    message: 'no such column',
  });

/** The columns of a letters file by index. */
interface LettersLayout {
  readonly columns: readonly string[];
  readonly formIndex: number;
  /** Index of the gold tags; -1 if there are none. */
  readonly tagIndex: number;
  /** Whether a row may contain only the word. */
  readonly tagOptional?: boolean;
}

/** Returns the layout that checked options describe. */
function lettersLayout(options: z.output<typeof lettersOptions>): LettersLayout {
  const { columns, form, tag = defaultTag, tagOptional } = options;
  return { columns, formIndex: columns.indexOf(form), tagIndex: columns.indexOf(tag), tagOptional };
}
