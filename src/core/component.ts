import type { ZodType } from 'zod';

/**
 * A building block that a pipeline file can name: its options with defaults, units and ranges, what it
 * is for, an example, and its constructor, in one place.
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
