import { TagstreamError } from '../core/errors.js';
import { kernels } from '../models/kernels.js';
import { deadLetterOptionsOf } from '../pipeline/dead-letter-options-of.js';
import { loadPipeline } from '../pipeline/load-pipeline.js';
import { type RunResult, runPipeline } from '../pipeline/run-pipeline.js';
import type { BadRecordArguments } from './bad-record-options.js';
import { formatScores } from './format-scores.js';
import type { KernelArguments } from './kernel-option.js';
import { replayedRun } from './replayed-run.js';
import { stopSignal } from './stop-signal.js';
import { toldDeadLetters } from './told-dead-letters.js';
import { TrainingReport } from './training-report.js';

/** Arguments of `train` and `run`. */
export interface RunArguments extends BadRecordArguments, KernelArguments {
  readonly pipeline: string;
  readonly set?: readonly string[] | undefined;
  readonly workers?: number | undefined;
  readonly mode?: 'deterministic' | 'hogwild' | undefined;
  readonly model?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** A file of dead letters, in place of the source. */
  readonly replay?: string | undefined;
}

/** Runs a pipeline file, tells its course on the standard error, and what it came to. */
export async function runFromFile(given: RunArguments, mustTrain: boolean): Promise<void> {
  const loaded = loadPipeline(given.pipeline, { set: settingsOf(given) });
  const pipeline =
    given.replay === undefined ? loaded : replayedRun(loaded, given.replay, given.model);
  if (mustTrain && !pipeline.trains) {
    throw new TagstreamError('config', 'the pipeline trains nothing', {
      place: { source: given.pipeline },
      fix: 'use tagstream run, or add the stages contribute and optimize',
    });
  }
  const streams = pipeline.train?.epochs === undefined;
  const checkpoints = pipeline.stages.some(({ component }) => component.name === 'checkpoint');
  const deadLetters = toldDeadLetters(given, deadLetterOptionsOf(pipeline));
  let corpusSize: number | undefined;
  const report = new TrainingReport({
    epochs: pipeline.train?.epochs,
    corpusSize: () => corpusSize,
    plain: given.json === true,
  });
  const stop = stopSignal();
  let blank = 0;
  const start = Date.now();
  try {
    const result = await runPipeline(pipeline, {
      ...(given.model === undefined ? {} : { model: given.model }),
      ...(given.kernel === undefined ? {} : { kernel: kernels[given.kernel] }),
      resume: given.resume ?? false,
      deadLetters,
      signal: stop.signal,
      events: {
        ...report.events,
        onCorpus: size => {
          corpusSize = size;
        },
      },
      onBlank: () => {
        blank += 1;
      },
    });
    report.end();
    const seconds = (Date.now() - start) / 1000;
    if (given.json === true) printJson(result, seconds);
    else tell(result, seconds, streams, checkpoints);
    if (blank > 0) process.stderr.write(`tagstream: ${blank} blank lines were skipped\n`);
  } finally {
    report.end();
    stop.dispose();
    deadLetters.finish();
  }
}

/** The overrides that were given, those with options of their own last. */
function settingsOf({ set = [], workers, mode }: RunArguments): readonly string[] {
  return [
    ...set,
    ...(workers === undefined ? [] : [`train.workers=${workers}`]),
    ...(mode === undefined ? [] : [`train.mode=${mode}`]),
  ];
}

function printJson({ test, model, ...rest }: RunResult, seconds: number): void {
  const line = { ...rest, seconds, model: model?.file ?? null, modelBytes: model?.bytes ?? null };
  process.stdout.write(`${JSON.stringify({ ...line, test: test ?? null })}\n`);
}

function tell(result: RunResult, seconds: number, streams: boolean, checkpoints: boolean): void {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const seen = result.sentencesSeen.toLocaleString('en');
  if (result.stopped && !streams) {
    const next = checkpoints
      ? 'go on with --resume'
      : 'nothing is kept, as the pipeline has no stage checkpoint';
    say(`stopped after ${seen} sentences; ${next}`);
    return;
  }
  if (result.sentencesSeen > 0) say(`trained on ${seen} sentences in ${seconds.toFixed(1)} s`);
  if (!result.reproducible) say('by hogwild: another run gives other weights');
  if (result.bestPass !== undefined) say(`best: pass ${result.bestPass}`);
  if (result.test !== undefined) say(`test: ${formatScores(result.test)}`);
  if (result.model !== undefined) {
    say(
      `model: ${result.model.file} (${Math.ceil(result.model.bytes / 1024).toLocaleString('en')} KiB)`,
    );
    say(
      `try:   tagstream tag --model ${result.model.file} FILE   (or NDJSON on the standard input)`,
    );
  }
}
