import type { ErrorPlace } from '../../core/errors.js';
import type { NamesKept } from '../../models/inspection/note-model.js';
import type { Components } from '../catalogue/components.js';
import type { Path } from '../file/yaml-document.js';
import type { DeadLetterSection } from '../options/dead-letter-options.js';
import type { Chosen } from '../options/one-of.js';
import type { SinkOptions } from '../options/sink-options.js';
import type { TrainOptions } from '../options/train-options.js';
import type { ChosenSource } from '../sources/source-component.js';
import type { Check } from './check-options.js';
import type { StageComponent } from './stage-component.js';

/** A checked pipeline file with its components. */
export interface Pipeline {
  readonly name: string;
  /** The file, or a name for text that came from elsewhere. */
  readonly file: string;
  /** All components that it can name. */
  readonly catalogue: Components;
  /** Folder that relative paths start at. */
  readonly baseDirectory: string;
  readonly source: ChosenSource;
  readonly stages: readonly Chosen<StageComponent>[];
  readonly train: TrainOptions | undefined;
  /** Trainings of a first model at the same time, each in a thread of its own. */
  readonly firstWorkers: number;
  readonly model: string | undefined;
  /** Names of features to keep in it. */
  readonly names: NamesKept;
  readonly test: ChosenSource | undefined;
  /** What the finished model has to get right. */
  readonly checks: readonly Check[] | undefined;
  readonly sink: SinkOptions | undefined;
  /** Seconds that the run may take to end in order. */
  readonly shutdownTimeout: number | undefined;
  /** What becomes of bad records. */
  readonly deadLetters: DeadLetterSection | undefined;
  /** Whether it trains: it has the stage `optimize`. */
  readonly trains: boolean;
  /** The file as plain data after substitution, overrides and defaults. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Where a part of it stands in the file. */
  place(path: Path): ErrorPlace;
}
