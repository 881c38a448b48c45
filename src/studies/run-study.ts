import { createHash } from 'node:crypto';
import { appendFileSync, createReadStream, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline as pump } from 'node:stream/promises';
import type { EncodedSentence } from '../engine/core/minibatch/encoded-sentence.js';
import type { RunStatus } from '../engine/core/run-status.js';
import { kinds, requireArgument, requireKnown } from '../engine/core/schema/require-argument.js';
import type { TrainingStep } from '../engine/core/training/training-step.js';
import type { Kernel } from '../engine/kernels/kernel.js';
import { HeldOutEvaluator } from '../engine/models/learning/held-out-evaluator.js';
import { divergenceOf } from '../engine/models/learning/training-history.js';
import { makeDirectory } from '../formats/files/directories.js';
import { fileError, refusePipe } from '../formats/files/file-error.js';
import { unkeptRecords } from '../runtime/pipeline/definition/dead-letters.js';
import type { RunEvents } from '../runtime/pipeline/definition/events.js';
import type { Pipeline } from '../runtime/pipeline/definition/pipeline.js';
import { requireFiles } from '../runtime/pipeline/definition/pipeline-files.js';
import { type ModelSection, modelChoice } from '../runtime/pipeline/options/model-option.js';
import { columnsSpecOf, graphSpecOf } from '../runtime/pipeline/options/structure-options.js';
import type { TrainingObserver } from '../runtime/pipeline/run/run-once.js';
import { observedRun } from '../runtime/pipeline/run/run-pipeline.js';
import { readSentences } from '../runtime/pipeline/setup/read-sentences.js';
import type { RunOptions } from '../runtime/pipeline/setup/run-options.js';
import type { TrainingParts } from '../runtime/pipeline/stages/build-training.js';
import { measureModel } from './measures/measure-model.js';
import {
  type CoursePoint,
  ofRanks,
  type QuantityName,
  quantityOf,
  type RunMeasures,
  rankLimit,
  type Values,
} from './measures/quantities.js';
import { isTestCounts, type TaggedTest, testCounts } from './measures/test-counts.js';
import type { Study, StudyRun } from './study-schema.js';

/** Options for the runs of a study. */
export interface StudyRunOptions {
  /** File of results, instead of the file that the study names; relative to the working directory. */
  readonly results?: string | undefined;
  /** Whether to repeat finished runs. */
  readonly fresh?: boolean | undefined;
  readonly kernel?: Kernel | undefined;
  /** Version of the program; results of other versions are not used. */
  readonly version?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Status that is kept up to date with the current run. */
  readonly status?: RunStatus | undefined;
  /** Called before a run; returns callbacks for its events. */
  readonly onBegin?: (run: StudyRun, index: number) => RunEvents | undefined;
  /** Called after a run, or if its results already exist. */
  readonly onDone?: (run: StudyRun, measures: RunMeasures, known: boolean, index: number) => void;
}

/** A run and its measurements. */
export interface MeasuredRun {
  readonly run: StudyRun;
  readonly measures: RunMeasures;
}

/**
 * Makes the runs of a study one after the other. Results of finished runs are kept in a file, so that a stopped or
 * extended study continues with the remaining runs.
 *
 * @returns the finished runs, including those whose training diverged: fewer than all if `signal` has ended the study
 * @throws TagstreamError `file`, and the errors of training
 */
export async function runStudy(study: Study, options: StudyRunOptions): Promise<MeasuredRun[]> {
  requireArgument('runStudy: the study', study, kinds.study);
  requireKnown('runStudy', options, [
    ...['results', 'fresh', 'kernel', 'version', 'signal', 'status', 'onBegin', 'onDone'],
  ]);
  for (const { pipeline } of study.runs) await requireFiles(pipeline);
  const { course, name, significance } = study.options;
  const file = new ResultsFile(options.results ?? resultsOf(study));
  const digests = new RunDigests({
    version: options.version ?? null,
    kernel: options.kernel === undefined ? null : kernelName(options.kernel),
    every: course?.every ?? null,
  });
  const measured: MeasuredRun[] = [];
  const { status } = options;
  if (status !== undefined) status.studyRuns = { done: 0, total: study.runs.length };
  for (const [index, run] of study.runs.entries()) {
    if (options.signal?.aborted === true) break;
    const digest = await digests.of(run.pipeline);
    const inCourse = course?.measure.filter(quantity => quantityOf(quantity).varies !== true);
    const counted = significance !== undefined;
    const known =
      options.fresh === true ? undefined : file.find(digest, wanted(study), { inCourse, counted });
    let measures: RunMeasures | undefined = known;
    if (measures === undefined) {
      const events = options.onBegin?.(run, index);
      measures = await measureRun(run.pipeline, {
        ...{ measured: study.measured, course, counted },
        ...(options.kernel === undefined ? {} : { kernel: options.kernel }),
        ...(status === undefined ? {} : { status }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(events === undefined ? {} : { events }),
      });
      if (measures === undefined) break;
      const { row, column, seed } = run;
      file.add(digest, measures, { study: name, row, column, seed });
    }
    measured.push({ run, measures });
    if (status !== undefined)
      status.studyRuns = { done: measured.length, total: study.runs.length };
    options.onDone?.(run, measures, known !== undefined, index);
  }
  return measured;
}

/** Returns the file of results that a study names, else the default file next to the study. */
export function resultsOf({ baseDirectory, options: { results, name } }: Study): string {
  return resolve(baseDirectory, results ?? `${name}.results.ndjson`);
}

function wanted({ measured }: Study): readonly string[] {
  return [...measured];
}

function kernelName({ name, precision }: Kernel): string {
  return `${name} ${precision}`;
}

/** Sections and stages that do not affect learning; of `model`, only its file does not. */
const elsewhere: ReadonlySet<string> = new Set(['name', 'description', 'model', 'checks', 'sink']);

/**
 * Digests that identify runs: the settings of a pipeline, with the contents of all named files instead of their paths.
 * Each file is read once.
 */
class RunDigests {
  readonly #made: Readonly<Record<string, unknown>>;
  readonly #files = new Map<string, string>();

  /** @param made other things on which results depend, such as the kernel and the version */
  constructor(made: Readonly<Record<string, unknown>>) {
    this.#made = made;
  }

  /** Returns `sha256:` and 64 digits. */
  async of({ config, baseDirectory }: Pipeline): Promise<string> {
    const parts = Object.entries(config).filter(([key]) => !elsewhere.has(key));
    const parted = Object.fromEntries([...parts, ...kindOfModel(config)]);
    const settings = await this.#withContents(parted, baseDirectory);
    const text = JSON.stringify(sorted({ made: this.#made, settings }));
    return `sha256:${createHash('sha256').update(text).digest('hex')}`;
  }

  async #withContents(value: unknown, folder: string): Promise<unknown> {
    if (typeof value === 'string') return (await this.#content(resolve(folder, value))) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await this.#withContents(item, folder));
      return items;
    }
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      entries.push([key, key === 'checkpoint' ? null : await this.#withContents(item, folder)]);
    }
    return Object.fromEntries(entries);
  }

  /** Returns the digest of a file; undefined if it is missing. */
  async #content(path: string): Promise<string | undefined> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    if (path.includes('\0') || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
    const hash = createHash('sha256');
    await pump(createReadStream(path), hash);
    const digest = `file:${hash.digest('hex')}`;
    this.#files.set(path, digest);
    return digest;
  }
}

/** Returns the settings of a model, such as its scorer and structure, except its file; undefined for the default. */
function kindOfModel(config: Readonly<Record<string, unknown>>): [string, unknown][] {
  const { structure, ...choice } = modelChoice(config.model as ModelSection);
  const kind = Object.entries({
    ...choice,
    ...columnsSpecOf(structure),
    ...(structure.structure === 'segments'
      ? {
          maxLength: structure.maxLength ?? 'default',
          features: structure.segmentFeatures ?? 'default',
        }
      : {}),
    ...(structure.structure === 'graph' ? { graph: graphSpecOf(structure) } : {}),
  }).filter(([, value]) => value !== undefined);
  return kind.length === 0 ? [] : [['model', Object.fromEntries(kind)]];
}

/** Returns the value with the keys of all objects sorted. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The names that identify a run for readers of the file. */
interface RunNames {
  readonly study: string;
  readonly row: string;
  readonly column: string | undefined;
  readonly seed: number;
}

interface Line extends RunMeasures {
  readonly digest: string;
}

/**
 * The results of finished runs, one line of JSON each, so that a stopped study can resume. Incomplete
 * lines, which a killed process may leave at the end, are skipped.
 */
class ResultsFile {
  readonly path: string;
  readonly #lines = new Map<string, Line[]>();
  #torn = false;

  /**
   * Reads existing results.
   *
   * @throws TagstreamError `file` if an existing file cannot be read, such as a pipe
   */
  constructor(path: string) {
    this.path = path;
    refusePipe('write', path, 'name a regular file: results are appended to it');
    let text = '';
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError('read', path, cause);
    }
    this.#torn = text !== '' && !text.endsWith('\n');
    for (const line of text.split('\n')) this.#note(lineOf(line));
  }

  /** Returns the results of a run if they include everything to be measured, including its course. */
  find(
    digest: string,
    measured: Iterable<string>,
    more: { readonly inCourse?: Iterable<string> | undefined; readonly counted?: boolean } = {},
  ) {
    const { inCourse, counted = false } = more;
    const has = (values: Values, names: Iterable<string>) =>
      [...names].every(name => Object.hasOwn(values, name));
    return this.#lines
      .get(digest)
      ?.findLast(
        ({ values, times, course, counts, diverged }) =>
          diverged !== undefined ||
          (has({ ...values, ...times }, measured) &&
            (!counted || counts !== undefined) &&
            (inCourse === undefined ||
              (course.length > 0 && course.every(point => has(point.values, inCourse))))),
      );
  }

  /** @throws TagstreamError `file` if it cannot be written */
  add(digest: string, measures: RunMeasures, names: RunNames): void {
    const line = JSON.stringify({ digest, ...names, ...measures });
    try {
      makeDirectory(dirname(this.path));
      appendFileSync(this.path, `${this.#torn ? '\n' : ''}${line}\n`);
    } catch (cause) {
      throw fileError('write', this.path, cause);
    }
    this.#torn = false;
    this.#note({ digest, ...measures });
  }

  #note(line: Line | undefined): void {
    if (line === undefined) return;
    const known = this.#lines.get(line.digest);
    if (known === undefined) this.#lines.set(line.digest, [line]);
    else known.push(line);
  }
}

function lineOf(text: string): Line | undefined {
  try {
    const { digest, values, times, course, counts, diverged } = JSON.parse(text) as Partial<Line>;
    const whole = isValues(values) && isValues(times) && isCourse(course);
    if (typeof digest !== 'string' || !whole) return undefined;
    return {
      ...{ digest, values, times, course },
      ...(isTestCounts(counts) ? { counts } : {}),
      ...(typeof diverged === 'string' ? { diverged } : {}),
    };
  } catch {
    return undefined;
  }
}

function isValues(values: unknown): values is Values {
  if (typeof values !== 'object' || values === null) return false;
  return Object.values(values).every(value => value === null || typeof value === 'number');
}

function isCourse(course: unknown): course is CoursePoint[] {
  return (
    Array.isArray(course) &&
    course.every(point => isValues(point?.values) && isValues(point?.times))
  );
}

/** The measures to take, and how to run the training. */
interface MeasureOptions extends Pick<RunOptions, 'kernel' | 'signal'> {
  readonly measured: ReadonlySet<QuantityName>;
  readonly course?:
    | { readonly measure: readonly QuantityName[]; readonly every: number }
    | undefined;
  readonly events?: RunEvents;
  /** Whether to count the sentences of the test data one by one. */
  readonly counted?: boolean;
}

/**
 * Trains a pipeline as `tagstream train` does, and measures the result. Writes nothing.
 *
 * @returns the measures, without values if the training diverged; undefined if it was stopped
 * @throws TagstreamError the other errors of training
 */
export async function measureRun(
  pipeline: Pipeline,
  { measured, course, events = {}, counted = false, ...run }: MeasureOptions,
): Promise<RunMeasures | undefined> {
  const clock = new TrainingClock();
  const points: CoursePoint[] = [];
  const inCourse = new Set<QuantityName>(course?.measure);
  let training: TrainingParts | undefined;
  let corpus: readonly EncodedSentence[] | undefined;
  let evaluator: HeldOutEvaluator | undefined;
  let last: TrainingStep | undefined;
  let passes = 0;
  let times: Values = {};
  const measureNow = (step: TrainingStep) => {
    const scores = evaluator?.evaluate();
    const given = { pipeline, training: training!, corpus, wanted: inCourse };
    return measureModel({ ...given, step, passes, scores });
  };
  const { test } = pipeline;
  const observer: TrainingObserver = {
    async onTrainee(observed) {
      training = observed;
      if (test === undefined || !hasScores(inCourse)) return;
      const sentences = await readSentences(test, observed.reading);
      const rank = hasRanks(inCourse) ? rankLimit : undefined;
      evaluator = new HeldOutEvaluator(observed.trainee.learner, sentences, { rank });
    },
    onSettled: settled => {
      corpus = settled;
    },
  };
  const tagged: TaggedTest[] = [];
  const options: RunOptions = {
    ...run,
    ...(hasRanks(measured) ? { rank: rankLimit } : {}),
    ...(counted
      ? { onScored: ({ tokens, tags: gold }, tags) => tagged.push({ tokens, gold: gold!, tags }) }
      : {}),
    deadLetters: unkeptRecords(pipeline),
    events: {
      ...events,
      onCorpus: sentences => {
        events.onCorpus?.(sentences);
        clock.restart();
      },
      onStep: step => {
        if (step.passEnd !== undefined) {
          times = clock.pause();
          passes = step.passEnd;
          if (course !== undefined && passes % course.every === 0) {
            points.push({ values: { passes, ...measureNow(step) }, times });
          }
        }
        events.onStep?.(step);
        // A step keeps its minibatch alive; only the numbers of the last step are needed.
        last = step;
        if (step.passEnd !== undefined) clock.goOn();
      },
    },
  };
  let result: Awaited<ReturnType<typeof observedRun>>;
  try {
    result = await observedRun(pipeline, options, { observer });
  } catch (thrown) {
    const diverged = divergenceOf(thrown);
    if (diverged === undefined) throw thrown;
    return { values: {}, times: {}, course: points, diverged };
  }
  if (result.stopped || training === undefined || last === undefined) return undefined;
  if (pipeline.train?.epochs === undefined) {
    times = clock.pause();
    passes = 1;
  }
  const scores = result.test;
  const wanted = new Set([...measured].filter(name => quantityOf(name).varies !== true));
  const values = measureModel({
    pipeline,
    ...{ training, corpus },
    wanted,
    step: last,
    passes,
    scores,
    finished: true,
  });
  return { values, times, course: points, ...(counted ? { counts: testCounts(tagged) } : {}) };
}

function hasScores(names: ReadonlySet<QuantityName>): boolean {
  return [...names].some(name => quantityOf(name).score === true);
}

function hasRanks(names: ReadonlySet<QuantityName>): boolean {
  return ofRanks.some(name => names.has(name));
}

/** Measures the wall and processor time of training alone; paused during other work. */
class TrainingClock {
  #wall = performance.now();
  #cpu = process.cpuUsage();
  #seconds = 0;
  #cpuSeconds = 0;

  /** Restarts the clock from zero. */
  restart(): void {
    this.#seconds = 0;
    this.#cpuSeconds = 0;
    this.goOn();
  }

  /** Stops the clock and returns the time so far. */
  pause(): { readonly seconds: number; readonly cpu: number } {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#seconds += (performance.now() - this.#wall) / 1e3;
    this.#cpuSeconds += (user + system) / 1e6;
    this.goOn();
    return { seconds: this.#seconds, cpu: this.#cpuSeconds };
  }

  /** Resumes the clock. */
  goOn(): void {
    this.#wall = performance.now();
    this.#cpu = process.cpuUsage();
  }
}
