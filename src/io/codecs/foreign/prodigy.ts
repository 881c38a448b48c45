import type { Range } from '../../../core/sentence/document.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { JsonText } from '../ndjson/json-text.js';
import { checkRanges } from '../ndjson/record-shapes.js';
import { codePointsOf } from './code-points.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { mergeItems } from './merge-items.js';
import { itemsIn, listOf, objectOf, spanIn, spanPaths, spansIn, textOf } from './read-spans.js';

/**
 * What Prodigy writes: `{"text", "tokens": [{"text", "start", "end", "id", "ws"}], "spans": [{"start", "end", "label",
 * "token_start", "token_end"}], "answer"}`. Tokens are taken as they are; a record whose answer is not `accept` is put aside.
 * Offsets count code points; `token_end` is the last token itself.
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
  toDocument: given => {
    const record = objectOf('the record', given);
    const { answer = 'accept' } = record;
    if (answer !== 'accept') return undefined;
    const text = textOf('text', record.text);
    const counting = codePointsOf(text);
    const spans = record.spans == null ? undefined : spansIn('spans', record.spans, counting);
    const labelled = spans === undefined ? {} : { spans };
    if (record.tokens == null) return { text, ...labelled };
    const places = listOf('tokens', record.tokens).map((token, i) => {
      const { start, end } = objectOf(`tokens[${i}]`, token);
      return [start, end];
    });
    const offsets = checkRanges('tokens', places, counting.length).map(
      ([start, end]): Range => [counting.toUnits(start), counting.toUnits(end)],
    );
    const tokens = offsets.map(([start, end]) => text.slice(start, end));
    return { text, tokens, offsets, ...labelled };
  },
  fromDocument: labelled => {
    const { text, tokens, spans = [] } = labelled;
    return {
      text,
      ...(tokens === undefined ? {} : { tokens: tokensOf(labelled, tokens) }),
      spans: spans.map(span => spanOf(labelled, span)),
      answer: 'accept',
    };
  },
  // Places of tokens say something only beside them.
  revise: (own, labelled) =>
    own.with(revisedMembers(own, hasTokens(own) ? labelled : { ...labelled, tokens: undefined })),
  addPredicted: (own, labelled) => {
    const { tokens } = labelled;
    const added =
      hasTokens(own) || tokens === undefined ? {} : { tokens: tokensOf(labelled, tokens) };
    return own.with({ ...added, ...revisedMembers(own, labelled) });
  },
};

function hasTokens(own: JsonText): boolean {
  return (own.at(['tokens'])?.value ?? null) !== null;
}

function revisedMembers(own: JsonText, labelled: LabelledText): ForeignRecord {
  const { text, spans = [] } = labelled;
  const counting = codePointsOf(text);
  const items = mergeItems(
    itemsIn(own, 'spans'),
    spans,
    (item, i) => spanIn(`spans[${i}]`, item, counting),
    span => spanOf(labelled, span),
  );
  const { answer } = own.value as ForeignRecord;
  return { spans: items, ...(answer === 'accept' ? {} : { answer: 'accept' }) };
}

function tokensOf(labelled: LabelledText, tokens: readonly Range[]): object[] {
  const { fromUnits } = codePointsOf(labelled.text);
  return tokens.map((_, i) => tokenOf(labelled, i, fromUnits));
}

function spanOf({ text, tokens }: LabelledText, { start, end, label }: TextSpan): object {
  const { fromUnits } = codePointsOf(text);
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

/** First and last token of each span that begins and ends with tokens. */
function tokenPlaces(tokens: readonly Range[] = []): (start: number, end: number) => object {
  const first = new Map(tokens.map(([start], i) => [start, i]));
  const last = new Map(tokens.map(([, end], i) => [end, i]));
  return (start, end) =>
    first.has(start) && last.has(end)
      ? { token_start: first.get(start), token_end: last.get(end) }
      : {};
}
