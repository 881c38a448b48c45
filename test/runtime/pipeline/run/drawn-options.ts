import type * as z from 'zod';
import type { Random } from '../../../../src/engine/core/random.js';

/** Values for texts and lists that mean something, by the end of the path to their option: one of them is drawn. */
export type Hints = Readonly<Record<string, readonly unknown[]>>;

/** What a schema of zod says of itself, as far as values are drawn from it. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly in?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly options?: readonly z.ZodType[];
  readonly valueType?: z.ZodType;
}

/** Draws options from their schemas, and notes which ones. */
export class OptionDrawer {
  readonly #random: Random;
  readonly #hints: Hints;
  /** Paths of the options in what was drawn since it was emptied. */
  drawn: string[] = [];

  constructor(random: Random, hints: Hints) {
    this.#random = random;
    this.#hints = hints;
  }

  /** One of several. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)]!;
  }

  chance(probability: number): boolean {
    return this.#random.uniform() < probability;
  }

  /** An object with each optional key of the schema that is not left out in one of 1 / `share` cases. */
  object(
    schema: z.ZodType,
    path: string,
    { share, without = [] }: { readonly share: number; readonly without?: readonly string[] },
  ): Record<string, unknown> {
    const { shape = {} } = definitionOf(schema);
    const value: Record<string, unknown> = {};
    // One of several components.
    if (schema.meta()?.maxProperties === 1) {
      const key = this.pick(Object.keys(shape));
      value[key] = this.value(shape[key]!, `${path}.${key}`);
      this.drawn.push(`${path}.${key}`);
      return value;
    }
    for (const [key, option] of Object.entries(shape)) {
      const at = `${path}.${key}`;
      if (without.includes(key) || (option.safeParse(undefined).success && !this.chance(share))) {
        continue;
      }
      value[key] = this.value(option, at);
      this.drawn.push(at);
    }
    return value;
  }

  value(schema: z.ZodType, path: string): unknown {
    const hint = Object.keys(this.#hints).find(end => path.endsWith(end));
    if (hint !== undefined) return this.pick(this.#hints[hint]!);
    const { type, innerType, element, shape, entries, values, options, valueType, ...rest } =
      definitionOf(schema);
    if (innerType !== undefined) return this.value(innerType, path);
    if (rest.in !== undefined) return this.value(rest.in, path);
    if (shape !== undefined) return this.object(schema, path, { share: 0.5 });
    if (entries !== undefined) return this.pick(Object.values(entries));
    if (values !== undefined) return this.pick(values);
    if (options !== undefined) return this.value(this.pick(options), path);
    if (element !== undefined) {
      return Array.from({ length: 1 + this.#random.below(2) }, () => this.value(element, path));
    }
    if (type === 'boolean') return this.chance(0.5);
    if (type === 'number') return this.#number(schema as z.ZodNumber);
    if (type === 'string') return 'x';
    if (valueType !== undefined) return { X: this.value(valueType, path) };
    throw new Error(`there is nothing to draw ${path} from: ${type}`);
  }

  /** Near the least that the schema allows, where sizes are small. */
  #number(schema: z.ZodNumber): number {
    const { minValue, maxValue, isInt } = schema;
    const least = Math.max(minValue ?? 0, isInt ? -2 : -1);
    const most = Math.min(maxValue ?? least + 4, least + 4);
    if (isInt)
      return Math.ceil(least) + this.#random.below(Math.floor(most) - Math.ceil(least) + 1);
    // Between them: bounds may not be among what is allowed.
    return least + (most - least) * (0.05 + 0.9 * this.#random.uniform());
  }
}

function definitionOf(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition;
}
