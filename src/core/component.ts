import type { ZodType } from 'zod';

/**
 * A building block that a pipeline file can name: its options with defaults, units and ranges, its
 * purpose, an example and its constructor, in one place.
 */
export interface Component<Options, Context, Made> {
  /** The key in a pipeline file. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly options: ZodType<Options>;
  /** The component in a pipeline file, as YAML. */
  readonly example: string;
  create(options: Options, context: Context): Made;
}

/** Training settings that components depend on. */
export interface TrainingSettings {
  /** Absent for training on a stream. */
  readonly epochs?: number | undefined;
  readonly seeds?: number | undefined;
  readonly dropout?: number | undefined;
  readonly workers?: number | undefined;
  readonly mode?: 'deterministic' | 'hogwild' | undefined;
  readonly threshold?: object | undefined;
  readonly temperature?: number | undefined;
  readonly compact?: boolean | undefined;
  readonly start?: string | undefined;
  readonly cluster?: object | undefined;
}

/** Why a setting cannot be combined with a component, and the fix. */
export interface Refusal {
  readonly problem: string;
  readonly fix: string;
}

/**
 * A refusal that names the setting: one of the training's, or one of the component's own options.
 */
export interface SettingRefusal extends Refusal {
  readonly setting: keyof TrainingSettings | { readonly option: string };
}
