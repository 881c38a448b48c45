import * as z from 'zod';

/** An option of a component as it is listed. */
export interface OptionRow {
  /** With the names of what it is nested in: `warn.drop`. */
  readonly name: string;
  /** What it may be. */
  readonly value: string;
  /** As YAML; `required` where there has to be one, empty where there is none. */
  readonly fallback: string;
  readonly about: string;
}

/** What is looked at of a JSON Schema. */
interface JsonOption {
  readonly properties?: Readonly<Record<string, JsonOption>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonOption[];
  readonly oneOf?: readonly JsonOption[];
  readonly items?: JsonOption;
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/**
 * The options of a component, those of nested ones behind their own.
 *
 * @example
 * const { options } = perceptron().component;
 * optionRows(options)[0] // => { name: 'average', value: 'true, false', fallback: 'true', about: 'deploy the average of the weights' }
 */
export function optionRows(options: z.ZodType): OptionRow[] {
  const schema = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' });
  return rowsOf(schema as JsonOption, '');
}

function rowsOf({ properties = {}, required = [] }: JsonOption, prefix: string): OptionRow[] {
  return Object.entries(properties).flatMap(([key, option]) => {
    const name = `${prefix}${key}`;
    const { default: value, description = '' } = option;
    const missing = required.includes(key) ? 'required' : '';
    const fallback = value === undefined ? missing : shown(value);
    return [
      { name, value: choiceOf(option), fallback, about: description },
      ...rowsOf(option, `${name}.`),
    ];
  });
}

function choiceOf(option: JsonOption): string {
  if (option.const !== undefined) return shown(option.const);
  if (option.enum !== undefined) return option.enum.map(shown).join(', ');
  const variants = option.anyOf ?? option.oneOf;
  if (variants !== undefined) {
    return [...new Set(variants.map(variant => soleKey(variant) ?? choiceOf(variant)))].join(', ');
  }
  const { type, items = {}, properties } = option;
  if (type === 'array') return `list of ${choiceOf(items)}`;
  if (type === 'integer' || type === 'number') return rangeOf(option);
  if (type === 'boolean') return 'true, false';
  if (type === 'string') return 'text';
  return properties === undefined ? 'map' : (soleKey(option) ?? 'options');
}

/** The one name under which a variant stands in a file, as `ndjson: {...}`. */
function soleKey({ properties = {} }: JsonOption): string | undefined {
  const names = Object.keys(properties);
  return names.length === 1 ? names[0] : undefined;
}

function rangeOf({ type, minimum, maximum, exclusiveMinimum }: JsonOption): string {
  const word = type === 'integer' ? 'whole number' : 'number';
  const low =
    exclusiveMinimum === undefined ? bound('from', minimum) : ` above ${exclusiveMinimum}`;
  return `${word}${low}${bound('to', maximum)}`;
}

function bound(word: string, value: number | undefined): string {
  const none = value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER;
  return none ? '' : ` ${word} ${value}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
