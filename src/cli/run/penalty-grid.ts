import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import { TagstreamError } from '../../engine/core/errors.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import { requireApart } from '../../formats/files/require-apart.js';
import { readBytes } from '../../formats/reading/read-bytes.js';
import { points, textTable } from '../../reports/figures.js';
import type { ShownAxis, ShownPoint } from '../../reports/study/shown-study.js';
import { studyPage } from '../../reports/study/study-page.js';
import { atomicWrite } from '../../runtime/io/writing/atomic-write.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { pipelineFiles } from '../../runtime/pipeline/definition/pipeline-files.js';
import { changedYaml } from '../../runtime/pipeline/file/changed-yaml.js';
import { parseYaml } from '../../runtime/pipeline/file/yaml-document.js';
import { loadPipeline, parsePipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import {
  crossValidateGrid,
  type GridSetting,
  gridSettings,
  type PenaltyGrid,
  type PenaltyName,
  type PenaltyValues,
} from '../../runtime/pipeline/run/folds/penalty-grid.js';
import { requirePageFile } from '../files/require-files.js';
import { formatScores } from '../report/format-scores.js';
import type { Reporting } from '../report/reporting.js';
import { printJson, printText } from '../report/terminal.js';
import { stopSignal } from '../signals/stop-signal.js';
import type { CrossValidationArguments } from './cross-validation.js';

/** Cross-validates each combination of penalties, and reports which to use; progress is logged. */
export async function choosePenalties(
  given: CrossValidationArguments,
  report: Reporting,
): Promise<void> {
  const { folds, seed, run, workers, kernel, set = [], out } = given;
  const grid = parseGrid(given.grid!);
  const count = gridSettings(grid).length;
  if (given.report !== undefined) {
    throw new TagstreamError('usage', '--report cannot be combined with --grid', {
      fix: 'leave --report out, and run crossval with the chosen penalties to get one',
    });
  }
  requirePageFile(given.html);
  requireOut(given);
  const pipeline = loadPipeline(given.pipeline, { set });
  const writes = [
    ...(out === undefined ? [] : [{ path: out, what: 'the pipeline file with the penalties' }]),
    ...(given.html === undefined ? [] : [{ path: given.html, what: 'the page' }]),
  ];
  requireApart({ reads: pipelineFiles(pipeline).reads, writes });
  const stop = stopSignal(report, given.shutdownTimeout);
  try {
    const result = await crossValidateGrid(given.pipeline, {
      ...{ grid, set, folds, seed, run, workers, kernel, signal: stop.signal },
      onFold: (fold, scores, setting) =>
        report.log.info(`${setting + 1}/${count}, fold ${fold}/${folds}: ${formatScores(scores)}`, {
          ...{ setting: setting + 1, fold, scores },
        }),
      onDiverged: (fold, reason, setting) =>
        report.log.warn(`${setting + 1}/${count}, fold ${fold}/${folds}: ${reason}`, {
          ...{ setting: setting + 1, fold, diverged: reason },
        }),
    });
    if (result === undefined) {
      report.log.info('stopped before the last fold; no results are kept');
      return;
    }
    const text = new TextDecoder().decode(readBytes(given.pipeline));
    const changed = changedYaml(text, [...set, ...result.set]);
    if (given.json === true) printJson({ name: pipeline.name, ...result });
    else printText(gridText(result, changed));
    if (out !== undefined) {
      parsePipeline(changed, out);
      atomicWrite(out, changed);
    }
    if (given.html === undefined) return;
    await writeWhole(given.html, gridPage(pipeline.name, result, folds), stop);
  } finally {
    stop.dispose();
  }
}

/**
 * Parses the values of `--grid`, each of which is a penalty with its values.
 *
 * @throws TagstreamError `usage`
 * @example
 * parseGrid(['l1=0,0.5', 'l2=1']) // => { l1: [0, 0.5], l2: [1] }
 */
export function parseGrid(texts: readonly string[]): PenaltyValues {
  const grid: Record<string, number[]> = {};
  const refuse = (text: string, problem: string) =>
    new TagstreamError('usage', `--grid ${text}: ${problem}`, {
      fix: 'write a penalty and its values, as --grid l1=0,0.5,1 --grid l2=0.01',
    });
  for (const text of texts) {
    const [, name, values] = /^\s*(l1|l2)\s*=(.*)$/s.exec(text) ?? [];
    if (name === undefined) throw refuse(text, 'this is neither l1 nor l2 with values');
    if (grid[name] !== undefined) throw refuse(text, `${name} occurs twice`);
    grid[name] = values!.split(',').map(part => {
      const value = part.trim() === '' ? Number.NaN : Number(part);
      if (!(Number.isFinite(value) && value >= 0)) {
        throw refuse(text, `"${part.trim()}" is not a penalty`);
      }
      return value;
    });
  }
  return grid;
}

/** @throws TagstreamError `usage` for an unusable pipeline file path */
function requireOut({ out, force, pipeline }: CrossValidationArguments): void {
  if (out === undefined) return;
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('usage', problem, { fix });
  };
  if (out === '-') refuse('--out - would mix the pipeline with the scores', 'name a file');
  if (dirname(resolve(out)) !== dirname(resolve(pipeline))) {
    refuse(
      `--out ${out} is in another folder than ${pipeline}`,
      'name a file in the folder of the pipeline file: its paths are relative to that folder',
    );
  }
  if (force !== true && existsSync(out)) {
    refuse(`${out} already exists`, 'give another name with --out, or replace it with --force');
  }
}

/**
 * Formats the choice in words, a table of all settings, and the pipeline file line with the chosen
 * setting.
 */
function gridText(result: PenaltyGrid, changed: string): string {
  const { heads, rows, failed } = gridTable(result);
  return `${textTable([[...heads, ''], ...rows, ...failed])}
${choiceText(result)}
${optimizeLine(changed)}`;
}

function gridTable({ score, settings, diverged, best, chosen }: PenaltyGrid) {
  const heads = [
    ...Object.keys(chosen.penalties),
    score === 'f1' ? 'F1' : 'accuracy',
    'std error',
    'weights',
  ];
  const rows = settings.map(setting => [
    ...Object.values(setting.penalties).map(String),
    ...[points(setting.score.mean), points(setting.standardError)],
    grouped(Math.round(setting.active.mean!)),
    setting === chosen ? 'chosen' : setting === best ? 'best' : '',
  ]);
  const failed = diverged.map(({ penalties }) => [
    ...Object.values(penalties).map(String),
    ...['', '', '', 'diverged'],
  ]);
  return { heads, rows, failed };
}

function choiceText({ best, chosen }: PenaltyGrid): string {
  const rule =
    best === chosen
      ? 'The best is the strongest within one standard error'
      : 'The strongest within one standard error of the best';
  return `${rule}: ${nameOf(chosen)}`;
}

function nameOf({ penalties }: Pick<GridSetting, 'penalties'>): string {
  return Object.entries(penalties)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** Returns the `optimize` stage of a pipeline file, on one line. */
function optimizeLine(text: string): string {
  const { stages } = parseYaml(text, 'the pipeline').value as {
    stages: readonly { readonly optimize?: unknown }[];
  };
  const { optimize } = stages.find(stage => stage.optimize !== undefined)!;
  return `- optimize: ${stringify(optimize, { collectionStyle: 'flow', lineWidth: 0 })}`;
}

/** Ratio of the largest to the smallest penalty above which the penalty axis is logarithmic. */
const wide = 20;

/**
 * Renders the results of the grid as a page: scores and active weights by the first penalty, with
 * one line per value of the second.
 */
function gridPage(name: string, result: PenaltyGrid, folds: number): string {
  const { settings, score, chosen } = result;
  const [x, other] = axesOf(settings);
  const positive = settings.map(({ penalties }) => penalties[x]!).filter(value => value > 0);
  const log = Math.max(...positive) >= wide * Math.min(...positive);
  const shown = settings.filter(({ penalties }) => !log || penalties[x]! > 0);
  const lineOf = ({ penalties }: GridSetting) =>
    other === undefined ? name : `${other} ${penalties[other]}`;
  const plot = (y: ShownAxis, of: (setting: GridSetting) => Pick<ShownPoint, 'y' | 'error'>) => ({
    title: `${y.title} by ${x}`,
    ...{ x: { title: x, digits: 6, log }, y },
    lines: [...new Set(shown.map(lineOf))].map(line => ({
      name: line,
      points: shown
        .filter(setting => lineOf(setting) === line)
        .map(setting => ({ name: nameOf(setting), x: setting.penalties[x]!, ...of(setting) }))
        .sort((a, b) => a.x - b.x),
    })),
    ...(shown.includes(chosen)
      ? { marks: [{ x: chosen.penalties[x]!, label: 'chosen', name: nameOf(chosen) }] }
      : {}),
  });
  const { heads, rows, failed } = gridTable(result);
  const names = Object.keys(chosen.penalties).length;
  return studyPage({
    ...{ by: 'crossval', name, title: `Penalties of ${name}` },
    runs: `${choiceText(result)}. ${settings.length} settings, ${folds} folds, seed ${result.seed}.`,
    tables: [
      {
        title: 'Settings',
        heads: [...heads.slice(names), ''].map(head => ({ name: head, compared: false })),
        rows: [...rows, ...failed].map((cells, i) => ({
          name: nameOf(settings[i] ?? result.diverged[i - rows.length]!),
          cells: cells.slice(names).map(measured => ({ measured })),
        })),
        ...(shown.length < settings.length
          ? { note: `The plots leave out ${x} 0, which has no place on a logarithmic axis.` }
          : {}),
      },
    ],
    plots: [
      plot(
        { title: score === 'f1' ? 'F1' : 'accuracy', digits: 2, log: false },
        ({ score: { mean }, standardError }) => ({ y: mean!, error: standardError }),
      ),
      plot({ title: 'active weights', digits: 0, log: false }, ({ active }) => ({
        y: active.mean!,
      })),
    ],
    ...{ expectations: [], notes: [] },
  });
}

/** Returns the penalty of the axis, which has several values, followed by the other one. */
function axesOf(settings: readonly GridSetting[]): [PenaltyName, PenaltyName | undefined] {
  const names = Object.keys(settings[0]!.penalties) as PenaltyName[];
  const varies = (name: PenaltyName) =>
    settings.some(({ penalties }) => penalties[name] !== settings[0]!.penalties[name]);
  const x = names.find(varies)!;
  return [x, names.find(name => name !== x)];
}
