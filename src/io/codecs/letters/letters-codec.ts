import type * as z from 'zod';
import { TagstreamError } from '../../../core/errors.js';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Column, Document } from '../../../core/sentence/document.js';
import type { Codec } from '../codec.js';
import { type DocumentPart, reportLeftOut } from '../left-out.js';
import { type OnReplaced, plainCell } from '../plain-cell.js';
import { readLineRecords } from '../read-line-records.js';
import { requireTokens } from '../require-tokens.js';
import { tagCell } from '../tag-cells.js';
import { type LettersLayout, lettersLayout, lettersOptions } from './letters-options.js';
import { readWord } from './read-word.js';

const unlabelled: ReadonlySet<DocumentPart> = new Set(['tokens']);
const labelled: ReadonlySet<DocumentPart> = new Set(['tokens', 'tags']);

/**
 * One word per line, its letters tagged with one character each, as in letter-to-phoneme corpora.
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
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readLineRecords(bytes, context, { format, maxLineBytes, maxTokens, parse }),
    write: ({ document, tokens, gold, tags }) => {
      const whole = document.tokens === undefined ? { ...document, tokens } : document;
      const labelled = gold === undefined ? whole : { ...whole, tags: gold };
      return `${row(labelled)}\t${joinLetters(tags, 'tag')}\n`;
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
    const tags = document.tags ?? document.partialTags?.map(each => tagCell(each, {}));
    return tags === undefined ? '_' : joinLetters(tags, 'tag', onReplaced);
  };
  return layout.columns.map(cell).join('\t');
}

/** @throws TagstreamError `wrong-shape` unless each item is one character that a cell can hold */
function joinLetters(items: readonly string[], what: string, onReplaced?: OnReplaced): string {
  for (const item of items) {
    const isLetter =
      item.length > 0 && item.length === String.fromCodePoint(item.codePointAt(0)!).length;
    if (isLetter && item !== '\t' && item !== '\n' && item !== '\r') continue;
    const problem = `the ${what} ${JSON.stringify(item.slice(0, 40))} is not one letter`;
    throw new TagstreamError('wrong-shape', problem, {
      fix: 'the letters format holds tokens and tags of one character; write NDJSON or CoNLL',
    });
  }
  return plainCell(items.join(''), /[\t\r\n]+/g, ' ', onReplaced);
}

/** A column of one character a letter is joined; one that holds for the whole word is given once. */
function joinColumn(values: Column | undefined, onReplaced: OnReplaced | undefined): string {
  if (values === undefined || values.length === 0) return '_';
  const texts = values.map(String);
  const isDivided = texts.every(text => Array.from(text).length === 1);
  const cell = isDivided ? texts.join('') : texts[0]!;
  if (!isDivided && texts.some(text => text !== cell)) onReplaced?.(texts.join(' '), cell);
  return plainCell(cell, /[\t\r\n]+/g, ' ', onReplaced);
}
