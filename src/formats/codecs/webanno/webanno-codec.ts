import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { isOn, oneOf } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Document, Range, TextSpan } from '../../../engine/core/sentence/document.js';
import { tagsOfScheme } from '../../../engine/text/tags/convert-tags.js';
import { spansOf } from '../../../engine/text/tags/spans.js';
import { withoutOverlaps } from '../../../engine/text/tags/tags-of-spans.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { type LeftOutSpans, leftOutSpans } from '../foreign/placed-spans.js';
import { readBlockRecords } from '../read-block-records.js';
import { emptyCell } from '../tag-cells.js';
import { cellLabels, cellOf, isHeader, ownCells, unescaped } from './webanno-rows.js';

/**
 * Returns the codec of WebAnno TSV 3, exported by WebAnno and INCEpTION: a token per line, with its position in the
 * text and a column for each feature of each layer; a sentence is a record. Tagged sentences are the original lines
 * with the label column replaced; the first one also has the file header. Sentences of other formats cannot be written,
 * because they have no position in a text.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * webannoCodec({ column: 2 }).format // => 'webanno 2 spans reject'
 */
export function webannoCodec(options: z.input<typeof webannoOptions> = {}): Codec {
  const checked = parseOptions(webannoOptions, options, 'webanno');
  const { maxLineBytes, maxTokens, column, spans, overlaps } = checked;
  const format = `webanno ${column} ${spans ? 'spans' : 'tokens'} ${overlaps}`;
  return {
    name: 'webanno',
    format,
    recordsAreLines: false,
    recordEnd: '\n\n',
    maxRecordBytes: maxLineBytes,
    async *read(bytes, context) {
      let head: string[] | undefined = [];
      const block = {
        ...{ format, maxLineBytes, maxTokens },
        isComment: (text: string) => {
          if (isHeader(text)) head?.push(text);
          return text.startsWith('#');
        },
        parse: (lines: readonly Line[]) => readSentence(lines, checked),
      };
      for await (const documents of readBlockRecords(bytes, context, block)) {
        const [first, ...others] = documents;
        // The header is written with the first sentence.
        const withHead =
          head === undefined || head.length === 0 || first === undefined
            ? documents
            : [{ ...first, raw: `${head.join('\n')}\n\n\n${first.raw}` }, ...others];
        head = undefined;
        yield withHead;
      }
    },
    write: ({ document, tags }) => {
      if (!isOwn(document)) throw withoutPlace();
      return `${replaceCells(document.raw!, tags, checked)}\n\n`;
    },
    writeDocument: document => {
      if (!isOwn(document)) throw withoutPlace();
      return document.format === format || document.tags === undefined
        ? `${document.raw}\n\n`
        : `${replaceCells(document.raw!, document.tags, checked)}\n\n`;
    },
    unread: ({ raw }) => unreadCells(raw!, column),
  };
}

/** Names the additional content of a sentence: labels in other columns, and comments other than the text. */
function unreadCells(raw: string, column: number): readonly string[] {
  return raw.split('\n').flatMap(row => {
    if (row.startsWith('#')) return isHeader(row) || row.startsWith('#Text=') ? [] : ['comments'];
    return row
      .split('\t')
      .slice(ownCells)
      .flatMap((cell, i) =>
        cell === '_' || cell === '' || i + 1 === column ? [] : [`column ${i + 1}`],
      );
  });
}

function isOwn({ raw, format }: Document): boolean {
  return raw !== undefined && format?.startsWith('webanno ') === true;
}

function withoutPlace(): TagstreamError {
  return new TagstreamError('wrong-shape', 'webanno can only write sentences read as webanno', {
    fix: 'WebAnno and INCEpTION also import CoNLL-U and CoNLL: --to conllu',
  });
}

/**
 * Returns the lines of a sentence with other labels in their column; all other content stays byte for byte, including
 * the cells of tokens with unchanged labels. Labels of parts of tokens are dropped.
 */
function replaceCells(
  raw: string,
  tags: readonly string[],
  { column, spans }: Pick<WebannoFormat, 'column' | 'spans'>,
): string {
  const index = ownCells - 1 + column;
  const rows = raw.split('\n');
  const places = rows.flatMap((row, i) => (/^\d+-\d+\t/.test(row) ? [i] : []));
  const sentence = Number(/^\d+/.exec(rows[places[0] ?? 0] ?? '')?.[0] ?? 0);
  const labels = spans ? spanCells(tags, sentence) : tags.map(tag => cellOf(tag, undefined));
  const before = places.map(i => rows[i]!.split('\t')[index]!);
  const isSame = spans && sameSpans(before, labels);
  if (isSame) return raw;
  for (const [t, i] of places.entries()) {
    const cells = rows[i]!.split('\t');
    const isKept = cells[index] === labels[t];
    if (!isKept) cells[index] = labels[t] ?? '_';
    rows[i] = cells.join('\t');
  }
  return rows
    .map(row => {
      if (!/^\d+-\d+\.\d+\t/.test(row)) return row;
      const cells = row.split('\t');
      if (cells[index] !== undefined) cells[index] = '_';
      return cells.join('\t');
    })
    .join('\n');
}

/** Number of span keys reserved per sentence, in which they must be unique. */
const keysOfSentence = 10_000;

function spanCells(tags: readonly string[], sentence: number): string[] {
  const cells: string[] = tags.map(() => '_');
  for (const [n, { label, start, end }] of spansOf(tags).entries()) {
    const key = end - start === 1 ? undefined : sentence * keysOfSentence + n + 1;
    for (let t = start; t < end; t += 1) cells[t] = cellOf(label, key);
  }
  return cells;
}

/** Whether cells mark the same spans, regardless of keys. */
function sameSpans(before: readonly string[], now: readonly string[]): boolean {
  const shape = (cells: readonly string[]) => {
    const keys = new Map<string, number>();
    return cells
      .map(cell =>
        cellLabels(cell)
          .map(({ label, key }) => {
            if (key === undefined) return `${label} alone`;
            if (!keys.has(key)) keys.set(key, keys.size);
            return `${label} ${keys.get(key)}`;
          })
          .join('|'),
      )
      .join('\t');
  };
  return shape(before) === shape(now);
}

/** The content of a sentence's rows. */
interface Rows {
  readonly tokens: string[];
  readonly places: Range[];
  /** Labels of each token; labels of its parts count as the token's. */
  readonly labels: { readonly label: string; readonly key: string | undefined }[][];
  /** Number of labels of parts of tokens. */
  parts: number;
}

/**
 * Builds a sentence from its lines: text, tokens with their offsets, and tags.
 *
 * @throws TagstreamError `wrong-shape`
 */
function readSentence(lines: readonly Line[], options: WebannoFormat): DocumentDraft {
  const rows: Rows = { tokens: [], places: [], labels: [], parts: 0 };
  const texts: string[] = [];
  for (const line of lines) {
    if (line.text.startsWith('#')) {
      if (line.text.startsWith('#Text=')) texts.push(unescaped(line.text.slice('#Text='.length)));
    } else {
      addRow(rows, line, options);
    }
  }
  const { tokens, places } = rows;
  const draft: DocumentDraft = { tokens };
  const text = texts.join('\n');
  const first = places[0]?.[0] ?? 0;
  const offsets = places.map(([start, end]): Range => [start - first, end - first]);
  const fits = offsets.every(([start, end], t) => text.slice(start, end) === tokens[t]);
  if (fits) Object.assign(draft, { text, offsets });
  draft.tags = options.spans ? spanTags(rows, options) : tokenTags(rows);
  return draft;
}

function addRow(rows: Rows, line: Line, { column, overlaps }: WebannoFormat): void {
  const cells = line.text.split('\t');
  const [, , part] = /^(\d+)-\d+(?:\.(\d+))?$/.exec(cells[0]!) ?? [];
  const place = /^(\d+)-(\d+)$/.exec(cells[1] ?? '');
  const cell = cells[ownCells - 1 + column];
  if (!/^\d+-\d+(?:\.\d+)?$/.test(cells[0]!) || place === null || cell === undefined) {
    throw new TagstreamError(
      'wrong-shape',
      `a row does not have ID, PLACE, TOKEN and at least ${column} more columns`,
      {
        place: { line: line.number },
        fix: 'write it as 1-1, a tab, 0-4, a tab, Acme, and a column for each feature, or name another column',
      },
    );
  }
  if (cell === '') throw emptyCell(String(column), line.number, 'write _ where there is no label');
  const found = cellLabels(cell);
  if (part === undefined) {
    rows.tokens.push(unescaped(cells[2]!));
    rows.places.push([Number(place[1]), Number(place[2])]);
    rows.labels.push([...found]);
    return;
  }
  if (found.length === 0) return;
  if (overlaps === 'reject' || rows.labels.length === 0) {
    throw new TagstreamError('wrong-shape', `a label on part of a token, ${cells[0]}`, {
      place: { line: line.number },
      fix: 'label the token, or set overlaps to longest or first in the source to label it',
    });
  }
  rows.parts += 1;
  rows.labels.at(-1)!.push(...found);
}

function spanTags({ labels }: Rows, { overlaps }: WebannoFormat): string[] {
  const spans: TextSpan[] = [];
  const open = new Map<string, number>();
  for (const [t, found] of labels.entries()) {
    for (const { label, key } of found) {
      const at = key === undefined ? undefined : open.get(`${key} ${label}`);
      if (at !== undefined) {
        spans[at] = { ...spans[at]!, end: t + 1 };
        continue;
      }
      if (key !== undefined) open.set(`${key} ${label}`, spans.length);
      spans.push({ start: t, end: t + 1, label });
    }
  }
  const named = spans.filter(({ label }) => label !== '');
  const kept = withoutOverlaps(named, [], overlaps === 'reject' ? 'first' : overlaps);
  if (kept.length < named.length && overlaps === 'reject') {
    throw new TagstreamError('wrong-shape', 'spans overlap', {
      fix: 'keep one of them (a token has one tag), or set overlaps to longest or first in the source',
    });
  }
  const count = named.length - kept.length;
  if (count > 0) leftOutSpans.publish({ count, why: 'overlap' } satisfies LeftOutSpans);
  return tagsOfScheme(kept, labels.length, 'BIO');
}

function tokenTags({ labels }: Rows): string[] {
  return labels.map(([first]) => first?.label || '_');
}

export const webannoOptions = z.strictObject({
  column: z
    .int()
    .min(1)
    .default(1)
    .describe('the column of the labels, counted from 1 after id, place and token'),
  spans: isOn(
    true,
    'labels mark spans, read as BIO tags; false: one label per token, such as a part of speech',
  ),
  overlaps: oneOf(
    ['reject', 'longest', 'first'],
    'reject',
    'overlapping spans and labels on parts of tokens: reject the sentence, keep the longest, or the one that starts first',
  ),
  ...lineOptions,
});

/** Validated options of `webannoCodec`. */
type WebannoFormat = z.output<typeof webannoOptions>;
