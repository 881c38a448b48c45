import { TagstreamError } from '../../../engine/core/errors.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import {
  type RedactedSpan,
  type Replacement,
  redactionPattern,
  replacementsOf,
} from '../../../engine/text/redact.js';
import { type JsonPath, JsonText } from './json-text.js';
import { spanOffsets } from './owned-members.js';

/**
 * Returns the spans of a tagged document with their positions in its text.
 *
 * @throws TagstreamError `wrong-shape` if the document has no text, or its own tokens; `unknown-label` if it is untagged
 */
export function spansInText(tagged: TaggedDocument): readonly RedactedSpan[] {
  const { document, spans = [] } = tagged;
  if (tagged.untagged === true) {
    const problem = 'the record cannot be redacted, because the model has no labels yet';
    throw new TagstreamError('unknown-label', problem, {
      fix: 'send labelled records first, or start from a trained model',
    });
  }
  if (document.text === undefined || document.tokens !== undefined) {
    const has = document.text === undefined ? 'no text' : 'tokens next to its text';
    throw new TagstreamError('wrong-shape', `the record has ${has}, which cannot be redacted`, {
      fix: 'give only the text: tokens would still show what is redacted',
    });
  }
  return spans.map(span => ({ label: span.label, offsets: spanOffsets(span, tagged)! }));
}

/** How the text of a record is redacted. */
export interface Redaction {
  /** Paths at which the text may be; it is at the first of them that leads to a string. */
  readonly paths: readonly JsonPath[];
  readonly pattern: string;
  /** Called for a record without a text. */
  readonly onTextless?: (() => void) | undefined;
}

/**
 * Returns a record in which the spans of its text are replaced; every other byte is unchanged, also within the text. A
 * record without a text is unchanged.
 *
 * @throws TagstreamError `wrong-shape` as `spansInText`, and if the record has duplicate members with the name of the
 *   text
 * @example
 * const document = { text: 'Go, Ann/Al', raw: '{"n": 1.0, "text": "\\u0047o, Ann\\/Al"}' };
 * const tagged = { document, tokens: ['Go', ',', 'Ann', '/', 'Al'], offsets: [[0, 2], [2, 3], [4, 7], [7, 8], [8, 10]], tags: [] };
 * const redaction = { paths: [['text']], pattern: '[{label}]' };
 * redactedRecord(document, { ...tagged, spans: [{ label: 'PER', start: 2, end: 3 }] }, redaction)
 * // => '{"n": 1.0, "text": "\\u0047o, [PER]\\/Al"}'
 */
export function redactedRecord(
  { raw }: Document & { readonly raw: string },
  tagged: TaggedDocument,
  { paths, pattern, onTextless }: Redaction,
): string {
  // All paths are looked at: a duplicate member would keep the removed text.
  const [place] = paths.flatMap(path => placeOf(raw, path) ?? []);
  const replacements = replacementsOf(spansInText(tagged), redactionPattern(pattern));
  if (place === undefined) {
    onTextless?.();
    return raw;
  }
  if (replacements.length === 0) return raw;
  const { start, end } = place;
  return raw.slice(0, start) + inString(raw.slice(start, end), replacements) + raw.slice(end);
}

/** Returns the range of the string at a path; undefined if there is none. */
function placeOf(
  raw: string,
  path: JsonPath,
): { readonly start: number; readonly end: number } | undefined {
  let start = 0;
  let end = raw.length;
  for (const key of path) {
    const own = new JsonText(raw.slice(start, end)).members.filter(member => member.key === key);
    if (own.length > 1) {
      throw new TagstreamError('wrong-shape', `the record has ${own.length} members named ${key}`, {
        fix: 'keep one of them: the others would still show what is redacted',
      });
    }
    if (own.length === 0) return undefined;
    [start, end] = [start + own[0]!.valueStart, start + own[0]!.valueEnd];
  }
  return raw[start] === '"' ? { start, end } : undefined;
}

/** Replaces pieces of a JSON string, by positions in its decoded text. */
function inString(json: string, replacements: readonly Replacement[]): string {
  let redacted = '';
  let kept = 0;
  let at = 1;
  let unit = 0;
  const placeAt = (wanted: number) => {
    for (; unit < wanted; unit += 1) {
      const isEscape = json[at] === '\\';
      at += !isEscape ? 1 : json[at + 1] === 'u' ? 6 : 2;
    }
    return at;
  };
  for (const { start, end, text } of replacements) {
    redacted += json.slice(kept, placeAt(start)) + JSON.stringify(text).slice(1, -1);
    kept = placeAt(end);
  }
  return redacted + json.slice(kept);
}
