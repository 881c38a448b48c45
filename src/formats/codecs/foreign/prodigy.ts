import type { Range, TextSpan } from '../../../engine/core/sentence/document.js';
import type { JsonText } from '../ndjson/json-text.js';
import { checkRanges, wrongShape } from '../ndjson/record-shapes.js';
import { mergeItems } from './annotations.js';
import { countingOf, type OffsetUnit } from './counting.js';
import { type FoundSpan, type PlacedSpans, placeSpans } from './placed-spans.js';
import {
  type ForeignFormat,
  type ForeignReading,
  type ForeignRecord,
  foundSpans,
  itemsIn,
  type LabelledText,
  listOf,
  objectOf,
  spanPaths,
  textOf,
} from './read-spans.js';

/**
 * The format that Prodigy writes: `{"text", "tokens": [{"text", "start", "end", "id", "ws"}], "spans": [{"start",
 * "end", "label", "token_start", "token_end"}], "answer"}`. Tokens are used as given; a record whose answer is not
 * `accept` is skipped. Offsets count code points, unless the tokens' texts match offsets in another unit; `token_end`
 * is inclusive.
 *
 * @example
 * prodigy.toDocument({ text: 'Ann', spans: [], answer: 'reject' }) // => undefined
 * prodigy.toDocument({ text: 'Ann', tokens: [{ start: 0, end: 3 }], spans: [{ start: 0, end: 3, label: 'PER' }] })
 * // => ({ text: 'Ann', tokens: ['Ann'], offsets: [[0, 3]], spans: [{ start: 0, end: 3, label: 'PER' }] })
 */
export const prodigy: ForeignFormat = {
  name: 'prodigy',
  reads: [
    ...['text', 'answer'],
    ...['start', 'end', 'text', 'id', 'ws'].map(name => `tokens[].${name}`),
    ...spanPaths('spans', ['start', 'end', 'label', 'token_start', 'token_end']),
  ],
  toDocument: (given, { offsets: unit } = {}) => {
    const record = objectOf('the record', given);
    const { answer = 'accept' } = record;
    if (answer !== 'accept') return undefined;
    const text = textOf('text', record.text);
    const { spans, counting } = placedOf(record, text, unit);
    const labelled = record.spans == null ? {} : { spans };
    if (record.tokens == null) return { text, ...labelled };
    const places = listOf('tokens', record.tokens).map((token, i) => {
      const { start, end } = objectOf(`tokens[${i}]`, token);
      return [start, end];
    });
    const offsets = checkRanges('tokens', places, counting.length).map(
      ([start, end]): Range => [counting.toUnits(start), counting.toUnits(end)],
    );
    requireTokensOfSpans(record, offsets, spans);
    const tokens = offsets.map(([start, end]) => text.slice(start, end));
    return { text, tokens, offsets, ...labelled };
  },
  fromDocument: (labelled, { offsets = 'codepoints' } = {}) => {
    const { text, tokens, spans = [] } = labelled;
    const { fromUnits } = countingOf(text, offsets);
    return {
      text,
      ...(tokens === undefined ? {} : { tokens: tokensOf(labelled, tokens, fromUnits) }),
      spans: spans.map(span => spanOf(labelled, span, fromUnits)),
      answer: 'accept',
    };
  },
  // Token numbers are only meaningful together with the tokens.
  revise: (own, labelled, reading) => {
    const shown = hasTokens(own) ? labelled : { ...labelled, tokens: undefined };
    return own.with(revisedMembers(own, shown, reading));
  },
  addPredicted: (own, labelled, reading) => {
    const { text, tokens } = labelled;
    if (hasTokens(own) || tokens === undefined)
      return own.with(revisedMembers(own, labelled, reading));
    const { counting } = placedOf(objectOf('the record', own.value), text, reading?.offsets);
    return own.with({
      tokens: tokensOf(labelled, tokens, counting.fromUnits),
      ...revisedMembers(own, labelled, reading),
    });
  },
};

function hasTokens(own: JsonText): boolean {
  return (own.at(['tokens'])?.value ?? null) !== null;
}

function revisedMembers(
  own: JsonText,
  labelled: LabelledText,
  { offsets }: ForeignReading = {},
): ForeignRecord {
  const record = objectOf('the record', own.value);
  const { spans: before, counting } = placedOf(record, labelled.text, offsets);
  const items = mergeItems(
    itemsIn(own, 'spans'),
    labelled.spans ?? [],
    (_, i) => before[i],
    span => spanOf(labelled, span, counting.fromUnits),
  );
  return { spans: items, ...(record.answer === 'accept' ? {} : { answer: 'accept' }) };
}

/** Places the spans of a record; its tokens, which include their texts, also reveal the unit of offsets. */
function placedOf(
  record: ForeignRecord,
  text: string,
  offsets: OffsetUnit | undefined,
): PlacedSpans {
  const spans = record.spans == null ? [] : foundSpans('spans', record.spans);
  const tokens = record.tokens == null ? [] : listOf('tokens', record.tokens);
  const found = tokens.flatMap((token, i): FoundSpan[] => {
    const { start, end, text: shown } = objectOf(`tokens[${i}]`, token);
    // Special tokens of a model, such as [CLS], have no text.
    return start === end ? [] : [{ at: `tokens[${i}]`, start, end, label: 'token', text: shown }];
  });
  const placed = placeSpans(text, [...spans, ...found], { own: 'codepoints', offsets });
  return { ...placed, spans: placed.spans.slice(0, spans.length) };
}

/** @throws TagstreamError `wrong-shape` if a span's token numbers do not match its position */
function requireTokensOfSpans(
  record: ForeignRecord,
  tokens: readonly Range[],
  spans: readonly TextSpan[],
): void {
  for (const [i, { start, end }] of spans.entries()) {
    const { token_start: first, token_end: last } = (record.spans as ForeignRecord[])[i]!;
    if (!Number.isInteger(first) || !Number.isInteger(last)) continue;
    if (tokens[first as number]?.[0] === start && tokens[last as number]?.[1] === end) continue;
    throw wrongShape(
      `the place of spans[${i}] by tokens`,
      'token_start and token_end of the tokens that begin and end where the span does',
      [first, last],
    );
  }
}

function tokensOf(
  labelled: LabelledText,
  tokens: readonly Range[],
  fromUnits: (units: number) => number,
): object[] {
  return tokens.map((_, i) => tokenOf(labelled, i, fromUnits));
}

function spanOf(
  { tokens }: LabelledText,
  { start, end, label }: TextSpan,
  fromUnits: (units: number) => number,
): object {
  const place = { start: fromUnits(start), end: fromUnits(end) };
  return { ...place, ...tokenPlaces(tokens)(start, end), label };
}

function tokenOf(
  { text, tokens }: LabelledText,
  id: number,
  fromUnits: (units: number) => number,
): object {
  const [start, end] = tokens![id]!;
  const place = { start: fromUnits(start), end: fromUnits(end) };
  return { text: text.slice(start, end), ...place, id, ws: /^\s/.test(text.slice(end)) };
}

/** Returns a function for the first and last token of a span that begins and ends with tokens. */
function tokenPlaces(tokens: readonly Range[] = []): (start: number, end: number) => object {
  const first = new Map(tokens.map(([start], i) => [start, i]));
  const last = new Map(tokens.map(([, end], i) => [end, i]));
  return (start, end) =>
    first.has(start) && last.has(end)
      ? { token_start: first.get(start), token_end: last.get(end) }
      : {};
}
