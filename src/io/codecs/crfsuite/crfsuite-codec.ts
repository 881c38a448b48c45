import type * as z from 'zod';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Column, Document } from '../../../core/sentence/document.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec } from '../codec.js';
import { type DocumentPart, reportLeftOut } from '../left-out.js';
import { type OnReplaced, plainCell } from '../plain-cell.js';
import { readBlockRecords } from '../read-block-records.js';
import { requireTokens } from '../require-tokens.js';
import { sentenceRanges } from '../sentence-ranges.js';
import { formatOfCells, tagCell } from '../tag-cells.js';
import { writeAttribute } from './attribute.js';
import { crfsuiteOptions } from './crfsuite-options.js';
import { type CrfsuiteLayout, readItems, unreadAttributes } from './read-items.js';

const held: ReadonlySet<DocumentPart> = new Set(['tokens', 'tags', 'sentences']);

/**
 * The data of CRFsuite: an item a line, its label and attributes with tabs between, a blank line after each sequence.
 *
 * The attributes that `attributes` names are read as columns. Written are all columns with those of the tokens around, as
 * `w[-1]=...`, and `__BOS__` and `__EOS__` at the ends. Tagged sequences have the predicted labels.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const codec = crfsuiteCodec({ window: 1 });
 * codec.writeDocument({ tokens: ['It', 'rains'], tags: ['PRON', 'VERB'] })
 * // => 'PRON\tw[0]=It\tw[1]=rains\t__BOS__\nVERB\tw[-1]=It\tw[0]=rains\t__EOS__\n\n'
 */
export function crfsuiteCodec(options: z.input<typeof crfsuiteOptions> = {}): Codec {
  const checked = parseOptions(crfsuiteOptions, options, 'crfsuite');
  const { attributes, window, unknown, alternatives, iob1, maxLineBytes, maxTokens } = checked;
  const { spanTags, outside } = checked;
  const tagCells = { unknown, alternatives, iob1, spanTags, outside };
  const layout = { attributes, window, tagCells };
  const format = `crfsuite ${JSON.stringify(attributes)}${formatOfCells(tagCells)}`;
  return {
    name: 'crfsuite',
    format,
    recordsAreLines: false,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readBlockRecords(bytes, context, {
        ...{ format, maxLineBytes, maxTokens },
        isComment: () => false,
        parse: (lines: readonly Line[]) => readItems(lines, layout),
      }),
    write: ({ document, tokens, tags, sentences }) => {
      const { raw } = document;
      const own =
        raw !== undefined && document.format === format ? relabelled(raw, tags) : undefined;
      return own ?? items({ document, tokens, tags, sentences }, layout);
    },
    writeDocument: (document, onReplaced, onDropped) => {
      if (document.format === format && document.raw !== undefined) return `${document.raw}\n\n`;
      const { partialTags, sentences } = document;
      const tags = document.tags ?? partialTags?.map(tag => tagCell(tag, tagCells));
      const tokens = requireTokens(document, 'CRFsuite data');
      reportLeftOut(document, held, () => true, onDropped);
      return items({ document, tokens, tags, sentences }, layout, onReplaced);
    },
    unread: ({ raw }) => unreadAttributes(raw!, layout),
  };
}

function relabelled(raw: string, tags: readonly string[]): string | undefined {
  const rows = raw.split('\n');
  if (rows.length !== tags.length) return undefined;
  return `${rows.map((row, i) => `${cell(tags[i]!)}${row.slice(row.indexOf('\t'))}\n`).join('')}\n`;
}

interface Written {
  readonly document: Document;
  readonly tokens: readonly string[];
  readonly tags: readonly string[] | undefined;
  readonly sentences: Document['sentences'];
}

function items(
  { document, tokens, tags, sentences }: Written,
  { attributes, window }: CrfsuiteLayout,
  onReplaced?: OnReplaced,
): string {
  const named = new Map<string, Column>([[attributes.form!, tokens]]);
  for (const [name, values] of Object.entries(document.columns ?? {})) {
    let own = attributes[name] ?? `${name}[0]`;
    while (named.has(own)) own = `_${own}`;
    named.set(own, values);
  }
  let text = '';
  for (const [start, end] of sentenceRanges(sentences, tokens.length)) {
    for (let t = start; t < end; t += 1) {
      const cells = [cell(tags?.[t] ?? '_', onReplaced)];
      for (const [name, values] of named) {
        const reach = name.endsWith('[0]') ? window : 0;
        for (let u = Math.max(start, t - reach); u < Math.min(end, t + reach + 1); u += 1) {
          const value = values[u]!;
          const own = u === t ? name : name.replace(/\[0\]$/, `[${u - t}]`);
          const held =
            typeof value === 'number' ? value : cell(value, u === t ? onReplaced : undefined);
          cells.push(writeAttribute(own, held));
        }
      }
      if (t === start) cells.push('__BOS__');
      if (t === end - 1) cells.push('__EOS__');
      text += `${cells.join('\t')}\n`;
    }
    text += '\n';
  }
  return text;
}

function cell(value: string, onReplaced?: OnReplaced): string {
  return plainCell(value, /[\t\r\n]+|^$/g, '_', onReplaced);
}
