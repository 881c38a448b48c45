import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';

/** Whatever has a name and options can be chosen in a pipeline file. */
export interface Named {
  readonly name: string;
  readonly options: z.ZodType;
}

/** One component that a file has chosen, with its checked options. */
export interface Chosen<Item extends Named> {
  readonly component: Item;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The schema of an object whose only key names one of the components, and whose value has its options. */
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

/** The component that a value checked by `oneOf` names. */
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

/** Whether options have one of a name: seen without a check of some, which takes 10 ms where it is the first of a process. */
export function hasOption(options: z.ZodType, name: string): boolean {
  return options instanceof z.ZodObject && name in options.shape;
}
