import { from, lastValueFrom, toArray } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import { type Figure, isDefined } from '../../../engine/core/figures.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { Span } from '../../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { Decoder } from '../../../engine/models/decoding/decoder.js';
import { scoreSentences } from '../../../engine/models/decoding/score-sentences.js';
import { encodeInOrder } from '../../../engine/models/learning/encode-in-order.js';
import type { Model } from '../../../engine/models/model.js';
import type { Check } from '../definition/check-options.js';
import type { Pipeline } from '../definition/pipeline.js';
import { PipelinePaths } from '../definition/run-context.js';
import { chosenOf } from '../options/one-of.js';
import { readSentences } from '../setup/read-sentences.js';
import { filesOf } from '../sources/source-component.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import { taggingStages } from '../tagging/tagging-stages.js';

/**
 * Runs the checks of a pipeline with a trained model, in order. An error in a check counts as its failure.
 *
 * @throws TagstreamError `config` if the pipeline has no checks
 */
export async function runChecks(pipeline: Pipeline, model: Model): Promise<CheckResult[]> {
  const { checks } = pipeline;
  if (checks === undefined || checks.length === 0) {
    throw new TagstreamError('config', 'the pipeline has no checks', {
      place: { source: pipeline.file },
      fix: 'add checks: [{ text: "...", tags: [...] }], sentences with their expected tags',
    });
  }
  const tagged = await taggedBy(model, checks);
  const results: CheckResult[] = [];
  for (const [i, check] of checks.entries()) {
    const { line } = pipeline.place(['checks', i]);
    const result =
      check.on === undefined
        ? checkedSentence(check, tagged.get(i)!)
        : await checkedScores(check, pipeline, model);
    results.push({ name: nameOf(check), ...(line === undefined ? {} : { line }), ...result });
  }
  return results;
}

function nameOf({ name, text, tokens, on }: Check): string {
  if (name !== undefined) return name;
  const what = text ?? tokens?.join(' ') ?? inputsOf(on!).join(', ');
  return what.length > 60 ? `${what.slice(0, 60)}...` : what;
}

function inputsOf(on: Readonly<Record<string, unknown>>): readonly string[] {
  const [options = {}] = Object.values(on as Readonly<Record<string, Record<string, object>>>);
  return options.from === undefined ? filesOf(options) : Object.keys(options.from);
}

type Outcome = TaggedDocument | TagstreamError;

/** Returns the sentences of all checks, tagged in one stream, by the number of the check. */
async function taggedBy(model: Model, checks: readonly Check[]): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const documents = checks.flatMap(({ text, tokens, columns, on }, i): Document[] => {
    if (on !== undefined) return [];
    const delivery = {
      position: { source: 'checks', line: i + 1, start: 0, end: 0 },
      release: () => undefined,
      ack: () => undefined,
      reject: (error: TagstreamError) => outcomes.set(i, error),
    };
    const given = {
      ...(text === undefined ? {} : { text }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(columns === undefined ? {} : { columns }),
    };
    return [{ id: String(i), ...given, delivery }];
  });
  const stages = taggingStages(model, { output: 'record', decoding: 'viterbi' }, { sentences: 32 });
  for (const tagged of await lastValueFrom(from(documents).pipe(stages, toArray()))) {
    outcomes.set(Number(tagged.document.id), tagged);
  }
  return outcomes;
}

function checkedSentence(check: Check, outcome: Outcome): Omit<CheckResult, 'name'> {
  return outcome instanceof TagstreamError
    ? { passed: false, problem: outcome.message }
    : checkSentence(check, outcome);
}

async function checkedScores(
  { on, minimum }: Check,
  pipeline: Pipeline,
  model: Model,
): Promise<Omit<CheckResult, 'name'>> {
  const reading = { paths: new PipelinePaths(pipeline), tokenizer: modelTokenizer(model) };
  try {
    const sentences = await readSentences(chosenOf(pipeline.catalogue.sources.items, on!), reading);
    const encoded = encodeInOrder(model, sentences);
    const labelled = encoded.filter(({ sentence }) => sentence.tags !== undefined);
    if (labelled.length === 0) return { passed: false, problem: 'no sentence is fully labelled' };
    const got = scoreSentences(model, model.parameters, new Decoder(model.kernel), labelled);
    const scores = checkedScoreNames.flatMap((score): CheckedScore[] => {
      const least = minimum?.[score];
      const value = got[score];
      if (least === undefined) return [];
      return [{ score, minimum: least, ...(value === undefined ? {} : { got: value }) }];
    });
    const passed = scores.every(
      ({ minimum: least, got: value }) => isDefined(value) && value >= least,
    );
    return { passed, scores };
  } catch (thrown) {
    return { passed: false, problem: TagstreamError.from(thrown, 'stage').message };
  }
}

/**
 * Compares a model's result for a sentence with what a check expects.
 *
 * @example
 * const check = { text: 'Ben ran', tags: ['B-PER', 'O'] };
 * checkSentence(check, { document: {}, tokens: ['Ben', 'ran'], tags: ['O', 'O'] }).passed // => false
 */
export function checkSentence(check: Check, tagged: TaggedDocument): Omit<CheckResult, 'name'> {
  const { tokens, tags } = tagged;
  const expectedTags = check.tags;
  const found = spansOf(tagged);
  const tagsFit = expectedTags === undefined || sameList(expectedTags, tags);
  const spansFit = check.spans === undefined || sameSpans(check.spans, found);
  const wrongLength =
    expectedTags !== undefined && expectedTags.length !== tokens.length
      ? {
          problem: `expected ${counted(expectedTags.length, 'tag')}, got ${counted(tokens.length, 'token')}`,
        }
      : {};
  return {
    passed: tagsFit && spansFit,
    ...wrongLength,
    tokens,
    ...(expectedTags === undefined ? {} : { tags: { expected: expectedTags, got: tags } }),
    ...(check.spans === undefined ? {} : { spans: { expected: check.spans, got: found } }),
  };
}

function spansOf({ document, tokens, offsets, spans = [] }: TaggedDocument): TextSpan[] {
  return spans.map(span => {
    const { start, end } = span;
    const text =
      document.text === undefined || offsets === undefined
        ? tokens.slice(start, end).join(' ')
        : document.text.slice(offsets[start]![0], offsets[end - 1]![1]);
    return { ...span, text };
  });
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function sameSpans(expected: NonNullable<Check['spans']>, got: readonly TextSpan[]): boolean {
  const fits = (span: (typeof expected)[number], other: TextSpan) =>
    span.label === other.label &&
    (span.text === undefined || span.text === other.text) &&
    (span.start === undefined || span.start === other.start) &&
    (span.end === undefined || span.end === other.end);
  return expected.length === got.length && expected.every((span, i) => fits(span, got[i]!));
}

/** The result of one check. */
export interface CheckResult {
  /** Name as given, or a description of what it tests. */
  readonly name: string;
  readonly passed: boolean;
  /** Line of the check in the pipeline file. */
  readonly line?: number;
  /** The reason for a failure, if not a difference of tags or spans. */
  readonly problem?: string;
  readonly tokens?: readonly string[];
  readonly tags?: { readonly expected: readonly string[]; readonly got: readonly string[] };
  readonly spans?: {
    readonly expected: NonNullable<Check['spans']>;
    readonly got: readonly TextSpan[];
  };
  /** Scores in percent. */
  readonly scores?: readonly CheckedScore[];
}

/** A span with its text. */
type TextSpan = Span & { readonly text: string };

const checkedScoreNames = ['accuracy', 'precision', 'recall', 'f1'] as const;

/** A score and its minimum. */
interface CheckedScore {
  readonly score: (typeof checkedScoreNames)[number];
  readonly minimum: number;
  /** The score; absent if the model's tags mark no spans, null if it is undefined, which is not enough. */
  readonly got?: Figure;
}
