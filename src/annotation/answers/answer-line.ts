import type { Range } from '../../core/sentence/document.js';
import { memberSpans } from '../../io/codecs/ndjson/member-spans.js';
import type { Answer } from './answer.js';

/** How a record is divided. */
export interface Division {
  readonly offsets?: readonly Range[] | undefined;
  readonly sentences?: readonly Range[] | undefined;
}

/** Members that the answer brings; those that the record has of these names are replaced. */
const ours = new Set(['tokens', 'offsets', 'sentences', 'tags', 'gold', 'spans', '_annotation']);

/**
 * The line of an answer: the record as it was, its other fields byte for byte, with tokens, tags and `_annotation`.
 *
 * @param raw the JSON text of the record
 */
export function answerLine(raw: string, answer: Answer, { offsets, sentences }: Division): string {
  const kept = memberSpans(raw)
    .filter(({ key }) => !ours.has(key))
    .map(({ keyStart, valueEnd }) => raw.slice(keyStart, valueEnd));
  const added = {
    tokens: answer.tokens,
    offsets,
    sentences: sentences !== undefined && sentences.length > 1 ? sentences : undefined,
    tags: answer.tags,
  };
  const { replaced, note } = answer;
  // As it is written, so that it can be restored as it was.
  const before =
    replaced === undefined ? '' : `,"replaced":{"at":${replaced.at},"record":${replaced.line}}`;
  const noted = `"_annotation":${JSON.stringify(note).slice(0, -1)}${before}}`;
  const text = `${JSON.stringify(added).slice(1, -1)},${noted}`;
  return `{${[...kept, text].join(',').replaceAll(/[\r\n]+\s*/g, ' ')}}`;
}
