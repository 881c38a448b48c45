import { dirname, resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { requireKnown } from '../../core/schema/require-known.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { Checker } from '../file/check.js';
import { Substituted } from '../file/substituted.js';
import { type Path, parseYaml } from '../file/yaml-document.js';
import type { LoadOptions } from '../loading/load-pipeline.js';
import { checkNames } from './check-names.js';
import { measuredOf } from './measured-of.js';
import { requireMeasurable } from './require-measurable.js';
import { type Study, type StudyRun, variantName } from './study.js';
import { studySchema } from './study-schema.js';
import { VariantPipelines } from './variant-pipelines.js';

/** Options for reading a study file. */
export interface StudyOptions extends Pick<LoadOptions, 'environment'> {
  /** `path=value` settings of all runs, after all others. */
  readonly set?: readonly string[];
  /** As its section `small` says. */
  readonly small?: boolean;
  /** Only these: names of rows, of columns, or row/column. */
  readonly only?: readonly string[];
}

/**
 * Reads and checks a study file and the pipelines of all its runs. Nothing is run.
 *
 * @throws TagstreamError `file`, `usage` (an unknown variant, a wrong setting) or `config`, with line and
 *   column
 */
export function loadStudy(file: string, options: StudyOptions = {}): Study {
  requireArgument('loadStudy: the file', file, kinds.text);
  return parseStudy(new TextDecoder().decode(readBytes(file)), file, options);
}

/**
 * Parses a study from the text of a file. Relative paths start at the folder of `file`.
 *
 * @throws TagstreamError as `loadStudy`
 */
export function parseStudy(text: string, file: string, options: StudyOptions = {}): Study {
  requireArgument('parseStudy: the text', text, kinds.text);
  requireArgument('parseStudy: the file', file, kinds.text);
  requireKnown('parseStudy', options, ['environment', 'set', 'small', 'only']);
  const yaml = parseYaml(text, file);
  const checker = new Checker(yaml);
  checker.requireContents('pipelines/studies has some to start from');
  const checked = checker.parseSubstituted(
    studySchema,
    new Substituted(yaml.value, {
      environment: options.environment ?? process.env,
      fail: (path, problem, fix) => checker.fail(path, problem, fix),
      keeps: isOfPipeline,
    }),
  );
  checkNames(checked, checker);
  const small = options.small === true ? (checked.small ?? { replications: 1 }) : undefined;
  const pipelines = new VariantPipelines(checked, yaml, file, {
    ...options,
    last: [small?.set ?? {}, options.set ?? []],
  });
  const { count, seed } = checked.replications;
  const measured = measuredOf(checked);
  const runs: StudyRun[] = [];
  for (const row of checked.rows) {
    if (small?.rows?.includes(row.name) === false) continue;
    for (const column of checked.columns ?? [undefined]) {
      const name = column?.name;
      if (name !== undefined && small?.columns?.includes(name) === false) continue;
      if (!wanted(row.name, name, options.only) || pipelines.skips(row.name, name)) continue;
      for (let i = 0; i < (small?.replications ?? count); i += 1) {
        const pipeline = pipelines.of(row, column, seed + i);
        requireMeasurable(pipeline, measured, variantName(row.name, name));
        runs.push({ row: row.name, column: name, seed: seed + i, pipeline });
      }
    }
  }
  requireAll(options.only ?? [], runs);
  if (runs.length === 0) throw noRuns(checker, small !== undefined);
  const has = (which: 'row' | 'column', name: string) => runs.some(run => run[which] === name);
  return {
    file,
    baseDirectory: dirname(resolve(file)),
    options: checked,
    runs,
    rows: checked.rows.map(({ name }) => name).filter(name => has('row', name)),
    columns: (checked.columns ?? []).map(({ name }) => name).filter(name => has('column', name)),
    measured,
    small: small !== undefined,
    partial: (options.only ?? []).length > 0,
  };
}

/** What becomes part of pipelines has its variables replaced there. */
function isOfPipeline(path: Path, value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return path.at(-1) === 'set' ? path[0] !== 'replications' : path.join() === 'pipeline';
}

function wanted(row: string, column: string | undefined, only: readonly string[] = []): boolean {
  return only.length === 0 || only.some(name => isCalled(name, row, column));
}

function isCalled(name: string, row: string, column: string | undefined): boolean {
  return (
    name === row || name === column || name.replace(/\s*\/\s*/, ' / ') === variantName(row, column)
  );
}

function noRuns(checker: Checker, isSmall: boolean): TagstreamError {
  return checker.fail(
    isSmall ? ['small'] : ['rows'],
    `the ${isSmall ? 'small study' : 'study'} has no runs`,
    isSmall
      ? 'name rows and columns in small whose runs are not skipped'
      : 'add a row, or leave skip out of a cell',
  );
}

/** Each name of `--only` has to have a run. */
function requireAll(only: readonly string[], runs: readonly StudyRun[]): void {
  for (const name of only) {
    if (runs.some(({ row, column }) => isCalled(name, row, column))) continue;
    throw new TagstreamError('usage', `--only ${name}: the study has no such variant`, {
      fix: 'give the name of a row, of a column, or row/column',
    });
  }
}
