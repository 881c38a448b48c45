import * as z from 'zod';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Range } from '../../engine/core/sentence/document.js';
import { memberSpans } from '../../formats/codecs/ndjson/member-spans.js';
import { type Answer, answerKinds } from './answer.js';

/** Division of a record into tokens and sentences. */
export interface Division {
  readonly offsets?: readonly Range[] | undefined;
  readonly sentences?: readonly Range[] | undefined;
}

/** Members written by this module, which replace members of the same name in the record. */
const ours = new Set(['tokens', 'offsets', 'sentences', 'tags', 'gold', 'spans', '_annotation']);

/**
 * Returns the line of an answer: the record with tokens, tags and `_annotation`, its other fields
 * unchanged byte for byte.
 *
 * @param raw the JSON text of the record
 */
export function answerLine(raw: string, answer: Answer, { offsets, sentences }: Division): string {
  const kept = memberSpans(raw)
    .filter(({ key }) => !ours.has(key))
    .map(({ keyStart, valueEnd }) => raw.slice(keyStart, valueEnd));
  const added = { tokens: answer.tokens, offsets, sentences, tags: answer.tags };
  const { replaced, note } = answer;
  // Kept as written, so that it can be restored exactly.
  const before =
    replaced === undefined ? '' : `,"replaced":{"at":${replaced.at},"record":${replaced.line}}`;
  const noted = `"_annotation":${JSON.stringify(note).slice(0, -1)}${before}}`;
  const text = `${JSON.stringify(added).slice(1, -1)},${noted}`;
  return `{${[...kept, text].join(',').replaceAll(/[\r\n]+\s*/g, ' ')}}`;
}

const answerSchema = z.object({
  tokens: z.array(z.string()),
  tags: z.array(z.union([z.string(), z.null()])).optional(),
  _annotation: z.object({
    record: z.int().min(0),
    digest: z.string(),
    answer: z.enum(answerKinds),
    annotator: z.string(),
    time: z.string(),
    model: z.string(),
    proposed: z.array(z.string()),
    asked: z.array(z.int().min(0)).optional(),
    corrections: z.int().min(0),
    drawn: z.boolean().optional(),
    note: z.string().optional(),
    key: z.string().optional(),
    replaced: z.object({ at: z.int().min(0), record: z.unknown() }).optional(),
  }),
});

/**
 * Parses the answer stored in a line of the file.
 *
 * @throws TagstreamError `wrong-shape` if the line has no answer
 */
export function parseAnswer(line: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw notAnAnswer('the line is not JSON', cause);
  }
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) throw notAnAnswer('the record has no complete "_annotation"', parsed.error);
  const { tokens, tags, _annotation } = parsed.data;
  const { replaced, ...note } = _annotation;
  return {
    note,
    tokens,
    ...(tags === undefined ? {} : { tags }),
    ...(replaced === undefined
      ? {}
      : { replaced: { at: replaced.at, line: textWithin(line, replacedPath) } }),
  };
}

const replacedPath = ['_annotation', 'replaced', 'record'];

/** Returns the JSON text of the value at a path of keys. */
function textWithin(json: string, path: readonly string[]): string {
  return path.reduce((text, name) => {
    const member = memberSpans(text).findLast(({ key }) => key === name)!;
    return text.slice(member.valueStart, member.valueEnd);
  }, json);
}

function notAnAnswer(problem: string, cause: unknown): TagstreamError {
  return new TagstreamError('wrong-shape', problem, {
    fix: 'name a file that `annotate` wrote, or a new one',
    cause,
  });
}
