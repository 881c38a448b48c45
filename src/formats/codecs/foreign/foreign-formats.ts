import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { TextSpan } from '../../../engine/core/sentence/document.js';
import { readText } from '../../reading/read-text.js';
import type { RecordFiles } from '../codec.js';
import { JsonText } from '../ndjson/json-text.js';
import { type OnReplaced, plainCell } from '../writing.js';
import { type Annotation, chosenSpans, mergeItems } from './annotations.js';
import { type Counting, countingOf } from './counting.js';
import { labelStudio } from './label-studio.js';
import { type FoundSpan, placeSpans } from './placed-spans.js';
import { prodigy } from './prodigy.js';
import {
  asWritten,
  type ForeignFormat,
  type ForeignReading,
  type ForeignRecord,
  foundSpans,
  idOf,
  itemsIn,
  type LabelledText,
  objectOf,
  type SpanNames,
  spanPaths,
  textOf,
} from './read-spans.js';
import { spacy } from './spacy.js';

/**
 * A text and its standoff annotations, which brat keeps in two files: `{"text", "ann"}` with lines `T1    PER 2 5 Ann`.
 * Relations, events, attributes and notes are skipped. Offsets count code points, unless the annotated texts match
 * offsets in another unit.
 *
 * @example
 * brat.toDocument({ id: 'a', text: '😀 Ann', ann: 'T1\tPER 2 5\tAnn\n' })
 * // => ({ id: 'a', text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * brat.fromDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', ann: 'T1\tPER 2 5\tAnn\n' })
 */
export const brat: ForeignFormat = {
  name: 'brat',
  reads: ['text', 'ann'],
  toDocument: (given, { offsets, overlaps } = {}) => {
    const { id, text: found, ann } = objectOf('the record', given);
    const text = textOf('text', found);
    const lines = textOf('ann', ann).split(/\r?\n/);
    const { spans } = placeSpans(text, spansOfLines(lines), {
      ...{ ...reading, offsets, overlaps },
      announces: true,
    });
    return { ...idOf(id), text, spans };
  },
  fromDocument: ({ id, text, spans = [] }: LabelledText, { offsets } = {}, onReplaced) => {
    const counting = countingOf(text, offsets ?? reading.own);
    const ann = spans.map((span, i) => `${lineOf(span, i + 1, text, counting, onReplaced)}\n`);
    return { ...(id === undefined ? {} : { id }), text, ann: ann.join('') };
  },
  revise: (own, { text, spans = [] }, { offsets, overlaps } = {}, onReplaced) => {
    const { ann: annotated } = objectOf('the record', own.value);
    const before = textOf('ann', annotated).split(/\r?\n/);
    let last = Math.max(0, ...before.map(line => Number(/^T(\d+)\t/.exec(line)?.[1] ?? 0)));
    const isSpan = (line: string) => line.startsWith('T');
    const placed = placeSpans(text, spansOfLines(before), { ...reading, offsets, overlaps });
    const { counting } = placed;
    const kept = mergeItems(
      before.filter(isSpan).map(line => new JsonText(JSON.stringify(line))),
      spans,
      (_, i) => placed.spans[i],
      span => {
        last += 1;
        return lineOf(span, last, text, counting, onReplaced);
      },
    ).map(line => (line instanceof JsonText ? (line.value as string) : (line as string)));
    const lines = [...kept, ...before.filter(line => line !== '' && !isSpan(line))];
    const ann = withoutDangling(lines).map(line => `${line}\n`);
    return own.with({ ann: ann.join('') });
  },
  unread: ({ ann }) => {
    const lines = textOf('ann', ann).split(/\r?\n/);
    return lines.flatMap(line => (line === '' || line.startsWith('T') ? [] : [kindOf(line)]));
  },
};

/** Returns the kind of an annotation line other than a span. */
function kindOf(line: string): string {
  const kinds: Readonly<Record<string, string>> = { R: 'relations', E: 'events', '#': 'notes' };
  return kinds[line[0]!] ?? (/^[AM]/.test(line) ? 'attributes' : 'annotations other than spans');
}

/**
 * brat is written in Python and counts code points, including a byte order mark, which has been removed from the text
 * here.
 */
const reading = { own: 'codepoints', lacksMark: true } as const;

function lineOf(
  { start, end, label }: TextSpan,
  number: number,
  text: string,
  { fromUnits }: Counting,
  onReplaced?: OnReplaced,
): string {
  const type = plainCell(label, /\s+/g, '_', onReplaced);
  const shown = text.slice(start, end).replace(/[\r\n]/g, ' ');
  return `T${number}\t${type} ${fromUnits(start)} ${fromUnits(end)}\t${shown}`;
}

/** Removes dangling references: the relations, events, attributes and notes of removed annotations. */
function withoutDangling(lines: readonly string[]): readonly string[] {
  const ids = new Set(lines.map(line => line.split('\t')[0]!));
  const kept = lines.filter(line => {
    if (line.startsWith('T')) return true;
    const [, body = ''] = line.split('\t');
    const named = body.match(/(?<=^|[\s:])[TREAM]\d+(?=\s|$)/g) ?? [];
    return named.every(id => ids.has(id));
  });
  // References to the lines just removed are now dangling too.
  return kept.length === lines.length ? kept : withoutDangling(kept);
}

function spansOfLines(lines: readonly string[]): readonly FoundSpan[] {
  return lines.flatMap((line, i) => (line.startsWith('T') ? [spanOf(line, i + 1)] : []));
}

/** Ranges of an annotation: several if it is split, as at line ends, which no brat annotation may contain. */
const placeForm = /^(\S+) (\d+ \d+(?:;\d+ \d+)*)$/;

function spanOf(line: string, number: number): FoundSpan {
  const [key, place = '', shown] = line.split('\t');
  const [, label, places = ''] = placeForm.exec(place) ?? [];
  if (label === undefined) {
    throw new TagstreamError(
      'wrong-shape',
      `annotation ${key}, line ${number} of its file, is not of the form TYPE START END`,
      { fix: 'write it as T1, a tab, PER 0 3, a tab, and the text' },
    );
  }
  const pieces = places.split(';').map((piece): [number, number] => {
    const [start, end] = piece.split(' ').map(Number);
    return [start!, end!];
  });
  return {
    ...{ at: `annotation ${key}`, label, text: shown },
    ...{ start: pieces[0]![0], end: pieces.at(-1)![1] },
    ...(pieces.length === 1 ? {} : { pieces }),
  };
}

const names: SpanNames = ['start_offset', 'end_offset'];
const fields = ['label', 'labels', 'entities', 'annotations'];

/**
 * The format that doccano exports and imports: `{"text", "label": [[start, end, label]]}`, also with `labels`, or with
 * `entities` of `start_offset` and `end_offset`, or `start` and `end`; several people's `annotations` are distinguished
 * by `user`. Offsets count code points.
 *
 * @example
 * doccano.toDocument({ id: 1, text: '😀 Ann', label: [[2, 5, 'PER']] })
 * // => ({ id: '1', text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * doccano.fromDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', label: [[2, 5, 'PER']] })
 */
export const doccano: ForeignFormat = {
  name: 'doccano',
  reads: [
    ...['text', 'data'],
    ...fields.flatMap(field => spanPaths(field, ['start', 'end', ...names, 'label'])),
  ],
  toDocument: (record, reading = {}) => {
    const { own, all } = readRecord(record, reading);
    if (all === undefined) return own;
    return { ...own, spans: chosenSpans(own.text, all, reading.annotations) };
  },
  eachDocument: (record, reading = {}) => {
    const { own, all } = readRecord(record, reading);
    if (all === undefined) return [own];
    return all.map(({ name, spans }) => ({
      ...own,
      ...(all.length === 1 || own.id === undefined ? {} : { id: `${own.id}/${name}` }),
      spans,
    }));
  },
  fromDocument: ({ id, text, spans }, { offsets = 'codepoints' } = {}) => {
    const { fromUnits } = countingOf(text, offsets);
    return {
      ...(id === undefined ? {} : { id }),
      text,
      label: (spans ?? []).map(({ start, end, label }) => [
        fromUnits(start),
        fromUnits(end),
        label,
      ]),
    };
  },
  revise: (own, { text, spans = [] }, { offsets } = {}) => {
    const field = fieldOf(objectOf('the record', own.value)) ?? 'label';
    const before = itemsIn(own, field);
    const found = foundSpans(
      field,
      before.map(({ value }) => value),
      names,
    );
    const placed = placeSpans(text, found, { own: unit, offsets });
    const { counting } = placed;
    const areObjects = before.length > 0 ? before[0]!.isObject : field === 'entities';
    const isShort = before.some(({ value }) => (value as ForeignRecord).start !== undefined);
    const items = mergeItems(
      before,
      spans,
      (_, i) => placed.spans[i],
      ({ start, end, label }) => {
        const place = [counting.fromUnits(start), counting.fromUnits(end)] as const;
        if (!areObjects) return [...place, label];
        return isShort
          ? { label, start: place[0], end: place[1] }
          : { label, start_offset: place[0], end_offset: place[1] };
      },
    );
    return own.with({ [field]: items, ...relationsOf(own, items) });
  },
};

/** Returns the member with the relations whose entities still exist; empty if all do. */
function relationsOf(own: JsonText, items: readonly unknown[]): ForeignRecord {
  if (!Array.isArray(own.at(['relations'])?.value)) return {};
  const ids = new Set(items.map(item => asWritten(item).id));
  const before = itemsIn(own, 'relations');
  const relations = before.filter(({ value }) => {
    const relation = value as ForeignRecord | null;
    return ids.has(relation?.from_id) && ids.has(relation?.to_id);
  });
  return relations.length === before.length ? {} : { relations };
}

const unit = 'codepoints';

function fieldOf(own: ForeignRecord): string | undefined {
  return fields.find(name => own[name] != null);
}

function readRecord(record: unknown, { offsets }: ForeignReading) {
  const given = objectOf('the record', record);
  const text = textOf('text', given.text ?? given.data);
  const own = { ...idOf(given.id), text };
  const field = fieldOf(given);
  if (field === undefined) return { own, all: undefined };
  const { spans } = placeSpans(text, foundSpans(field, given[field], names), {
    own: unit,
    offsets,
  });
  const users = (given[field] as readonly unknown[]).map(item =>
    String((item as ForeignRecord).user ?? ''),
  );
  const all = [...new Set(users)].map(
    (user): Annotation => ({ name: user, spans: spans.filter((_, i) => users[i] === user) }),
  );
  return { own, all: all.length === 0 ? [{ name: '', spans }] : all };
}

/**
 * Texts with spans in Tagstream's own units: `{"text", "spans": [{"start", "end", "label"}]}`, offsets in UTF-16 units,
 * the end exclusive. A text without `spans` is unlabelled.
 *
 * @example
 * spansFormat.toDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 */
export const spansFormat: ForeignFormat = {
  name: 'spans',
  reads: ['text', ...spanPaths('spans')],
  toDocument: (record, { offsets } = {}) => {
    const { id, text: given, spans } = objectOf('the record', record);
    const text = textOf('text', given);
    if (spans === undefined || spans === null) return { ...idOf(id), text };
    const placed = placeSpans(text, foundSpans('spans', spans), { own: 'utf16', offsets });
    return { ...idOf(id), text, spans: placed.spans };
  },
  fromDocument: ({ id, text, spans }, { offsets = 'utf16' } = {}) => {
    const counting = countingOf(text, offsets);
    return {
      ...(id === undefined ? {} : { id }),
      text,
      ...(spans === undefined ? {} : { spans: spans.map(span => counted(span, counting)) }),
    };
  },
  revise: (own, { text, spans = [] }, { offsets } = {}) => {
    const before = itemsIn(own, 'spans');
    const found = foundSpans(
      'spans',
      before.map(({ value }) => value),
    );
    const placed = placeSpans(text, found, { own: 'utf16', offsets });
    const spanOf = (_: unknown, i: number) => placed.spans[i];
    const make = (span: TextSpan) => counted(span, placed.counting);
    return own.with({ spans: mergeItems(before, spans, spanOf, make) });
  },
};

function counted({ start, end, label }: TextSpan, { fromUnits }: Counting): TextSpan {
  return { start: fromUnits(start), end: fromUnits(end), label };
}

/** All formats whose JSON records contain texts with spans. */
export const foreignFormats: readonly ForeignFormat[] = [
  spansFormat,
  doccano,
  spacy,
  prodigy,
  labelStudio,
  { ...brat, fileLines: bratLine, recordFiles: bratFiles },
];

/**
 * Returns the record of an annotation file, as a line for `brat`: its contents and those of the text file next to it,
 * `a.txt` for `a.ann`.
 *
 * @throws TagstreamError `file` if either cannot be read, `invalid-utf8`
 */
function bratLine(path: string): Uint8Array {
  const text = path.replace(/\.ann$/, '.txt');
  if (text === path) {
    throw new TagstreamError('file', `${path} is not an annotation file`, {
      fix: 'name the .ann files; the text is read from the .txt file next to each',
    });
  }
  if (!existsSync(text)) {
    throw new TagstreamError('file', `${path} has no text file next to it`, {
      fix: `brat stores it as ${basename(text)}`,
    });
  }
  const id = basename(path, '.ann');
  return Buffer.from(`${JSON.stringify({ id, text: readText(text), ann: readText(path) })}\n`);
}

/** Returns the two files of a `brat` record, by suffix. */
function bratFiles(record: string): RecordFiles {
  const { id, text, ann } = JSON.parse(record) as Record<string, string | undefined>;
  return {
    name: id == null ? undefined : String(id),
    contents: { '.txt': text ?? '', '.ann': ann ?? '' },
  };
}
