import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';

/** Anything with a name and options that can be chosen in a pipeline file. */
export interface Named {
  readonly name: string;
  readonly options: z.ZodType;
}

/** A component chosen in a file, with its checked options. */
export interface Chosen<Item extends Named> {
  readonly component: Item;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns the schema of an object whose only key names one of the components, with the component's options as its
 * value.
 */
export function oneOf(components: readonly Named[]): z.ZodType<Record<string, unknown>> {
  const names = components.map(({ name }) => name).join(', ');
  const shape = Object.fromEntries(
    components.map(({ name, options }) => [name, options.optional()]),
  );
  return z
    .strictObject(shape)
    .refine(chosen => Object.keys(chosen).length === 1, {
      message: `expected exactly one of ${names}`,
    })
    .meta({ minProperties: 1, maxProperties: 1 });
}

/** Returns the component named in a value that `oneOf` has checked. */
export function chosenOf<Item extends Named>(
  components: readonly Item[],
  value: Readonly<Record<string, unknown>>,
): Chosen<Item> {
  const [name, options] = Object.entries(value)[0] ?? [];
  const component = components.find(item => item.name === name);
  if (component === undefined) {
    throw new TagstreamError('config', `unknown component ${name}`);
  }
  return { component, options: options as Record<string, unknown> };
}
