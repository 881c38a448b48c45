import type * as z from 'zod';
import type { PluginStage } from '../../../engine/interfaces/loaded-plugin.js';
import type { FileUse } from '../../../formats/files/require-apart.js';

/** What travels between two stages. */
export type ItemKind =
  | 'document'
  | 'sentence'
  | 'encoded sentence'
  | 'minibatch'
  | 'contribution'
  | 'training step'
  | 'tagged sentence';

/** A stage of pipeline files, with its purpose and options. */
export interface StageComponent {
  readonly name: string;
  readonly summary: string;
  /** Example of the stage in a pipeline file. */
  readonly example: string;
  readonly takes: readonly ItemKind[];
  readonly gives: ItemKind | 'as it is';
  readonly options: z.ZodType;
  /** The plug-in stage that creates its operator, if it belongs to a plug-in. */
  readonly plugin?: PluginStage | undefined;
  /** Returns the files that the stage itself reads or writes, by their paths in the pipeline file. */
  files?(options: unknown): readonly StageFile[];
}

/** A file that a stage uses. */
export interface StageFile extends Pick<FileUse, 'what' | 'names'> {
  readonly file: string;
  /** Path of the option that names it. */
  readonly at: string;
  readonly written?: boolean;
  /** Whether it is read as a whole, synchronously, when the parts of a run are built. */
  readonly whole?: boolean;
}

/** What a stage's file defines; the type of its options comes from their schema. */
export interface StageDefinition<Schema extends z.ZodType>
  extends Omit<StageComponent, 'options' | 'files'> {
  readonly options: Schema;
  files?(options: z.output<Schema>): readonly StageFile[];
}

/** Returns a stage without the types of its options. */
export function defineStage<Schema extends z.ZodType>(
  definition: StageDefinition<Schema>,
): StageComponent {
  return definition as unknown as StageComponent;
}
