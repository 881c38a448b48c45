import type { InferredOptionType, Options } from 'yargs';
import { TagstreamError } from '../../engine/core/errors.js';

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

type ReadOnly<Value> = Value extends (infer Item)[] ? readonly Item[] : Value;

/**
 * Arguments of a command, from a table of options without defaults: each in camel case, and
 * optional.
 */
export type ArgumentsOf<Table extends Readonly<Record<string, Options>>> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]?:
    | ReadOnly<InferredOptionType<Table[Name]>>
    | undefined;
};

/** Returns an option that takes a text. */
export function text<const More extends Options>(describe: string, more?: More) {
  return { type: 'string', requiresArg: true, describe, ...(more as More) } as const;
}

/** Returns a repeatable option that takes a text. */
export function texts(describe: string) {
  return { type: 'string', array: true, nargs: 1, describe } as const;
}

/** Returns an option that takes a number. */
export function number<const More extends Options>(describe: string, more?: More) {
  return { type: 'number', requiresArg: true, describe, ...(more as More) } as const;
}

/** Positional arguments that name the input. */
export const inputsArgument = {
  type: 'string',
  array: true,
  default: ['-'],
  describe: 'files, - for standard input',
} as const;

/** Positional argument of commands that use a pipeline file. */
export const pipelineArgument = {
  type: 'string',
  demandOption: true,
  describe: 'pipeline file',
} as const;

/** Returns an option without a value. */
export function flag<const More extends Options>(describe: string, more?: More) {
  return { type: 'boolean', describe, ...(more as More) } as const;
}

/**
 * Makes a reader for a numeric option.
 *
 * @returns a function that keeps undefined, and throws TagstreamError `usage` unless the text is a
 * whole number not below `least`
 * @example
 * wholeNumber('seed', 0)('12') // => 12
 */
export function wholeNumber(
  name: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): (text: unknown) => number | undefined {
  return text => {
    if (text === undefined) return undefined;
    const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
    const range =
      most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
    throw new TagstreamError('usage', `--${name} ${String(text)} is not an allowed number`, {
      fix: `give one whole number ${range}`,
    });
  };
}

/**
 * Makes a reader for an option whose value is a port to listen on.
 *
 * @returns a function that keeps undefined, and throws TagstreamError `usage` unless the text is a whole number from 0
 * to 65535
 * @example
 * port('metrics')('9464') // => 9464
 */
export function port(name: string): (text: unknown) => number | undefined {
  return text => {
    if (text === undefined) return undefined;
    const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number <= 65_535) return number;
    throw new TagstreamError('usage', `--${name} ${String(text)} is not a port`, {
      fix: 'give one whole number from 1 to 65535, or 0 for any free port',
    });
  };
}

/** @throws TagstreamError `usage` unless the value of an option is a whole number in a range */
export function requireWhole(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TagstreamError('usage', `${option} is ${value}`, {
    fix: `give a whole number ${most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`}`,
  });
}
