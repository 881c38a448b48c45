import type { Document, Range, TextSpan } from '../../../engine/core/sentence/document.js';
import { knownTags, type PartialTag } from '../../../engine/core/sentence/partial-tag.js';
import { convertTags, tagsOfScheme } from '../../../engine/text/tags/convert-tags.js';
import { JsonText } from '../ndjson/json-text.js';
import { itemSpans } from '../ndjson/member-spans.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { mergeItems } from './annotations.js';
import { countingOf } from './counting.js';
import { placeSpans } from './placed-spans.js';
import {
  type ForeignFormat,
  type ForeignReading,
  type ForeignRecord,
  foundSpans,
  idOf,
  type LabelledText,
  listOf,
  objectOf,
  spanPaths,
  textOf,
} from './read-spans.js';

/** Members that may contain the spans; the first one present counts. */
const fields = ['entities', 'ents', 'spans'];

/**
 * Records for spaCy: `{"text", "entities": [[start, end, label]]}`. Also read as `[text, {"entities": [...]}]`, and
 * with `ents` or `spans`, either a list or named lists, as written by `doc.to_json()`. Offsets count code points.
 * Records of spaCy 2 training data have `paragraphs` of `sentences` of `tokens`, whose BILUO tag is `ner`: they form
 * one document, and `-` is an unknown tag.
 *
 * @example
 * spacy.toDocument(['😀 Ann', { entities: [[2, 5, 'PER']] }])
 * // => ({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 */
export const spacy: ForeignFormat = {
  name: 'spacy',
  reads: [
    ...['orth', 'ner'].map(name => `paragraphs[].sentences[].tokens[].${name}`),
    'paragraphs[].raw',
    ...['text', ...[...fields, 'spans{}'].flatMap(list => spanPaths(list))],
  ],
  toDocument: (given, { offsets } = {}) => {
    const record = recordOf(given);
    if (Array.isArray(record.paragraphs)) return documentOfParagraphs(record);
    const text = textOf('text', record.text);
    const field = fields.find(name => record[name] != null);
    if (field === undefined) return { ...idOf(record.id), text };
    const found = record[field];
    const groups = Array.isArray(found) ? [found] : Object.values(objectOf(field, found));
    const spans = groups.flatMap(group => foundSpans(field, group));
    return {
      ...idOf(record.id),
      text,
      spans: placeSpans(text, spans, { own: 'codepoints', offsets }).spans,
    };
  },
  fromDocument: ({ id, text, spans }, { offsets = 'codepoints' } = {}) => {
    const { fromUnits } = countingOf(text, offsets);
    return {
      ...(id === undefined ? {} : { id }),
      text,
      entities: (spans ?? []).map(({ start, end, label }) => [
        fromUnits(start),
        fromUnits(end),
        label,
      ]),
    };
  },
  revise: (own, labelled, reading = {}) => {
    if (own.at(['paragraphs']) !== undefined) return withEntities(own, labelled);
    if (own.isObject) return revised(own, labelled, reading);
    return own.withAt(['1'], revised(own.at(['1'])!, labelled, reading));
  },
};

/** Updates the member with the spans: existing spans stay in their list, new ones go into the first. */
function revised(
  own: JsonText,
  { text, spans = [] }: LabelledText,
  { offsets }: ForeignReading,
): JsonText {
  const record = objectOf('the record', own.value);
  const field = fields.find(name => record[name] != null) ?? 'entities';
  const found = own.at([field]);
  const lists = found?.isObject ? found.members.map(({ key }) => [field, key]) : [[field]];
  const items = lists.map(path => own.at(path)?.items ?? []);
  const values = items.flat().map(({ value }) => value);
  const placed = placeSpans(text, foundSpans(field, values), { own: 'codepoints', offsets });
  const { fromUnits } = placed.counting;
  let seen = 0;
  const before = items.map(({ length }) => {
    seen += length;
    return placed.spans.slice(seen - length, seen);
  });
  const keyOf = ({ start, end, label }: TextSpan) => `${start} ${end} ${label}`;
  const known = before.map(list => new Set(list.map(keyOf)));
  const first = items.flat()[0];
  const areObjects = first === undefined ? field !== 'entities' : first.isObject;
  const make = ({ start, end, label }: TextSpan) => {
    const place = [fromUnits(start), fromUnits(end)] as const;
    return areObjects ? { start: place[0], end: place[1], label } : [...place, label];
  };
  return lists.reduce((record, path, at) => {
    const isHere = (span: TextSpan) =>
      known[at]!.has(keyOf(span)) || (at === 0 && !known.some(each => each.has(keyOf(span))));
    const spanOf = (_: unknown, i: number) => before[at]![i];
    return record.withAt(path, mergeItems(items[at]!, spans.filter(isHere), spanOf, make));
  }, own);
}

function recordOf(given: unknown): ForeignRecord {
  if (!Array.isArray(given)) return objectOf('the record', given);
  const [text, annotations] = listOf('the record', given);
  if (given.length !== 2) throw wrongShape('the record', '[text, {"entities": [...]}]', given);
  return { ...objectOf('the annotations', annotations), text };
}

/** Tokens of a document with `paragraphs`, and their offsets. */
interface Layout {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly offsets: readonly Range[];
  readonly sentences: readonly Range[];
  /** Tags as written; undefined for a token without one. */
  readonly ner: readonly (string | undefined)[];
}

/**
 * Builds one document from a record's paragraphs: their texts, one per line, with tokens, sentences and entities.
 *
 * @throws TagstreamError `wrong-shape`
 * @example
 * const tokens = [{ orth: 'Ann', ner: 'U-PER' }, { orth: 'ran', ner: 'O' }];
 * documentOfParagraphs({ id: 1, paragraphs: [{ raw: 'Ann ran', sentences: [{ tokens }] }] }).tags // => ['B-PER', 'O']
 */
export function documentOfParagraphs(record: ForeignRecord): Document {
  const { text, tokens, offsets, sentences, ner } = layoutOf(record);
  const own = { ...idOf(record.id), text, tokens, offsets };
  const several = sentences.length > 1 ? { sentences } : {};
  if (ner.every(tag => tag === undefined)) return { ...own, ...several };
  const isKnown = ner.every(tag => tag !== undefined && tag !== '-');
  if (isKnown) return { ...own, ...several, tags: convertTags(ner as readonly string[], 'BIO') };
  // BIO prefixes, because a converted tag may depend on an unknown one.
  const partial = ner.map((tag): PartialTag => {
    if (tag === undefined || tag === '-') return null;
    return tag.replace(/^U-/, 'B-').replace(/^L-/, 'I-');
  });
  return { ...own, ...several, ...knownTags(partial) };
}

/** Replaces the entities in `ner`; all other content stays byte for byte. */
export function withEntities(own: JsonText, { spans = [] }: LabelledText): JsonText {
  const { offsets, ner } = layoutOf(objectOf('the record', own.value));
  const starts = new Map(offsets.map(([start], t) => [start, t]));
  const ends = new Map(offsets.map(([, end], t) => [end, t + 1]));
  const ofTokens = spans.flatMap(({ start, end, label }) => {
    const [first, last] = [starts.get(start), ends.get(end)];
    return first === undefined || last === undefined ? [] : [{ start: first, end: last, label }];
  });
  const tags = tagsOfScheme(ofTokens, offsets.length, 'BILOU');
  let t = 0;
  const inList = (json: JsonText, name: string, change: (item: JsonText) => JsonText) => {
    const list = json.at([name]);
    return list === undefined || list.value === null
      ? json
      : json.with({ [name]: mapItems(list, change) });
  };
  const ofToken = (token: JsonText) => {
    const [before, now] = [ner[t], tags[t]];
    t += 1;
    return before === now ? token : token.with({ ner: now });
  };
  return inList(own, 'paragraphs', paragraph =>
    inList(paragraph, 'sentences', sentence => inList(sentence, 'tokens', ofToken)),
  );
}

/** Replaces the items of a list; the text between them is unchanged. */
function mapItems(list: JsonText, change: (item: JsonText) => JsonText): JsonText {
  let text = '';
  let at = 0;
  for (const { start, end } of itemSpans(list.text)) {
    text += list.text.slice(at, start) + change(new JsonText(list.text.slice(start, end))).text;
    at = end;
  }
  return new JsonText(text + list.text.slice(at));
}

function layoutOf({ paragraphs }: ForeignRecord): Layout {
  const tokens: string[] = [];
  const offsets: Range[] = [];
  const sentences: Range[] = [];
  const ner: (string | undefined)[] = [];
  let text = '';
  for (const [p, paragraph] of listOf('paragraphs', paragraphs).entries()) {
    const at = `paragraphs[${p}]`;
    const { raw, sentences: all } = objectOf(at, paragraph);
    if (p > 0) text += '\n';
    const first = text.length;
    const isRaw = typeof raw === 'string';
    if (isRaw) text += raw;
    let next = first;
    for (const [s, sentence] of listOf(`${at}.sentences`, all ?? []).entries()) {
      const start = tokens.length;
      const list = objectOf(`${at}.sentences[${s}]`, sentence).tokens;
      for (const [t, token] of listOf(`${at}.sentences[${s}].tokens`, list).entries()) {
        const where = `${at}.sentences[${s}].tokens[${t}]`;
        const { orth, ner: tag } = objectOf(where, token);
        const form = textOf(`${where}.orth`, orth);
        if (!isRaw) {
          if (text.length > first) text += ' ';
          next = text.length;
          text += form;
        }
        const found = text.indexOf(form, next);
        if (found < 0) throw wrongShape(`${where}.orth`, 'a token of the raw text', orth);
        tokens.push(form);
        offsets.push([found, found + form.length]);
        ner.push(typeof tag === 'string' && tag !== '' ? tag : undefined);
        next = found + form.length;
      }
      if (tokens.length > start) sentences.push([start, tokens.length]);
    }
  }
  return { text, tokens, offsets, sentences, ner };
}
