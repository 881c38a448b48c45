import type * as z from 'zod';
import type { FileUse } from '../../io/files/require-apart.js';
import type { PluginStage } from '../../plugins/loaded-plugin.js';

/** What travels between two stages. */
export type ItemKind =
  | 'document'
  | 'sentence'
  | 'encoded sentence'
  | 'minibatch'
  | 'contribution'
  | 'training step'
  | 'tagged sentence';

/** A stage of pipeline files: its purpose and its options. */
export interface StageComponent {
  readonly name: string;
  readonly summary: string;
  /** The stage in a pipeline file. */
  readonly example: string;
  readonly takes: readonly ItemKind[];
  readonly gives: ItemKind | 'as it is';
  readonly options: z.ZodType;
  /** The stage of the plug-in, if it belongs to one, which makes its operator. */
  readonly plugin?: PluginStage | undefined;
  /** Returns the files that it reads or writes itself, by their paths in the pipeline file. */
  files?(options: unknown): readonly StageFile[];
}

/** A file of a stage. */
export interface StageFile extends Pick<FileUse, 'what' | 'names'> {
  readonly file: string;
  /** Its position among the options. */
  readonly at: string;
  readonly written?: boolean;
  /** Whether all of it is read synchronously when the parts of a run are built. */
  readonly whole?: boolean;
}

/** What a stage file defines; the options' type comes from their schema. */
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
