import { Observable } from 'rxjs';
import { TagstreamError } from '../../engine/core/errors.js';
import { figureText, percent } from '../../engine/core/figures.js';
import type { Log } from '../../engine/core/log.js';
import type { Iteration } from '../../engine/core/training/trainer.js';
import { grouped, kibibytes, many } from '../../engine/core/wording/numbers.js';
import type { ClusterReport } from '../../engine/interfaces/cluster-options.js';
import { kernels } from '../../engine/models/kernels.js';
import type { TrainingHistory } from '../../engine/models/learning/training-history.js';
import { describeSchemes } from '../../engine/text/tags/detect-scheme.js';
import { requireApart } from '../../formats/files/require-apart.js';
import { readPipesAhead } from '../../formats/reading/read-bytes.js';
import { StreamCourse } from '../../reports/stream/stream-course.js';
import type { DeadLetterPlace } from '../../runtime/io/dead-letters/dead-letters.js';
import { ResumableFile } from '../../runtime/io/writing/resumable-file.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { deadLetterOptionsOf } from '../../runtime/pipeline/definition/dead-letters.js';
import type { RunEvents } from '../../runtime/pipeline/definition/events.js';
import { growthNote } from '../../runtime/pipeline/definition/growth-note.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';
import { pipelineFiles } from '../../runtime/pipeline/definition/pipeline-files.js';
import { replayed } from '../../runtime/pipeline/definition/replayed.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import {
  estimateOf,
  estimatePipeline,
  type ForeseenTraining,
  trainsParts,
} from '../../runtime/pipeline/run/estimate/estimate-pipeline.js';
import { trainingSize } from '../../runtime/pipeline/run/estimate/training-estimate.js';
import type { TrainingObserver } from '../../runtime/pipeline/run/run-once.js';
import { observedRun } from '../../runtime/pipeline/run/run-pipeline.js';
import type { RunOptions, RunResult } from '../../runtime/pipeline/setup/run-options.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import { requirePageFile } from '../files/require-files.js';
import { type KernelArguments, workerCount } from '../options/computing-options.js';
import {
  type FieldArguments,
  hasFields,
  noFields,
  refusePassing,
} from '../options/field-options.js';
import { type NatsArguments, registryOf } from '../options/nats-options.js';
import type {
  LogArguments,
  MetricsArguments,
  ShutdownArguments,
} from '../options/operation-options.js';
import type { BadRecordArguments, LimitArguments } from '../options/record-options.js';
import { reportOffsets } from '../report/conversion-report.js';
import {
  availableMemory,
  estimateWarnings,
  formatEstimate,
  largeModelNote,
} from '../report/estimate/format-estimate.js';
import { formatEstimates, formatScores } from '../report/format-scores.js';
import {
  reportDeployed,
  reportDeployFailed,
  reportDeployKept,
  reportVersion,
  reportVersionRefused,
} from '../report/report-registered.js';
import { badRecordHint, ReportedDeadLetters } from '../report/reported-dead-letters.js';
import type { Reporting } from '../report/reporting.js';
import {
  reportBlankLines,
  reportKept,
  reportNoReload,
  reportReloaded,
  reportStopped,
  reportWritten,
} from '../report/run-messages.js';
import { printJson } from '../report/terminal.js';
import { scoresOrNone, TrainingReport } from '../report/training-report.js';
import { reloadRequests } from '../signals/reload-requests.js';
import { stopSignal } from '../signals/stop-signal.js';

/** Arguments of `train` and `run`. */
export interface RunArguments
  extends BadRecordArguments,
    KernelArguments,
    FieldArguments,
    LimitArguments,
    LogArguments,
    MetricsArguments,
    NatsArguments,
    ShutdownArguments {
  readonly pipeline: string;
  readonly set?: readonly string[] | undefined;
  readonly challenge?: readonly string[] | undefined;
  readonly workers?: number | undefined;
  readonly seeds?: number | undefined;
  readonly mode?: 'deterministic' | 'hogwild' | undefined;
  readonly model?: string | undefined;
  readonly deploy?: string | undefined;
  readonly names?: boolean | undefined;
  /** Whether to replace the model of a longer training. */
  readonly force?: boolean | undefined;
  readonly resume?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly html?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Path of a dead-letter file to read instead of the source. */
  readonly replay?: string | undefined;
}

/** Runs a pipeline file, and logs its progress and result. */
export async function runFromFile(
  given: RunArguments,
  mustTrain: boolean,
  report: Reporting,
): Promise<void> {
  const { log, status } = report;
  await readPipesAhead([given.pipeline]);
  const { set, workers } = settingsOf(given);
  const { challenge = [] } = given;
  const loaded = loadPipeline(given.pipeline, {
    set: [...set, ...fieldsOf(given, set)],
    challenge,
  });
  const pipeline =
    given.replay === undefined ? loaded : replayedRun(loaded, given.replay, given.model);
  if (mustTrain && !pipeline.trains) {
    throw new TagstreamError('config', 'the pipeline does not train a model', {
      place: { source: given.pipeline },
      fix: 'use tagstream run, or add the stages contribute and optimize',
    });
  }
  if (given.dryRun === true) {
    const { dryRunFromFile } = await import('./dry-run-from-file.js');
    return dryRunFromFile(pipeline, given);
  }
  const streams = pipeline.train?.epochs === undefined;
  const checkpoints = pipeline.plan.checkpoint !== undefined;
  let corpusSize: number | undefined;
  const training = new TrainingReport({
    epochs: pipeline.train?.epochs,
    seeds: pipeline.train?.seeds,
    corpusSize: () => corpusSize,
    plain: given.json === true || given.log === 'json' || given.logLevel !== 'info',
    log,
  });
  const chosen = chosenDeadLetters(given, deadLetterOptionsOf(pipeline), !pipeline.trains);
  refusePassing(chosen, {
    format: pipeline.source.component.name,
    to: pipeline.sink?.format,
    output: pipeline.sink?.output,
  });
  const deadLetters = new ReportedDeadLetters(
    chosen,
    log,
    badRecordHint(given, pipeline.deadLetters?.default),
  );
  const course = courseOf(given, pipeline, deadLetters.place);
  const stop = stopSignal(report, given.shutdownTimeout ?? pipeline.shutdownTimeout);
  const reloads = reloadRequests(log);
  if (pipeline.trains) reloads.onRequest(() => reportNoReload(log));
  const growth = growthNote(pipeline);
  if (growth !== undefined) log.info(growth);
  let blank = 0;
  let isForetold = false;
  const endOffsets = reportOffsets(log);
  const start = Date.now();
  const reading = streams ? undefined : new ReadingReport(log, () => deadLetters.records);
  try {
    const onSettled = await reportEstimate(pipeline, log, () => {
      isForetold = true;
    });
    const options: RunOptions = {
      ...(given.model === undefined ? {} : { model: given.model }),
      ...(given.kernel === undefined ? {} : { kernel: kernels[given.kernel] }),
      ...(given.names === undefined ? {} : { names: given.names }),
      keepLonger: given.force !== true,
      resume: given.resume ?? false,
      limit: given.limit,
      workers,
      deadLetters,
      signal: stop.signal,
      registry: registryOf(given),
      status,
      reloads: new Observable<void>(requests => reloads.onRequest(() => requests.next())),
      events: {
        ...(course?.followed(training.events) ?? training.events),
        onReloaded: () => reportReloaded(pipeline.plan.model ?? pipeline.file, log),
        onReloadRefused: error => reportKept(error, log),
        onClusterWait: () =>
          log.info('another coordinator is running this training; waiting to take over'),
        onDeployed: (address, version) => reportDeployed(address, version, log),
        onDeployKept: (address, comparison) => reportDeployKept(address, comparison, log),
        onDeployFailed: (address, error) => reportDeployFailed(address, error, log),
        onModelVersion: (address, version) => reportVersion(address, version, log),
        onVersionRefused: (address, version, error) =>
          reportVersionRefused(address, version, error, log),
        onCorpus: size => {
          reading?.end();
          corpusSize = size;
        },
      },
      onBlank: () => {
        blank += 1;
      },
    };
    const observer: TrainingObserver = {
      onSettled,
      onTrainee: async ({ history }) => {
        course?.follow?.(history);
      },
    };
    const result = await observedRun(pipeline, options, { observer });
    training.end();
    if (given.html !== undefined && course !== undefined) {
      await writeWhole(given.html, await course.page(pipeline.name));
    }
    const seconds = (Date.now() - start) / 1000;
    if (given.json === true) printResult(result, seconds);
    else if (pipeline.trains) {
      reportTraining(result, { log, seconds, streams, checkpoints, isForetold });
    } else if (result.stopped) {
      const file = pipeline.sink?.file;
      // With checkpoints, the output gets its name at the end.
      const isPart = checkpoints && pipeline.sink?.rotate === undefined;
      const part = file !== undefined && isPart ? ResumableFile.partOf(file) : file;
      reportStopped(result.records, part ?? '-', log);
    } else if (checkpoints) reportWritten(result.records, pipeline.sink?.file ?? '-', log);
    reportBlankLines(blank, log, pipeline.source.component.name);
  } finally {
    endOffsets();
    reading?.end();
    training.end();
    reloads.dispose();
    try {
      await deadLetters.finish();
    } finally {
      stop.dispose();
    }
  }
}

/**
 * Returns the given overrides, those from separate options last, and the tagging threads of a
 * pipeline that trains nothing.
 *
 * @throws TagstreamError `usage` for an invalid number of threads
 */
function settingsOf({ pipeline, set = [], workers, seeds, mode, deploy }: RunArguments): {
  readonly set: readonly string[];
  readonly workers?: number;
} {
  const others = [
    ...set,
    ...(seeds === undefined ? [] : [`train.seeds=${seeds}`]),
    ...(mode === undefined ? [] : [`train.mode=${mode}`]),
    ...(deploy === undefined ? [] : [`deploy=${JSON.stringify(deploy)}`]),
  ];
  if (workers === undefined) return { set: others };
  if (onlyTags(pipeline, others)) return { set: others, workers: workerCount(String(workers)) };
  return { set: [...others, `train.workers=${workers}`] };
}

/** Returns whether a pipeline trains nothing. Its errors are reported when it is loaded with all arguments. */
function onlyTags(file: string, set: readonly string[]): boolean {
  try {
    return !loadPipeline(file, { set }).trains;
  } catch {
    return false;
  }
}

/** Records what the page of a run shows. */
interface RunCourse {
  /** Returns the events of the run, which are also recorded. */
  followed(events: RunEvents): RunEvents;
  /** Called with the history of the training, if the page shows passes. */
  follow?(history: Pick<TrainingHistory, 'passes'>): void;
  page(name: string): Promise<string>;
}

/**
 * Returns the recorder for the page of a run.
 *
 * @throws TagstreamError `usage` if there are no passes and nothing is scored over time, or the page is another file of the run
 */
function courseOf(
  { html, model }: RunArguments,
  pipeline: Pipeline,
  deadLetters: DeadLetterPlace | undefined,
): RunCourse | undefined {
  if (html === undefined) return undefined;
  requirePageFile(html);
  const { reads, writes } = pipelineFiles(pipeline, { model, deadLetters });
  requireApart({ reads, writes: [...writes, { path: html, what: 'the page' }] });
  if (pipeline.plan.kind === 'train') return passesCourse();
  if (pipeline.plan.evaluation?.kind === 'progressive') return streamCourse();
  const problem = '--html needs a pipeline that trains in passes, or scores a stream over time';
  throw new TagstreamError('usage', problem, {
    place: { source: pipeline.file },
    fix: 'give train.epochs, or learn from a stream with evaluate: { progressive: true }; or leave --html out',
  });
}

/** Records the passes of a training, including those of the run that it resumes. */
function passesCourse(): RunCourse {
  let known: Pick<TrainingHistory, 'passes'> = { passes: [] };
  const iterations = new Map<number, Iteration>();
  const warnings: string[] = [];
  return {
    follow(history) {
      known = history;
    },
    followed: events => ({
      ...events,
      onStep(step) {
        const { passEnd, iteration } = step;
        if (passEnd !== undefined && iteration !== undefined) iterations.set(passEnd, iteration);
        events.onStep?.(step);
      },
      onWarning(code, message) {
        warnings.push(message);
        events.onWarning?.(code, message);
      },
    }),
    async page(name) {
      const { trainingPage } = await import('../../reports/stream/training-page.js');
      const passes = known.passes.map(pass => ({ ...pass, iteration: iterations.get(pass.pass) }));
      return trainingPage(name, passes, warnings);
    },
  };
}

/** Records the scores of a stream over time. */
function streamCourse(): RunCourse {
  const course = new StreamCourse();
  return {
    followed: events => ({
      ...events,
      onStep: step => {
        course.sentences = step.sentencesSeen;
        events.onStep?.(step);
      },
      onProgress: (step, all, inWindow, recent, details) => {
        course.add({ sentences: step.sentencesSeen, all, inWindow, recent, details });
        events.onProgress?.(step, all, inWindow, recent, details);
      },
      onWarning: (code, message) => {
        course.mark(message);
        events.onWarning?.(code, message);
      },
      onChampion: change => {
        course.mark(`${change.to} replaces ${change.from} as champion`);
        events.onChampion?.(change);
      },
    }),
    async page(name) {
      const { streamPage } = await import('../../reports/stream/stream-page.js');
      return streamPage(name, course);
    },
  };
}

/** Returns the overrides that correspond to `--text-field` and `--into`. */
function fieldsOf(given: RunArguments, set: readonly string[]): readonly string[] {
  if (!hasFields(given)) return [];
  const { name, hasFields: has } = loadPipeline(given.pipeline, { set }).source.component;
  if (has !== true) throw noFields(name, given);
  const fields = { textField: given.textField, into: given.into };
  return Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`source.${name}.${key}=${JSON.stringify(value)}`],
  );
}

function printResult({ test, model, ...rest }: RunResult, seconds: number): void {
  const line = { ...rest, seconds, model: model?.file ?? null, modelBytes: model?.bytes ?? null };
  printJson({ ...line, test: test === undefined ? null : scoresOrNone(test) });
}

interface ReportContext {
  readonly log: Log;
  readonly seconds: number;
  readonly streams: boolean;
  readonly checkpoints: boolean;
  /** Whether a large model was announced. */
  readonly isForetold: boolean;
}

function reportTraining(
  result: RunResult,
  { log, seconds, streams, checkpoints, isForetold }: ReportContext,
): void {
  const { sentencesSeen, bestPass, test, model } = result;
  const seen = many(sentencesSeen, 'sentence');
  if (result.stopped && !streams) {
    const next = checkpoints
      ? 'continue with --resume'
      : 'nothing is kept, because the pipeline has no stage checkpoint';
    log.info(`stopped after ${seen}; ${next}`, { sentencesSeen });
    return;
  }
  if (sentencesSeen > 0) {
    const all = streams ? '' : ' over all passes';
    const { sentencesBefore } = result;
    const since =
      sentencesBefore === undefined
        ? ''
        : ` (${grouped(sentencesSeen - sentencesBefore)} since the resume)`;
    log.info(`trained on ${seen}${all}${since} in ${seconds.toFixed(1)} s`, {
      sentencesSeen,
      seconds,
    });
  }
  if (!result.reproducible) log.info('mode hogwild: another run gives different weights');
  if (bestPass !== undefined) log.info(`best: pass ${bestPass}`, { bestPass });
  if (result.graphs !== undefined) reportGraphs(result.graphs, log);
  if (result.labels !== undefined) reportLabels(result.labels, log);
  if (result.questions !== undefined) reportQuestions(result.questions, log);
  if (result.cluster !== undefined) reportCluster(result.cluster, log);
  if (test !== undefined) log.info(`test: ${formatScores(test)}`, { test: scoresOrNone(test) });
  if (test?.schemes !== undefined) log.warn(describeSchemes(test.schemes), test.schemes);
  if (result.pruning !== undefined) reportPruning(result.pruning, log);
  if (model !== undefined) {
    const { file, bytes } = model;
    log.info(`model: ${file} (${kibibytes(bytes)})`, { model: file, modelBytes: bytes });
    const large = isForetold ? undefined : largeModelNote('has', bytes, model.compact);
    if (large !== undefined) log.info(large, { model: file, modelBytes: bytes });
    const command = `tagstream tag --model ${file} FILE`;
    log.info(`try:   ${command}   (or NDJSON on standard input)`, { command });
  }
}

/** Reports counts of labels that arrived later. */
function reportLabels(labels: NonNullable<RunResult['labels']>, log: Log): void {
  const { joined, doubled, contradicted, unmatched, expired, waiting } = labels;
  log.info(
    `late labels: ${grouped(joined)} joined, ${grouped(doubled)} doubled, ${grouped(unmatched)} without a waiting record; records: ${grouped(waiting)} waiting, ${grouped(expired)} dropped without labels`,
    { labels },
  );
  if (contradicted === 0) return;
  const ids = labels.contradictions.map(id => (id.length > 40 ? `${id.slice(0, 40)}...` : id));
  log.warn(
    `${many(contradicted, 'label')} contradicted an earlier one of the same token, which counts; ids of the last: ${ids.join(', ')}`,
    { contradictions: labels.contradictions },
  );
}

/** Reports the number of requested labels, and the estimate from randomly drawn records. */
function reportQuestions(questions: NonNullable<RunResult['questions']>, log: Log): void {
  const { tokens, asked, sampled, answered, estimates } = questions;
  const share = percent(asked, tokens);
  const scores = estimates === undefined ? '' : `: ${formatEstimates(estimates)}`;
  log.info(
    `asked for the labels of ${grouped(asked)} of ${many(tokens, 'token')} (${figureText(share)} %); ${grouped(answered)} of ${many(sampled, 'record')} drawn at random ${sampled === 1 ? 'has' : 'have'} all labels${scores}`,
    { questions },
  );
}

/**
 * Reports how often pruning dropped the gold tag in the test data, and the accuracy without
 * pruning.
 */
function reportPruning(pruning: NonNullable<RunResult['pruning']>, log: Log): void {
  const { tokens, lost, labels, unprunedAccuracy } = pruning;
  const share = ((100 * lost) / tokens).toFixed(2);
  log.info(
    `pruning: ${labels.toFixed(1)} tags kept per token, without the gold tag at ${share} % of tokens; accuracy without pruning ${figureText(unprunedAccuracy)} %`,
    { pruning },
  );
}

/** Reports how many graphs were inferred exactly, and how many approximately. */
function reportGraphs(graphs: NonNullable<RunResult['graphs']>, log: Log): void {
  const { exact, expanded, converged, unconverged } = graphs;
  log.info(
    `graphs: inferred ${grouped(exact)} times exactly, ${grouped(expanded)} by expansions, ${grouped(converged + unconverged)} by messages, of which ${grouped(unconverged)} did not converge`,
    { graphs },
  );
}

/** Reports the cost per pass of a training on a cluster. */
function reportCluster(cluster: ClusterReport, log: Log): void {
  const { shards, passes, seconds, corpusBytes, weightBytes, resultBytes, ownTasks } = cluster;
  const each = Math.max(1, passes);
  log.info(
    `cluster: ${passes} passes of ${shards} shards, ${(seconds / each).toFixed(2)} s a pass; corpus ${kibibytes(corpusBytes)}, ` +
      `weights ${kibibytes(weightBytes / each)} and results ${kibibytes(resultBytes / each)} a pass; ${ownTasks} of ${passes * shards} tasks done here`,
    { cluster },
  );
}

/**
 * Returns the pipeline that `run --replay` runs.
 *
 * @param file file of the rejected records
 * @param model path for a trained model, if given
 * @throws TagstreamError `usage` if the pipeline's model would be replaced by a model of only the
 * rejected records, and the errors of `replayed`
 */
function replayedRun(pipeline: Pipeline, file: string, model?: string): Pipeline {
  if (pipeline.trains && pipeline.model !== undefined && model === undefined) {
    throw new TagstreamError('usage', 'a replay would train a model on only the rejected records', {
      place: { source: pipeline.file },
      fix: 'name another model with --model, or correct the records of the source and train on it again',
    });
  }
  return replayed(pipeline, file);
}

/** Milliseconds between lines. */
const lineMilliseconds = 5000;

/**
 * Logs the number of records read, every five seconds until `end`, as a corpus is read before the
 * first update.
 *
 * @param records records read so far
 */
export class ReadingReport {
  readonly #timer: NodeJS.Timeout;

  constructor(log: Log, records: () => number, milliseconds = lineMilliseconds) {
    this.#timer = setInterval(() => {
      const read = records();
      // A first model is being trained, or nothing has been written yet.
      if (read === 0) return;
      log.info(`reading: ${many(read, 'record')} so far`, { records: read });
    }, milliseconds);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/**
 * Logs the estimate of a training and warns if it does not fit into memory: at once, from the beginning of the corpus,
 * if there are other trainings before that of the tags, else when the corpus has been read.
 *
 * @param onLarge called if the warning explained how to make a large model smaller
 * @returns receives the corpus
 */
async function reportEstimate(
  pipeline: Pipeline,
  log: Log,
  onLarge: () => void,
): Promise<NonNullable<TrainingObserver['onSettled']>> {
  const report = (estimate: ForeseenTraining | undefined) => {
    if (estimate === undefined) return;
    const { memory, parameters, seconds, model: bytes, parts } = estimate;
    const fields = { memory, parameters, seconds, model: bytes, ...(parts && { parts }) };
    log.info(formatEstimate(estimate), fields);
    for (const warning of estimateWarnings(estimate, availableMemory())) log.warn(warning);
    if (bytes !== undefined && largeModelNote('has', bytes, estimate.compact) !== undefined) {
      onLarge();
    }
  };
  if (trainsParts(pipeline)) {
    // The run itself reports what is wrong with its input.
    report(await estimatePipeline(pipeline).catch(() => undefined));
    return () => undefined;
  }
  return (corpus, model) => {
    const size = trainingSize(model, corpus);
    report(estimateOf(pipeline, model, size, process.memoryUsage.rss()));
  };
}
