import type { Document, Range } from '../../../core/sentence/document.js';
import { knownTags } from '../../../core/sentence/known-tags.js';
import type { PartialTag } from '../../../core/sentence/partial-tag.js';
import { convertTags, tagsOfScheme } from '../../../text/tags/convert-tags.js';
import { JsonText } from '../ndjson/json-text.js';
import { itemSpans } from '../ndjson/member-spans.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import type { ForeignRecord } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { idOf, listOf, objectOf, textOf } from './read-spans.js';

/** Tokens of a document with `paragraphs`, and where they are. */
interface Layout {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly offsets: readonly Range[];
  readonly sentences: readonly Range[];
  /** As they are written; undefined for a token that has none. */
  readonly ner: readonly (string | undefined)[];
}

/**
 * The document of all paragraphs of a record: their texts, a line each, with their tokens, sentences and entities.
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
  // Letters of BIO, as a converted tag may depend on one that is not known.
  const partial = ner.map((tag): PartialTag => {
    if (tag === undefined || tag === '-') return null;
    return tag.replace(/^U-/, 'B-').replace(/^L-/, 'I-');
  });
  return { ...own, ...several, ...knownTags(partial) };
}

/** The record with other entities in `ner`; all else stays byte for byte. */
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

/** A list with other items; what stands between them stays. */
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
