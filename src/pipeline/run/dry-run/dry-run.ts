import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { lastValueFrom, type Observable, tap } from 'rxjs';
import { TagstreamError } from '../../../core/errors.js';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { TaggedSentence } from '../../../core/sentence/sentence.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import type { Scores, TrainingStep } from '../../../core/training/training-step.js';
import type { BadRecord } from '../../../io/bad-records/bad-record.js';
import {
  type DeadLetterOptions,
  DeadLetters,
  deadLetterPlace,
} from '../../../io/dead-letters/dead-letters.js';
import { requireApart } from '../../../io/files/require-apart.js';
import type { InputStream } from '../../../io/reading/input-stream.js';
import type { Kernel } from '../../../kernels/kernel.js';
import { deadLetterOptionsOf } from '../../definition/dead-letter-options-of.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { pipelineFiles } from '../../definition/pipeline-files.js';
import { readNamedPipes } from '../../definition/read-named-pipes.js';
import { requireFiles } from '../../definition/require-files.js';
import { RunSetup } from '../../definition/run-setup.js';
import { sourceFiles } from '../../definition/source-files.js';
import { readSentences } from '../../setup/read-sentences.js';
import { runOperators } from '../../setup/run-operators.js';
import { assembled, isWritten } from '../../setup/run-sink.js';
import { runSource } from '../../setup/run-source.js';
import { requireTagger } from '../../tagging/reload/require-tagger.js';
import { dryPipeline } from './dry-pipeline.js';
import type { DryRunReport } from './dry-run-report.js';

export interface DryRunOptions {
  /** Records that are read. */
  readonly limit: number;
  /** Where the model would go, in place of the file's `model`. */
  readonly model?: string | undefined;
  readonly kernel?: Kernel | undefined;
  /** What becomes of bad records, in place of what the file says. */
  readonly deadLetters?: DeadLetterOptions | undefined;
  readonly stdin?: InputStream | undefined;
}

/**
 * Takes the first records through all stages of a pipeline, and writes nothing: no model, no records, no
 * checkpoint, no lock, no dead letters.
 *
 * @throws TagstreamError as `runPipeline`, for what would end the run within these records
 */
export async function dryRun(pipeline: Pipeline, options: DryRunOptions): Promise<DryRunReport> {
  const deadLetters = deadLetterPlace(options.deadLetters ?? deadLetterOptionsOf(pipeline));
  requireApart(pipelineFiles(pipeline, { model: options.model, deadLetters: deadLetters }));
  if (pipeline.source.options.from !== undefined) {
    throw new TagstreamError('config', 'a dry run would consume messages of the real run', {
      place: pipeline.place(['source']),
      fix: 'name a file with --set source={ndjson: {files: [FILE]}}',
    });
  }
  await requireFiles(pipeline);
  await readNamedPipes(pipeline);
  const dry = dryPipeline(pipeline, options.limit);
  const { baseDirectory, source, catalogue, train, config } = dry;
  const { kernel } = options;
  const given = {
    ...{ baseDirectory, source, catalogue, train, config },
    ...{ events: {}, restored: undefined, kernel },
  };
  const setup = new RunSetup(given);
  try {
    const seen = await goThrough(dry, setup, options);
    const test = dry.test === undefined ? null : await labelledIn(dry.test, setup);
    return { ...planOf(pipeline, options), ...seen, test };
  } finally {
    await setup.end();
  }
}

/** Bad records are counted, and those that would end the run do. */
class CountedBad extends DeadLetters {
  first: BadRecord | undefined;

  override add(bad: BadRecord, number?: number): void {
    this.first ??= bad;
    super.add(bad, number);
  }
}

async function goThrough(dry: Pipeline, setup: RunSetup, options: DryRunOptions) {
  const { policy, policies } = options.deadLetters ?? deadLetterOptionsOf(dry);
  const kept = policy === 'fail' ? policy : 'skip';
  const deadLetters = new CountedBad({
    policy: kept,
    policies: Object.fromEntries(
      Object.entries(policies ?? {}).map(([fault, own]) => [fault, own === 'fail' ? own : 'skip']),
    ),
  });
  const { reading, learning } = runOperators(dry, setup, {});
  if (!dry.trains) requireTagger(setup.model, dry.plan.model ?? dry.file);
  for (const prepare of setup.preparations) await prepare();
  const counts = { records: 0, sentences: 0, tokens: 0, labelled: 0 };
  const results: Results = { loss: null, heldOut: null, firstOutput: null };
  let stream: Observable<unknown> = runSource(dry, setup, {
    limit: options.limit,
    deadLetters,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  });
  const count = tap((item: unknown) => {
    const { sentence } = item as EncodedSentence;
    counts.sentences += 1;
    counts.tokens += sentence.tokens.length;
    if (sentence.tags !== undefined) counts.labelled += 1;
  });
  for (const operator of [...reading, count, ...learning]) stream = stream.pipe(operator);
  if (dry.plan.decode !== undefined)
    await takeTagged(stream as Observable<TaggedSentence>, dry, setup, results);
  else await takeSteps(stream as Observable<TrainingStep>, results);
  const { model } = setup;
  const first = deadLetters.first;
  return {
    ...counts,
    ...results,
    records: deadLetters.records,
    bad: deadLetters.total,
    firstBad:
      first === undefined
        ? null
        : first.error.at({ source: first.position.source, line: first.position.line }).message,
    labels: [...model.labels.tags],
    features: model.stateIndex.size + model.edgeIndex.size,
  };
}

interface Results {
  loss: number | null;
  heldOut: Scores | null;
  firstOutput: string | null;
}

async function takeSteps(steps: Observable<TrainingStep>, results: Results): Promise<void> {
  const taken = tap((step: TrainingStep) => {
    results.loss = step.meanLoss;
    results.heldOut = step.scores ?? results.heldOut;
    for (const { sentence } of step.contribution.minibatch.sentences) sentence.delivery?.release();
  });
  await lastValueFrom(steps.pipe(taken), { defaultValue: undefined });
}

/** Writes the first record as the sink would, and releases all. */
async function takeTagged(
  sentences: Observable<TaggedSentence>,
  { sink, source }: Pipeline,
  setup: RunSetup,
  results: Results,
): Promise<void> {
  const codec = source.component.codec(source.options);
  const { output = 'record' } = sink ?? {};
  const taken = tap((tagged: TaggedDocument) => {
    if (isWritten(tagged, sink)) results.firstOutput ??= codec.write(tagged, { output });
    tagged.document.delivery?.release();
    tagged.document.delivery?.ack();
  });
  await lastValueFrom(assembled(sentences, setup).pipe(taken), { defaultValue: undefined });
}

async function labelledIn(test: NonNullable<Pipeline['test']>, setup: RunSetup): Promise<number> {
  const sentences = await readSentences(test, setup);
  return sentences.filter(({ tags }) => tags !== undefined).length;
}

/** What the run would read and write. */
function planOf(pipeline: Pipeline, { model, deadLetters }: DryRunOptions) {
  const { baseDirectory, sink, stages, trains } = pipeline;
  const path = (file: string) => (file === '-' ? file : resolve(baseDirectory, file));
  const ownModel = pipeline.model === undefined ? null : path(pipeline.model);
  return {
    pipeline: pipeline.name,
    format: pipeline.source.component.name,
    inputs: sourceFiles(pipeline).map(file => ({ file, bytes: bytesOf(file) })),
    stages: stages.map(({ component, options }) => ({ [component.name]: options })),
    writes: {
      model: !trains ? null : model === undefined ? ownModel : resolve(model),
      records: pipeline.plan.decode !== undefined ? path(sink?.file ?? '-') : null,
      checkpoints: pipeline.plan.checkpoint?.directory ?? null,
      deadLetters: (deadLetters ?? deadLetterOptionsOf(pipeline)).file ?? null,
    },
  };
}

function bytesOf(file: string): number | null {
  const stats = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true ? stats.size : null;
}
