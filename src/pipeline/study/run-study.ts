import { resolve } from 'node:path';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { RunEvents } from '../definition/events.js';
import { requireFiles } from '../definition/require-files.js';
import { measureRun } from './measures/measure-run.js';
import { quantityOf } from './measures/quantities.js';
import type { RunMeasures } from './measures/run-measures.js';
import { ResultsFile } from './results-file.js';
import { RunDigests } from './run-digests.js';
import type { Study, StudyRun } from './study.js';

/** Options for the runs of a study. */
export interface StudyRunOptions {
  /** File of results, in place of the one that the study says; from the working directory. */
  readonly results?: string | undefined;
  /** Runs everything again. */
  readonly fresh?: boolean | undefined;
  readonly kernel?: Kernel | undefined;
  /** Of the program: results of another one are not used. */
  readonly version?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Before a run is made; what it reports. */
  readonly onBegin?: (run: StudyRun, index: number) => RunEvents | undefined;
  /** After a run, or when its results were there already. */
  readonly onDone?: (run: StudyRun, measures: RunMeasures, known: boolean, index: number) => void;
}

/** A run and its measurements. */
export interface MeasuredRun {
  readonly run: StudyRun;
  readonly measures: RunMeasures;
}

/**
 * Executes the runs of a study in sequence. Finished runs are kept in a file, so that a stopped or extended
 * study continues with the remaining ones.
 *
 * @returns the runs that are finished: fewer than all where `signal` has ended it
 * @throws TagstreamError `file`, and whatever ends a training
 */
export async function runStudy(study: Study, options: StudyRunOptions): Promise<MeasuredRun[]> {
  requireArgument('runStudy: the study', study, kinds.study);
  requireKnown('runStudy', options, [
    ...['results', 'fresh', 'kernel', 'version', 'signal', 'onBegin', 'onDone'],
  ]);
  for (const { pipeline } of study.runs) await requireFiles(pipeline);
  const { course, name } = study.options;
  const file = new ResultsFile(options.results ?? resultsOf(study));
  const digests = new RunDigests({
    version: options.version ?? null,
    kernel: options.kernel === undefined ? null : kernelName(options.kernel),
    every: course?.every ?? null,
  });
  const measured: MeasuredRun[] = [];
  for (const [index, run] of study.runs.entries()) {
    if (options.signal?.aborted === true) break;
    const digest = await digests.of(run.pipeline);
    const inCourse = course?.measure.filter(quantity => quantityOf(quantity).varies !== true);
    const known = options.fresh === true ? undefined : file.find(digest, wanted(study), inCourse);
    let measures: RunMeasures | undefined = known;
    if (measures === undefined) {
      const events = options.onBegin?.(run, index);
      measures = await measureRun(run.pipeline, {
        ...{ measured: study.measured, course },
        ...(options.kernel === undefined ? {} : { kernel: options.kernel }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(events === undefined ? {} : { events }),
      });
      if (measures === undefined) break;
      const { row, column, seed } = run;
      file.add(digest, measures, { study: name, row, column, seed });
    }
    measured.push({ run, measures });
    options.onDone?.(run, measures, known !== undefined, index);
  }
  return measured;
}

/** The file of results that a study says, or the one beside it. */
export function resultsOf({ baseDirectory, options: { results, name } }: Study): string {
  return resolve(baseDirectory, results ?? `${name}.results.ndjson`);
}

function wanted({ measured }: Study): readonly string[] {
  return [...measured];
}

function kernelName({ name, precision }: Kernel): string {
  return `${name} ${precision}`;
}
