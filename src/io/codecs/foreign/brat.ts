import { TagstreamError } from '../../../core/errors.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import { JsonText } from '../ndjson/json-text.js';
import { type OnReplaced, plainCell } from '../plain-cell.js';
import { type Counting, countingOf } from './counting.js';
import type { ForeignFormat } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { mergeItems } from './merge-items.js';
import { type FoundSpan, placeSpans } from './placed-spans.js';
import { idOf, objectOf, textOf } from './read-spans.js';

/**
 * A text and its standoff annotations, as brat has them in two files: `{"text", "ann"}` with lines `T1	PER 2 5	Ann`. Relations,
 * events, attributes and notes are skipped. Offsets count code points, unless the texts of the annotations stand where another unit has them.
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

/** What a line of annotations is that is no span. */
function kindOf(line: string): string {
  const kinds: Readonly<Record<string, string>> = { R: 'relations', E: 'events', '#': 'notes' };
  return kinds[line[0]!] ?? (/^[AM]/.test(line) ? 'attributes' : 'annotations that are no spans');
}

/** Python, in which brat is written, counts code points, and a byte order mark too, which is cut from the text here. */
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

/** Lines without those that speak of what is not there: relations, events, attributes and notes of annotations that went. */
function withoutDangling(lines: readonly string[]): readonly string[] {
  const ids = new Set(lines.map(line => line.split('\t')[0]!));
  const kept = lines.filter(line => {
    if (line.startsWith('T')) return true;
    const [, body = ''] = line.split('\t');
    const named = body.match(/(?<=^|[\s:])[TREAM]\d+(?=\s|$)/g) ?? [];
    return named.every(id => ids.has(id));
  });
  // What spoke of them speaks of nothing now.
  return kept.length === lines.length ? kept : withoutDangling(kept);
}

function spansOfLines(lines: readonly string[]): readonly FoundSpan[] {
  return lines.flatMap((line, i) => (line.startsWith('T') ? [spanOf(line, i + 1)] : []));
}

/** Places of an annotation: several where it is divided, as at line ends, which no annotation of brat holds. */
const placeForm = /^(\S+) (\d+ \d+(?:;\d+ \d+)*)$/;

function spanOf(line: string, number: number): FoundSpan {
  const [key, place = '', shown] = line.split('\t');
  const [, label, places = ''] = placeForm.exec(place) ?? [];
  if (label === undefined) {
    throw new TagstreamError(
      'wrong-shape',
      `annotation ${key}, line ${number} of its file, is not TYPE START END`,
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
