import { TagstreamError } from '../../engine/core/errors.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import { kernels } from '../../engine/models/kernels.js';
import { requireApart } from '../../formats/files/require-apart.js';
import { readPipesAhead } from '../../formats/reading/read-bytes.js';
import { learningCurvePage } from '../../reports/evaluation/learning-curve.js';
import { points, textTable } from '../../reports/figures.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { pipelineFiles } from '../../runtime/pipeline/definition/pipeline-files.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import { type CurveSize, learnCurve } from '../../runtime/pipeline/run/learn-curve.js';
import { requirePageFile } from '../files/require-files.js';
import type { KernelArguments } from '../options/computing-options.js';
import type { LogArguments, ShutdownArguments } from '../options/operation-options.js';
import { formatScores } from '../report/format-scores.js';
import type { Reporting } from '../report/reporting.js';
import { printJson, printText } from '../report/terminal.js';
import { stopSignal } from '../signals/stop-signal.js';

/** Arguments of `curve`. */
export interface CurveArguments extends KernelArguments, LogArguments, ShutdownArguments {
  readonly pipeline: string;
  readonly sizes: string;
  readonly set?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly html?: string | undefined;
}

/** Trains on growing parts of the data, and prints the scores; progress is logged. */
export async function learningCurve(given: CurveArguments, report: Reporting): Promise<void> {
  const sizes = parseSizes(given.sizes);
  requirePageFile(given.html);
  await readPipesAhead([given.pipeline]);
  const pipeline = loadPipeline(given.pipeline, { set: given.set ?? [] });
  const page = given.html === undefined ? [] : [{ path: given.html, what: 'the page' }];
  requireApart({ reads: pipelineFiles(pipeline).reads, writes: page });
  const stop = stopSignal(report, given.shutdownTimeout);
  try {
    const curve = await learnCurve(pipeline, {
      sizes,
      ...(given.kernel === undefined ? {} : { kernel: kernels[given.kernel] }),
      signal: stop.signal,
      onPoint: ({ records, scores }) => {
        report.log.info(`${grouped(records)} records: ${formatScores(scores)}`, {
          records,
          scores,
        });
      },
      onDiverged: ({ records, reason }) =>
        report.log.warn(`${grouped(records)} records: ${reason}`, { records, diverged: reason }),
    });
    if (given.json === true) printJson(curve);
    else {
      const spans = curve.points.some(({ scores }) => scores.f1 !== undefined);
      const rows = curve.points.map(({ records, scores: { accuracy, f1 } }) => [
        grouped(records),
        points(accuracy),
        ...(spans ? [f1 === undefined ? '' : points(f1)] : []),
      ]);
      for (const { records } of curve.diverged ?? []) {
        rows.push([grouped(records), 'diverged', ...(spans ? [''] : [])]);
      }
      printText(textTable([['records', 'accuracy', ...(spans ? ['F1'] : [])], ...rows]));
    }
    const isEmpty = curve.points.length === 0;
    if (given.html !== undefined && !isEmpty) {
      await writeWhole(given.html, learningCurvePage(curve), stop);
    }
  } finally {
    stop.dispose();
  }
}

/**
 * Parses the sizes of `--sizes`, such as `10%,500`.
 *
 * @throws TagstreamError `usage` for any size other than a share above 0 and up to 100 %, or a
 * positive number of records
 * @example
 * parseSizes('10%, 500') // => [{ share: 0.1 }, { records: 500 }]
 */
export function parseSizes(text: string): CurveSize[] {
  return text.split(',').map(part => {
    const [, digits, sign] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(part.trim()) ?? [];
    const number = Number(digits);
    if (sign === '%' && number > 0 && number <= 100) return { share: number / 100 };
    if (sign === '' && Number.isSafeInteger(number) && number >= 1) return { records: number };
    throw new TagstreamError('usage', `--sizes ${text}: "${part.trim()}" is not a size`, {
      fix: 'give shares or numbers of records, such as 10%,25%,50%,100% or 500,1000',
    });
  });
}
