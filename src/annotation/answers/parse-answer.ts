import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { memberSpans } from '../../io/codecs/ndjson/member-spans.js';
import { type Answer, answerKinds } from './answer.js';

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
 * The answer that a line of the file holds.
 *
 * @throws TagstreamError `wrong-shape` where it holds none
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

/** The text of what stands at a path of keys. */
function textWithin(json: string, path: readonly string[]): string {
  return path.reduce((text, name) => {
    const member = memberSpans(text).findLast(({ key }) => key === name)!;
    return text.slice(member.valueStart, member.valueEnd);
  }, json);
}

function notAnAnswer(problem: string, cause: unknown): TagstreamError {
  return new TagstreamError('wrong-shape', problem, {
    fix: 'name a file that `annotate` has written, or a new one',
    cause,
  });
}
