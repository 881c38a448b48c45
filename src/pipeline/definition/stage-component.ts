import type { OperatorFunction } from 'rxjs';
import type * as z from 'zod';
import type { FileUse } from '../../io/files/file-use.js';
import type { RunSetup } from './run-setup.js';

/** What travels between two stages. */
export type ItemKind =
  | 'document'
  | 'sentence'
  | 'encoded sentence'
  | 'minibatch'
  | 'contribution'
  | 'training step'
  | 'tagged sentence';

/** A stage as a pipeline file names it: what it is for, its options, and how it is made. */
export interface StageComponent {
  readonly name: string;
  readonly summary: string;
  /** The stage in a pipeline file. */
  readonly example: string;
  readonly takes: readonly ItemKind[];
  readonly gives: ItemKind | 'as it is';
  readonly options: z.ZodType;
  /** Files that it reads or writes itself, by their paths in the pipeline file. */
  files?(options: unknown): readonly StageFile[];
  create(options: unknown, setup: RunSetup): OperatorFunction<unknown, unknown>;
}

/** A file of a stage. */
export interface StageFile extends Pick<FileUse, 'what' | 'names'> {
  readonly file: string;
  /** Where it stands among the options. */
  readonly at: string;
  readonly written?: boolean;
  /** Whether `create` reads all of it, synchronously. */
  readonly whole?: boolean;
}

/** What a stage file defines; the options' type comes from their schema. */
export interface StageDefinition<Schema extends z.ZodType, In, Out>
  extends Omit<StageComponent, 'options' | 'create' | 'files'> {
  readonly options: Schema;
  files?(options: z.output<Schema>): readonly StageFile[];
  /** Called once, in the order of the file, before anything runs. */
  create(options: z.output<Schema>, setup: RunSetup): OperatorFunction<In, Out>;
}

/** A stage without the types of its items, which `takes` and `gives` stand for from here on. */
export function defineStage<Schema extends z.ZodType, In, Out>(
  definition: StageDefinition<Schema, In, Out>,
): StageComponent {
  return definition as unknown as StageComponent;
}
