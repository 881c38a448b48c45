import { TagstreamError } from '../../engine/core/errors.js';
import { kernels } from '../../engine/models/kernels.js';
import { requireApart } from '../../formats/files/require-apart.js';
import { readPipesAhead } from '../../formats/reading/read-bytes.js';
import { studyPage } from '../../reports/study/study-page.js';
import { studyText } from '../../reports/study/study-text.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { pipelineFiles } from '../../runtime/pipeline/definition/pipeline-files.js';
import { loadStudy } from '../../studies/load-study.js';
import { quantities, type RunMeasures } from '../../studies/measures/quantities.js';
import { resultsOf, runStudy } from '../../studies/run-study.js';
import { figureOf, shownStudyOf } from '../../studies/shown/shown-study-of.js';
import { measureOf, summaryOf } from '../../studies/study-results.js';
import { type Study, type StudyRun, variantName } from '../../studies/study-schema.js';
import { requirePageFile } from '../files/require-files.js';
import type { KernelArguments } from '../options/computing-options.js';
import type {
  LogArguments,
  MetricsArguments,
  ShutdownArguments,
} from '../options/operation-options.js';
import type { Reporting } from '../report/reporting.js';
import { printJson, printText } from '../report/terminal.js';
import { TrainingReport } from '../report/training-report.js';
import { stopSignal } from '../signals/stop-signal.js';
import { version } from '../version.js';

/** Arguments of `study`. */
export interface StudyArguments
  extends KernelArguments,
    LogArguments,
    MetricsArguments,
    ShutdownArguments {
  readonly study: string;
  readonly set?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly small?: boolean | undefined;
  readonly results?: string | undefined;
  readonly fresh?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly html?: string | undefined;
}

/** Runs a study file, and prints the results; progress is logged. */
export async function studyFromFile(given: StudyArguments, report: Reporting): Promise<void> {
  requirePageFile(given.html);
  await readPipesAhead([given.study]);
  const study = loadStudy(given.study, {
    set: given.set ?? [],
    only: given.only ?? [],
    small: given.small ?? false,
  });
  requireStudyApart(study, given);
  if (given.dryRun === true) {
    for (const run of study.runs) printText(`${nameOf(run, study)}\n`);
    return;
  }
  const { log } = report;
  const total = study.runs.length;
  const stop = stopSignal(report, given.shutdownTimeout);
  let training: TrainingReport | undefined;
  try {
    const runs = await runStudy(study, {
      ...(given.kernel === undefined ? {} : { kernel: kernels[given.kernel] }),
      results: given.results,
      fresh: given.fresh,
      version: version(),
      signal: stop.signal,
      status: report.status,
      onBegin(run, index) {
        log.info(`${index + 1}/${total}  ${nameOf(run, study)}`, { ...fieldsOf(run), total });
        let corpusSize: number | undefined;
        training = new TrainingReport({
          epochs: run.pipeline.train?.epochs,
          seeds: run.pipeline.train?.seeds,
          corpusSize: () => corpusSize,
          plain: given.json === true || given.log === 'json' || given.logLevel !== 'info',
          log,
        });
        return {
          ...training.events,
          onCorpus: size => {
            corpusSize = size;
          },
        };
      },
      onDone(run, measures, known, index) {
        training?.end();
        const values = Object.entries({ ...measures.values, ...measures.times });
        const { diverged } = measures;
        const text = diverged ?? (known ? 'known already' : briefly(measures, study));
        const note = diverged === undefined ? log.info : log.warn;
        note.call(log, `${index + 1}/${total}  ${nameOf(run, study)}: ${text}`, {
          ...{ ...fieldsOf(run), known },
          ...Object.fromEntries(values),
        });
      },
    });
    const shown = shownStudyOf(study, runs);
    const finished = runs.map(({ run, measures: { counts: _, ...measures } }) => ({
      ...fieldsOf(run),
      ...measures,
    }));
    if (given.json === true) {
      printJson({
        name: shown.name,
        small: study.small,
        runs: finished,
        tables: shown.tables,
        ...(shown.significance === undefined ? {} : { significance: shown.significance }),
        expectations: shown.expectations,
      });
    } else printText(studyText(shown));
    if (given.html !== undefined) await writeWhole(given.html, studyPage(shown), stop);
    if (runs.length < total) {
      const file = given.results ?? resultsOf(study);
      log.info(`stopped: run the same command again to continue; ${file} has the finished runs`, {
        file,
      });
      return;
    }
    requireMet(shown.expectations.filter(({ met }) => met === false).length);
  } finally {
    training?.end();
    stop.dispose();
  }
}

/** @throws TagstreamError `usage`, `config` for a file that is both read and written */
function requireStudyApart(study: Study, { results, html }: StudyArguments): void {
  const place = { source: study.file };
  const ofRuns = study.runs.flatMap(({ pipeline }) => pipelineFiles(pipeline).reads);
  requireApart({
    reads: [{ path: study.file, what: 'the study file', place }, ...ofRuns],
    writes: [
      results === undefined
        ? { path: resultsOf(study), what: 'the file of results', place }
        : { path: results, what: 'the file of results' },
      ...(html === undefined ? [] : [{ path: html, what: 'the page' }]),
    ],
  });
}

/** @throws TagstreamError `stage` */
function requireMet(missed: number): void {
  if (missed === 0) return;
  throw new TagstreamError('stage', `expected results not met: ${missed}`, {
    fix: 'see the lines that start with NO',
  });
}

function nameOf({ row, column, seed }: StudyRun, study: Study): string {
  const alone = study.runs.every(run => run.seed === seed);
  return `${variantName(row, column)}${alone ? '' : `, seed ${seed}`}`;
}

function fieldsOf({ row, column, seed }: StudyRun) {
  return { row, ...(column === undefined ? {} : { column }), seed };
}

function briefly(measures: RunMeasures, { measured }: Study): string {
  return quantities
    .flatMap(quantity => {
      const value = measureOf(measures, quantity.name);
      if (value === undefined || !(measured.has(quantity.name) || quantity.name === 'seconds'))
        return [];
      return [`${quantity.title} ${figureOf(quantity, summaryOf([value]))}`];
    })
    .join('  ');
}
