import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import { redactionPattern } from '../../../engine/text/redact.js';
import { requireFieldsApart } from '../../../formats/codecs/ndjson/record-fields.js';
import { tagOptions } from '../../../runtime/pipeline/options/rule-options.js';
import { unreportedResult } from '../../../runtime/pipeline/options/unreported-result.js';
import type { ServedWish, WrittenForm } from '../threads/served-task.js';

/** Limits of requests. */
export interface WishLimits {
  /** Maximum number of alternatives per sentence. */
  readonly maxNbest: number;
  /** Maximum milliseconds per request. */
  readonly timeout: number;
}

const {
  decoding,
  marginals,
  pairThreshold,
  scores,
  modelVersion,
  probability,
  spanProbabilities,
  transitions,
  nbest,
} = tagOptions.shape;

/** The options of a request by name, as in the address; each service limits some of them. */
export const requestOptions = z.strictObject({
  model: z
    .string()
    .min(1)
    .optional()
    .describe('name or alias of the model; default: the first one'),
  output: z
    .enum(['record', 'tags'])
    .default('record')
    .describe('record: the record with all results; tags: the id and the tags'),
  ...{ decoding, marginals, pairThreshold, scores, probability, spanProbabilities },
  ...{ transitions, modelVersion },
  nbest: z
    .int()
    .min(1)
    .optional()
    .describe(nbest.description ?? ''),
  dictionary: z
    .literal(false)
    .optional()
    .describe('false: ignore the dictionary of the model or the server'),
  redact: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'return the records without results, each span of the text replaced by this: {label} is the label of the span, {n} its number in the text',
    ),
  textField: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('field that holds the text, such as message or log.message'),
  into: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('put all results under this key, and leave the rest of the record unchanged'),
  onBad: z
    .enum(['fail', 'pass'])
    .optional()
    .describe(
      'what to do with a record that cannot be tagged; fail: respond with its error; pass: return the record with its error. Default: pass for a stream, else fail',
    ),
  timeout: z.int().min(1).optional().describe('milliseconds until the request times out'),
});

const explainedOptions = { model: true, textField: true, timeout: true } as const;

/** The options of a request for explanations. */
export const explainRequestOptions = requestOptions.pick(explainedOptions);

/** Returns the options of a request within the limits of a service. */
export function wishSchema({ maxNbest, timeout }: WishLimits) {
  const { shape } = requestOptions;
  return requestOptions.extend({
    nbest: z
      .int()
      .min(1)
      .max(maxNbest)
      .optional()
      .describe(shape.nbest.description ?? ''),
    timeout: z
      .int()
      .min(1)
      .max(timeout)
      .optional()
      .describe(shape.timeout.description ?? ''),
  });
}

/** Returns the options of a request for explanations within the limits of a service. */
export function explainSchema(limits: WishLimits) {
  return wishSchema(limits).pick(explainedOptions);
}

/** The schemas of the options of requests. */
export interface OptionSchemas {
  readonly tag: ReturnType<typeof wishSchema>;
  readonly explain: ReturnType<typeof explainSchema>;
}

export type WishOptions = z.output<ReturnType<typeof wishSchema>>;

/** The options of a request to `/v1/tag`. */
export type TagRequest = Readonly<z.input<typeof requestOptions>>;

/** The options of a request to `/v1/explain`. */
export type ExplainRequest = Readonly<z.input<typeof explainRequestOptions>>;

/** The options of a request, from its address. */
export interface ParsedWish {
  readonly model: string | undefined;
  readonly onBad: WishOptions['onBad'];
  readonly timeout: number | undefined;
  /** Returns the wish for a form of answer. */
  wishFor(form: WrittenForm): ServedWish;
}

/** Number of addresses whose options are cached: most clients repeat the same ones. */
const keptWishes = 256;

/** Parses the options of requests. */
export class WishReader {
  readonly #schema: ReturnType<typeof wishSchema>;
  readonly #known: OptionSchemas[keyof OptionSchemas];
  readonly #kept = new Map<string, ParsedWish>();

  /** @param known the options that a request may have; all others have their defaults */
  constructor({ tag }: OptionSchemas, known: OptionSchemas[keyof OptionSchemas] = tag) {
    this.#schema = tag;
    this.#known = known;
  }

  /**
   * @param query the part of the address after its question mark
   * @throws TagstreamError `usage`, `config`
   */
  read(query: string): ParsedWish {
    const kept = this.#kept.get(query);
    if (kept !== undefined) return kept;
    const known = parseOptions(this.#known, valuesOf(query), 'request');
    const wish = parsedWish(parseOptions(this.#schema, known, 'request'));
    if (this.#kept.size === keptWishes) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(query, wish);
    return wish;
  }
}

/** Options that are numbers; for all others `true` and `false` are booleans. */
const numbers: ReadonlySet<string> = new Set(['nbest', 'pairThreshold', 'timeout']);
const texts: ReadonlySet<string> = new Set(['model', 'redact', 'textField', 'into']);

function valuesOf(query: string): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, text] of new URLSearchParams(query)) {
    if (values.has(name)) {
      throw new TagstreamError('usage', `${name} is given twice`, { fix: 'give it once' });
    }
    const isNumber = numbers.has(name) && /^\d{1,15}(\.\d{1,15})?$/.test(text);
    const isFlag = !texts.has(name) && (text === 'true' || text === 'false');
    values.set(name, isNumber ? Number(text) : isFlag ? text === 'true' : text);
  }
  // `__proto__` is also a possible name, and must be refused as unknown.
  return Object.fromEntries(values);
}

/** @throws TagstreamError `usage`, `config` for options that cannot be combined */
function parsedWish(options: WishOptions): ParsedWish {
  const { model, onBad, timeout, textField, into, dictionary, modelVersion, redact } = options;
  const { output, decoding, marginals, scores, probability, nbest, spanProbabilities } = options;
  const { pairThreshold, transitions } = options;
  const fields = { ...(textField && { textField }), ...(into && { into }) };
  requireFieldsApart(fields);
  const asked = { scores, marginals, pairThreshold, probability, nbest };
  const results = { ...asked, spanProbabilities, modelVersion };
  if (redact !== undefined) requireAlone(redact, options);
  const wishes = new Map<WrittenForm, ServedWish>();
  return {
    ...{ model, onBad, timeout },
    wishFor(form) {
      const made = wishes.get(form) ?? {
        ...{ form, dictionary, modelVersion, fields },
        options: {
          ...{ output, decoding, marginals, scores, probability, spanProbabilities, transitions },
          ...(pairThreshold === undefined ? {} : { pairThreshold }),
          ...(nbest === undefined ? {} : { nbest }),
          ...(redact === undefined ? {} : { redact }),
        },
      };
      if (!wishes.has(form)) requireWritten(form, output, results);
      const wish = 'key' in made ? made : { ...made, key: JSON.stringify(made) };
      wishes.set(form, wish);
      return wish;
    },
  };
}

/** @throws TagstreamError `usage` if the answer's type cannot contain a requested result */
function requireWritten(
  form: WrittenForm,
  output: 'record' | 'tags',
  results: Parameters<typeof unreportedResult>[0],
): void {
  if (form !== 'records' && output === 'tags') {
    throw new TagstreamError('usage', 'output=tags needs a JSON response', {
      fix: 'accept application/json or application/x-ndjson, or leave output out',
    });
  }
  // Results that a page cannot show.
  const asked =
    form === 'html'
      ? { ...results, marginals: false, pairThreshold: undefined, spanProbabilities: false }
      : results;
  const format = form === 'records' ? 'ndjson' : form === 'conll' ? 'new rows' : form;
  const found = unreportedResult(asked, format, output);
  if (found === undefined) return;
  throw new TagstreamError('usage', `the accepted type cannot hold ${found.result}`, {
    fix: 'accept application/json or application/x-ndjson, or leave it out',
  });
}

/** @throws TagstreamError `usage` for results that redacted texts cannot contain, or that would reveal the text */
function requireAlone(redact: string, options: WishOptions): void {
  redactionPattern(redact);
  const { output, into, onBad, scores, marginals, probability } = options;
  const { nbest, spanProbabilities, modelVersion } = options;
  const asked = { scores, marginals, probability, nbest, spanProbabilities, modelVersion, into };
  const found = Object.entries(asked).find(([, value]) => (value ?? false) !== false)?.[0];
  const other =
    found ?? (output === 'tags' ? 'output=tags' : onBad === 'pass' ? 'onBad=pass' : undefined);
  if (other === undefined) return;
  throw new TagstreamError('usage', `redact cannot be combined with ${other}`, {
    fix: 'leave one of them out',
  });
}
