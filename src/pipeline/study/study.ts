import type { Pipeline } from '../definition/pipeline.js';
import type { QuantityName } from './measures/quantities.js';
import type { StudyFile } from './study-schema.js';

/** A checked study file, with the pipelines of all its runs. */
export interface Study {
  readonly file: string;
  /** Folder that relative paths start at. */
  readonly baseDirectory: string;
  readonly options: StudyFile;
  /** By rows, then columns, then seeds. */
  readonly runs: readonly StudyRun[];
  /** Rows and columns that have runs, in the order of the file. */
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** What is measured of each run, whatever asks for it. */
  readonly measured: ReadonlySet<QuantityName>;
  /** Made small. */
  readonly small: boolean;
  /** Only some variants were asked for. */
  readonly partial: boolean;
}

/** One training of a study. */
export interface StudyRun {
  readonly row: string;
  /** Undefined where the study has no columns. */
  readonly column: string | undefined;
  readonly seed: number;
  readonly pipeline: Pipeline;
}

/** How a variant is called: its row, or row / column. */
export function variantName(row: string, column: string | undefined): string {
  return column === undefined ? row : `${row} / ${column}`;
}
