import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { givenText, isOn, oneOf } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import { documentMark } from '../../lines/line-bytes.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Codec } from '../codec.js';
import { readBlockRecords } from '../read-block-records.js';
import { tagCellOptions } from '../tag-cell-options.js';
import { formatOfCells, predictedCells } from '../tag-cells.js';
import { type DocumentPart, reportLeftOut } from '../writing.js';
import { conllDefaults, conllLayout } from './conll-layout.js';
import { readSentence, unreadRows } from './read-sentence.js';
import { extendRows, formatRows, newTaggedRows } from './write-rows.js';

const unlabelled: ReadonlySet<DocumentPart> = new Set(['tokens', 'sentences']);
const labelled: ReadonlySet<DocumentPart> = new Set([...unlabelled, 'tags']);

/**
 * Returns the codec of CoNLL columns: one token per line, a blank line after each sentence, as in the CoNLL shared tasks.
 *
 * A line `-DOCSTART-` starts a document, and is not a row. Tagged sentences are the original rows plus the predicted tag
 * as the last column, after the gold tag. A record is a sentence; a document of several sentences is written as several
 * records.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const codec = conllCodec({ columns: ['form', 'tag'] });
 * const document = { tokens: ['a', 'b'], tags: ['X', 'Y'] };
 * codec.writeDocument(document) // => 'a X\nb Y\n\n'
 * codec.write({ document, tokens: ['a', 'b'], gold: ['X', 'Y'], tags: ['X', 'X'] }) // => 'a X X\nb Y X\n\n'
 */
export function conllCodec(options: z.input<typeof conllOptions> = {}): Codec {
  const checked = parseOptions(conllOptions, options, 'conll');
  requireSentenceColumn(checked);
  const layout = conllLayout(checked);
  const rows = `conll ${[checked.separator, layout.comment ?? '', ...checked.columns].join(' ')}`;
  const numbers = checked.sentence === undefined ? '' : ` sentence=${checked.sentence}`;
  const format = rows + numbers + formatOfCells(layout.tagCells);
  const { sentenceStarts } = layout;
  const block = {
    format,
    maxLineBytes: checked.maxLineBytes,
    maxTokens: checked.maxTokens,
    isComment: layout.isComment,
    ...(sentenceStarts === undefined ? {} : { recordStarts: sentenceStarts }),
    parse: (lines: Parameters<typeof readSentence>[0]) => readSentence(lines, layout),
  };
  const others = new Set(layout.otherIndexes.map(index => layout.columns[index]!));
  const holdsColumn = (name: string) => others.has(name);
  return {
    name: 'conll',
    format,
    recordsAreLines: false,
    recordEnd: '\n\n',
    ...(sentenceStarts === undefined ? {} : { recordStarts: sentenceStarts }),
    maxRecordBytes: checked.maxLineBytes,
    read: (bytes, context) => readBlockRecords(bytes, context, block),
    writesResults: true,
    write: given => {
      const tagged =
        given.untagged === true
          ? { ...given, tags: predictedCells(given, layout.tagCells) }
          : given;
      const { raw, format: rawFormat } = tagged.document;
      const own = raw !== undefined && rawFormat === format ? raw : undefined;
      const rows = own === undefined ? undefined : extendRows(own, tagged, layout);
      return rows ?? newTaggedRows(tagged, layout);
    },
    writeDocument: (document, onReplaced, onDropped) => {
      const { raw } = document;
      if (document.format === format && raw !== undefined) {
        const { startsDocument } = document;
        if (startsDocument === true && !raw.includes(documentMark))
          onDropped?.('start of a document');
        return `${raw}\n\n`;
      }
      reportLeftOut(document, layout.tagIndex < 0 ? unlabelled : labelled, holdsColumn, onDropped);
      return formatRows(document, layout, onReplaced);
    },
    unread: ({ raw }) => unreadRows(raw!, layout),
  };
}

/** @throws TagstreamError `config` */
function requireSentenceColumn({ columns, sentence }: z.output<typeof conllOptions>): void {
  if (sentence === undefined) return;
  const isOwn = sentence === 'form' || sentence === 'tag' || sentence === '_';
  if (!isOwn && columns.includes(sentence)) return;
  throw new TagstreamError('config', `there is no column ${sentence} to number the sentences`, {
    fix: isOwn ? 'name a column other than form and tag' : `columns are ${columns.join(', ')}`,
  });
}

const distinct = (names: readonly string[]) => {
  const used = names.filter(name => name !== '_');
  return new Set(used).size === used.length;
};

export const conllOptions = z.strictObject({
  columns: z
    .array(z.string().min(1))
    .min(1)
    .refine(distinct, 'duplicate column name')
    .default([...conllDefaults.columns])
    .describe(
      'column names: `form` is the token (default: the first column), `tag` the gold tag, `_` is ignored',
    ),
  separator: oneOf(
    ['whitespace', 'tab', 'comma', 'semicolon'],
    conllDefaults.separator,
    'column separator: any run of spaces and tabs, one tab, or a comma or semicolon outside quotes (CSV)',
  ),
  tagOptional: isOn(
    conllDefaults.tagOptional,
    'rows may omit the tag if it is the last column: for records to tag',
  ),
  sentence: givenText(
    'column that numbers the sentences: a new value starts a sentence, an empty cell continues it; blank lines are not needed',
  ),
  ...tagCellOptions,
  comment: givenText('lines that start with this are comments, like those with -DOCSTART-'),
  ...lineOptions,
});
