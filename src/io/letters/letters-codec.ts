import type * as z from 'zod';
import type { Column, Document } from '../../core/document.js';
import { TagstreamError } from '../../core/errors.js';
import type { Codec } from '../codec.js';
import { parseOptions } from '../parse-options.js';
import { readLineRecords } from '../read-line-records.js';
import { requireTokens } from '../require-tokens.js';
import { tagCell } from '../tag-cells.js';
import { type LettersLayout, lettersLayout, lettersOptions } from './letters-options.js';
import { readWord } from './read-word.js';

/**
 * One word a line, its letters tagged with one character each, as in letter-to-phoneme corpora.
 *
 * Tagged words are their own row plus the predicted tags as a further column.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const codec = lettersCodec({ columns: ['word', 'phonemes'] });
 * const document = { tokens: ['a', 'b'], tags: ['x', 'b'] };
 * codec.writeDocument(document) // => 'ab\txb\n'
 * codec.write({ document, tokens: ['a', 'b'], tags: ['-', 'b'], gold: ['x', 'b'] }) // => 'ab\txb\t-b\n'
 */
export function lettersCodec(options: z.input<typeof lettersOptions> = {}): Codec {
  const checked = parseOptions(lettersOptions, options, 'letters');
  const layout = lettersLayout(checked);
  const { form, maxLineBytes } = checked;
  const tagName = layout.columns[layout.tagIndex] ?? '';
  const format = ['letters', form, tagName, ...layout.columns].join(' ');
  const parse = (text: string) => readWord(text, layout);
  const row = (document: Document) =>
    document.format === format && document.raw !== undefined
      ? document.raw
      : newRow(document, requireTokens(document, 'letters'), layout);
  return {
    name: 'letters',
    format,
    recordsAreLines: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readLineRecords(bytes, context, { format, maxLineBytes, parse }),
    write: ({ document, tokens, gold, tags }) => {
      const whole = document.tokens === undefined ? { ...document, tokens } : document;
      const labelled = gold === undefined ? whole : { ...whole, tags: gold };
      return `${row(labelled)}\t${joinLetters(tags, 'tag')}\n`;
    },
    writeDocument: document => `${row(document)}\n`,
  };
}

function newRow(document: Document, tokens: readonly string[], layout: LettersLayout): string {
  const cell = (name: string, index: number) => {
    if (index === layout.formIndex) return joinLetters(tokens, 'token');
    if (index !== layout.tagIndex) return joinColumn(document.columns?.[name]);
    const tags = document.tags ?? document.partialTags?.map(each => tagCell(each, {}));
    return tags === undefined ? '_' : joinLetters(tags, 'tag');
  };
  return layout.columns.map(cell).join('\t');
}

/** @throws TagstreamError `wrong-shape` unless each item is one character that a cell can hold */
function joinLetters(items: readonly string[], what: string): string {
  for (const item of items) {
    const isLetter =
      item.length > 0 && item.length === String.fromCodePoint(item.codePointAt(0)!).length;
    if (isLetter && item !== '\t' && item !== '\n' && item !== '\r') continue;
    const problem = `the ${what} ${JSON.stringify(item.slice(0, 40))} is not one letter`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: 'the letters format holds tokens and tags of one character; write NDJSON or CoNLL',
    });
  }
  return items.join('');
}

/** A column of one character a letter is joined; one that holds for the whole word is given once. */
function joinColumn(values: Column | undefined): string {
  if (values === undefined || values.length === 0) return '_';
  const texts = values.map(String);
  const isDivided = texts.every(text => Array.from(text).length === 1);
  return isDivided ? texts.join('') : texts[0]!.replace(/[\t\r\n]+/g, ' ');
}
