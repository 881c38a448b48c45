import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Column, Document } from '../../../engine/core/sentence/document.js';
import { isBlankLabel } from '../../../engine/core/sentence/partial-tag.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { readBlockRecords } from '../read-block-records.js';
import { tagCellOptions } from '../tag-cell-options.js';
import {
  formatOfCells,
  predictedCells,
  readTagCells,
  requireTag,
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
import { type Attribute, readAttribute, writeAttribute } from './attribute.js';

const held: ReadonlySet<DocumentPart> = new Set(['tokens', 'tags', 'sentences']);

/**
 * Returns the codec of CRFsuite's data: an item per line, with label and attributes separated by tabs, and a blank line
 * after each sequence.
 *
 * Attributes named in `attributes` are read as columns. Output has all columns, including those of neighbouring tokens as
 * `w[-1]=...`, and `__BOS__` and `__EOS__` at the ends. Tagged sequences contain the predicted labels.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const codec = crfsuiteCodec({ window: 1 });
 * codec.writeDocument({ tokens: ['It', 'rains'], tags: ['PRON', 'VERB'] })
 * // => 'PRON\tw[0]=It\tw[1]=rains\t__BOS__\nVERB\tw[-1]=It\tw[0]=rains\t__EOS__\n\n'
 */
export function crfsuiteCodec(options: z.input<typeof crfsuiteOptions> = {}): Codec {
  const checked = parseOptions(crfsuiteOptions, options, 'crfsuite');
  const { attributes, window, maxLineBytes, maxTokens } = checked;
  const layout = { attributes, window, tagCells: checked };
  const name = 'CRFsuite data';
  const format = `crfsuite ${JSON.stringify(attributes)}${formatOfCells(checked)}`;
  return {
    name: 'crfsuite',
    format,
    recordsAreLines: false,
    recordEnd: '\n\n',
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readBlockRecords(bytes, context, {
        ...{ format, maxLineBytes, maxTokens },
        isComment: () => false,
        parse: (lines: readonly Line[]) => readItems(lines, layout),
      }),
    write: tagged => {
      const { document, tokens, sentences } = tagged;
      const { raw } = document;
      const tags = predictedCells(tagged, checked);
      const own =
        raw !== undefined && document.format === format ? relabelled(raw, tags) : undefined;
      if (own !== undefined) return own;
      return items({ document, tokens: requireTokens({ tokens }, name), tags, sentences }, layout);
    },
    writeDocument: (document, onReplaced, onDropped) => {
      if (document.format === format && document.raw !== undefined) return `${document.raw}\n\n`;
      const { sentences } = document;
      const tags = tagCellsOf(document, checked);
      const tokens = requireTokens(document, name);
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

export const crfsuiteOptions = z
  .strictObject({
    attributes: z
      .record(z.string().min(1), z.string().min(1))
      .default({ form: 'w[0]' })
      .describe(
        'maps columns to attribute names; `form` is the token: {form: "w[0]", pos: "pos[0]"} reads w[0]=He and pos[0]=PRP; other attributes are ignored',
      ),
    window: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe(
        'write the attributes of this many tokens on either side with each token, since CRFsuite has no templates: w[-1], w[1], ...',
      ),
    ...tagCellOptions,
    ...lineOptions,
  })
  .refine(({ attributes }) => 'form' in attributes, {
    path: ['attributes'],
    message: 'expected an attribute for form, the token',
  });

/** The item layout of `crfsuiteOptions`. */
interface CrfsuiteLayout {
  /** Attribute names by column. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly window: number;
  readonly tagCells: TagCells;
}

/**
 * Builds a sentence from items: a label followed by attributes, separated by tabs. A column whose attributes have no
 * value after `=` is numeric, with weights as values, 0 if missing; a missing text is `_`. If all labels are `_`, the
 * sentence is unlabelled, and so is one without any label.
 *
 * @throws TagstreamError `wrong-shape` that names the line of an item without the token, or without a label among others
 */
function readItems(lines: readonly Line[], layout: CrfsuiteLayout): DocumentDraft {
  const names = Object.entries(layout.attributes);
  const found = names.map((): (Attribute | undefined)[] => []);
  const labels: string[] = [];
  for (const line of lines) {
    const [label = '', ...cells] = line.text.split('\t');
    const attributes = new Map<string, Attribute>();
    for (const cell of cells) {
      const attribute = readAttribute(cell);
      attributes.set(attribute.name, attribute);
    }
    labels.push(label);
    for (const [i, [column, name]] of names.entries()) {
      const attribute = attributes.get(name);
      if (column === 'form' && (attribute === undefined || attribute.value === '')) {
        throw withoutToken(line, name, cells);
      }
      found[i]!.push(attribute);
    }
  }
  const draft: DocumentDraft = {};
  const columns: Record<string, readonly string[] | readonly number[]> = {};
  for (const [i, [column]] of names.entries()) {
    if (column === 'form') draft.tokens = found[i]!.map(attribute => attribute!.value);
    else columns[column] = columnOf(found[i]!);
  }
  if (names.length > 1) draft.columns = columns;
  // Items to tag have no label.
  const isUnlabelled = labels.every(label => label === '_' || isBlankLabel(label));
  if (!isUnlabelled) {
    for (const [t, label] of labels.entries()) requireTag(label, 'of the label', lines[t]!.number);
    Object.assign(draft, readTagCells(labels, layout.tagCells));
  }
  return draft;
}

/**
 * Names the parts that `readItems` omits: attributes not in the layout, weights of textual attributes, and duplicate
 * attributes. Attributes that repeat those of a neighbouring item (`w[-1]`), `__BOS__` and `__EOS__` do not count.
 */
function unreadAttributes(raw: string, { attributes }: CrfsuiteLayout): readonly string[] {
  const rows = raw.split('\n').map(row => row.split('\t').slice(1).map(readAttribute));
  const values = rows.map(row => new Map(row.map(({ name, value }) => [name, value])));
  const columns = new Map(Object.entries(attributes).map(([column, name]) => [name, column]));
  const texts = new Set([...columns.keys()].filter(name => values.some(row => row.get(name))));
  const found: string[] = [];
  for (const [t, row] of rows.entries()) {
    const seen = new Set<string>();
    for (const { name, value, weight } of row) {
      if (columns.has(name)) {
        if (seen.has(name)) found.push(`${name} (repeated)`);
        if (weight !== undefined && weight !== 1 && texts.has(name)) found.push(`${name} (weight)`);
      } else if (!isOfNeighbour(name, value, weight, t, values, columns)) {
        found.push(name);
      }
      seen.add(name);
    }
  }
  return found;
}

function isOfNeighbour(
  name: string,
  value: string,
  weight: number | undefined,
  t: number,
  values: readonly ReadonlyMap<string, string>[],
  columns: ReadonlyMap<string, string>,
): boolean {
  if (value === '' && (name === '__BOS__' || name === '__EOS__')) return true;
  const [, base, distance] = /^(.*)\[([-+]?\d+)\]$/.exec(name) ?? [];
  const own = `${base}[0]`;
  return (
    weight === undefined && columns.has(own) && values[t + Number(distance)]?.get(own) === value
  );
}

function columnOf(
  found: readonly (Attribute | undefined)[],
): readonly string[] | readonly number[] {
  const given = found.filter(attribute => attribute !== undefined);
  const areNumbers = given.length > 0 && given.every(({ value }) => value === '');
  if (areNumbers)
    return found.map(attribute => (attribute === undefined ? 0 : (attribute.weight ?? 1)));
  return found.map(attribute => attribute?.value || '_');
}

function withoutToken(line: Line, name: string, cells: readonly string[]): TagstreamError {
  const shown = cells
    .slice(0, 3)
    .map(cell => cell.slice(0, 20))
    .join(', ');
  return new TagstreamError(
    'wrong-shape',
    `an item has no attribute ${name}, which should hold the token`,
    {
      place: { line: line.number },
      fix: `name the attribute that holds the token, for example attributes: {form: "w[0]"}; the item has ${shown === '' ? 'none' : shown}`,
    },
  );
}
