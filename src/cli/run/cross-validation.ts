import { describeSchemes } from '../../engine/text/tags/detect-scheme.js';
import { requireApart } from '../../formats/files/require-apart.js';
import { evaluationPage, foldRows, labelRows } from '../../reports/evaluation/evaluation-page.js';
import { textTable } from '../../reports/figures.js';
import { textReport } from '../../reports/text-report.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { learns } from '../../runtime/pipeline/definition/pipeline.js';
import { pipelineFiles } from '../../runtime/pipeline/definition/pipeline-files.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import { crossValidate } from '../../runtime/pipeline/run/folds/cross-validate.js';
import { requirePageFile } from '../files/require-files.js';
import type { KernelArguments } from '../options/computing-options.js';
import type { LogArguments, ShutdownArguments } from '../options/operation-options.js';
import { formatScores } from '../report/format-scores.js';
import type { Reporting } from '../report/reporting.js';
import { printJson, printText } from '../report/terminal.js';
import { stopSignal } from '../signals/stop-signal.js';

/** Arguments of `crossval`. */
export interface CrossValidationArguments extends KernelArguments, LogArguments, ShutdownArguments {
  readonly pipeline: string;
  readonly folds: number;
  readonly seed: number;
  readonly run?: number | undefined;
  readonly workers: number;
  readonly grid?: readonly string[] | undefined;
  /** Path of the pipeline file with the chosen penalties, and whether to replace it. */
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
  readonly set?: readonly string[] | undefined;
  readonly report?: 'short' | 'full' | undefined;
  readonly json?: boolean | undefined;
  readonly html?: string | undefined;
}

/** Maximum number of sentences with errors on the page. */
const shownErrors = 200;

/**
 * Trains and scores a pipeline fold by fold, and prints the spread over the folds; progress is
 * logged.
 */
export async function crossValidateFile(
  given: CrossValidationArguments,
  report: Reporting,
): Promise<void> {
  const { folds, seed, set, workers, kernel, html } = given;
  requirePageFile(html);
  const page = html === undefined ? [] : [{ path: html, what: 'the page' }];
  const asked = loadPipeline(given.pipeline, { set: set ?? [] });
  const { reads } = pipelineFiles(asked);
  requireApart({ reads, writes: page });
  const columns = learns(asked) ? Object.keys(asked.plan.columns?.options ?? {}) : [];
  if (columns.length > 0) {
    report.log.warn(
      `the tags are cross-validated, on the tokens of the records; the columns ${columns.join(', ')} are neither learned nor scored`,
    );
  }
  const stop = stopSignal(report, given.shutdownTimeout);
  try {
    const validated = await crossValidate(given.pipeline, {
      ...{ folds, seed, run: given.run, set, workers, kernel },
      ...{ signal: stop.signal, errors: shownErrors },
      onFold: (fold, scores) =>
        report.log.info(`fold ${fold}/${folds}: ${formatScores(scores)}`, { fold, scores }),
      onDiverged: (fold, reason) =>
        report.log.warn(`fold ${fold}/${folds}: ${reason}; no figure covers it`, {
          ...{ fold, diverged: reason },
        }),
    });
    if (validated === undefined) {
      report.log.info('stopped before the last fold; no results are kept');
      return;
    }
    const { pipeline, result, evaluation, run, diverged } = validated;
    if (given.json === true) {
      printJson({ name: pipeline.name, seed, run, diverged, ...result });
    } else {
      const tables = [foldRows(result), labelRows(result)].map(textTable);
      printText(tables.join('\n'));
      const { schemes } = result.pooled;
      if (schemes !== undefined) printText(`${describeSchemes(schemes)}\n`);
      for (const { fold } of diverged) printText(`fold ${fold} diverged: no figure covers it\n`);
      if (given.report === 'full') printText(`\n${textReport(result.pooled)}`);
    }
    if (html === undefined) return;
    const named = {
      model: pipeline.name,
      gold: `${folds} folds${diverged.length === 0 ? '' : ` (${diverged.length} diverged)`}${run === 1 ? '' : ` of runs of ${run} records`}, seed ${seed}`,
    };
    const shown = { ...named, report: result.pooled, evaluation, folds: result };
    await writeWhole(html, evaluationPage(shown), stop);
  } finally {
    stop.dispose();
  }
}
