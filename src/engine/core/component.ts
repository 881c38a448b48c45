import type { ZodType } from 'zod';

/**
 * A building block that a pipeline file can name: its options with defaults, units and ranges, its
 * purpose, an example and its constructor.
 */
export interface Component<Options, Context, Made> {
  /** Key in a pipeline file. */
  readonly name: string;
  /** One-line summary. */
  readonly summary: string;
  readonly options: ZodType<Options>;
  /** YAML example of the component in a pipeline file. */
  readonly example: string;
  create(options: Options, context: Context): Made;
}

/** The penalties of an objective: `l1 * sum |w| + l2 * sum w^2` over all weights w; those not given are 0. */
export interface Penalties {
  readonly l1?: number;
  readonly l2?: number;
  /** Whether there may be others, such as a penalty on groups or a prior, so that the weights do not give the objective. */
  readonly others?: boolean;
}

/** Training settings that components depend on. */
export interface TrainingSettings {
  /** Number of passes; absent for training on a stream. */
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

/** Reason why a setting cannot be combined with a component, and the fix. */
export interface Refusal {
  readonly problem: string;
  readonly fix: string;
}

/** A refusal that names the setting: a training setting, or one of the component's own options. */
export interface SettingRefusal extends Refusal {
  readonly setting: keyof TrainingSettings | { readonly option: string };
}
