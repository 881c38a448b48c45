import type { ZodType } from 'zod';
import * as z from 'zod';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ScorerName } from '../../engine/core/scorer.js';
import { nearest } from '../../engine/core/wording/nearest.js';
import { builtInFunctions } from '../../engine/features/template/built-in-functions.js';
import { scorers } from '../../engine/inference/scorers/scorers.js';
import { fitsScorer, losses } from '../../engine/losses/losses.js';
import type { TrainerComponent } from '../../engine/trainers/trainer-component.js';
import type { Catalogue } from '../../runtime/pipeline/loading/catalogue.js';

/** A component, for lists and documentation. */
interface Listed {
  readonly kind: string;
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly options?: ZodType | undefined;
  /** Names of the losses supported by an optimizer. */
  readonly losses?: readonly string[] | undefined;
  /** Name of the only scorer that a batch optimizer trains. */
  readonly scorer?: ScorerName | undefined;
  /** Plug-in that provides the component. */
  readonly plugin?: string | undefined;
}

/** Returns all components of a catalogue, grouped by kind. */
function allOf(catalogue: Catalogue): Listed[] {
  const { sources, transports, stages, losses, optimizers, trainers, functions } = catalogue;
  const of = (kind: string, items: readonly Omit<Listed, 'kind' | 'plugin'>[]) =>
    items.map(({ name, summary, example, options, losses: fit, scorer }) => ({
      ...{ kind, name, summary, example, options, losses: fit, scorer },
      plugin: pluginOf(kind, name, catalogue),
    }));
  return [
    ...of('source', sources.items),
    ...of('transport', transports.items),
    ...of('stage', stages),
    ...of('loss', losses.items),
    ...of('optimizer', optimizers.items),
    ...of(
      'batch optimizer',
      trainers.map(trainer => ({ ...trainer, scorer: scorerOfTrainer(trainer) })),
    ),
    ...of('token function', [...builtInFunctions, ...functions.values()]),
  ];
}

function scorerOfTrainer({ options, makes }: TrainerComponent<never>): ScorerName | undefined {
  const { success, data } = options.safeParse({});
  return success ? makes?.(data) : undefined;
}

function pluginOf(kind: string, name: string, { plugins }: Catalogue): string | undefined {
  const has = (items: readonly { readonly name: string }[]) =>
    items.some(item => item.name === name);
  return plugins.find(
    ({ losses, optimizers, codecs, stages, transports, functions }) =>
      (kind === 'loss' && has(losses)) ||
      (kind === 'optimizer' && has(optimizers)) ||
      (kind === 'source' && has(codecs)) ||
      (kind === 'stage' && has(stages)) ||
      (kind === 'transport' && has(transports)) ||
      (kind === 'token function' && has(functions)),
  )?.name;
}

/** Returns one line per component, grouped by kind. */
export function componentList(catalogue: Catalogue): string {
  const all = allOf(catalogue);
  const width = Math.max(...all.map(({ name }) => name.length));
  let kind = '';
  let text = '';
  for (const component of all) {
    if (component.kind !== kind) {
      text += `${kind === '' ? '' : '\n'}${component.kind}\n`;
      kind = component.kind;
    }
    const from = component.plugin === undefined ? '' : ` (${component.plugin})`;
    text += `  ${component.name.padEnd(width)}  ${component.summary}${from}\n`;
  }
  return text;
}

/**
 * Describes in full the components with a name.
 *
 * @throws TagstreamError `usage` with the nearest name if there is none
 */
export function componentPage(name: string, catalogue: Catalogue): string {
  const all = allOf(catalogue);
  const bare = name.replace(/^%/, '');
  const found = all.filter(({ name }) => name === bare);
  if (found.length > 0) return found.map(pageOf).join('\n');
  const near = nearest(
    bare,
    all.map(component => component.name),
  );
  throw new TagstreamError('usage', `unknown component ${name}`, {
    fix: `${near === undefined ? '' : `did you mean ${near}? `}tagstream components lists all; add --use for those of a plug-in`,
  });
}

/** Returns an example to paste into a pipeline file, including required settings. */
function inPipeline(
  kind: string,
  name: string,
  example: string,
  { losses: fitting, scorer: own }: Pick<Listed, 'losses' | 'scorer'>,
): string {
  if (kind === 'stage') return `- ${example}`;
  const loss = kind === 'loss' ? name : fitting?.[0];
  if (own !== undefined) {
    const contribute = loss === undefined ? '' : `- contribute: { loss: ${loss} }\n`;
    return `${contribute}- ${example}\nmodel: { scorer: ${own} }`;
  }
  if (loss === undefined || !['loss', 'optimizer', 'batch optimizer'].includes(kind)) {
    return kind.endsWith('optimizer') || kind === 'loss' ? `- ${example}` : example;
  }
  const found = losses.find(each => each.name === loss);
  const scorer = found && scorers.find(each => fitsScorer(found, each.name))?.name;
  return [
    ...(kind === 'loss' ? [] : [`- contribute: { loss: ${loss} }`]),
    `- ${example}`,
    ...(scorer === undefined || scorer === 'linear' ? [] : [`model: { scorer: ${scorer} }`]),
  ].join('\n');
}

function pageOf({ kind, name, summary, example, options, plugin, ...fits }: Listed): string {
  const { losses } = fits;
  const from = plugin === undefined ? '' : ` of the plug-in ${plugin}`;
  const fit = losses === undefined ? '' : `\nGoes with the loss ${losses.join(' or ')}.\n`;
  const rows = options === undefined ? [] : optionRows(options);
  const table = rows.length === 0 ? '' : `\n${rows.map(lineOf).join('')}`;
  const shown = inPipeline(kind, name, example, fits).replaceAll('\n', '\n  ');
  return `${name}: ${kind}${from}\n${summary}\n${fit}\n  ${shown}\n${table}`;
}

function lineOf({ name, value, fallback, about }: OptionRow): string {
  const said = [
    value,
    fallback === '' || fallback === 'required' ? fallback : `default ${fallback}`,
  ];
  const line = `  ${name}: ${said.filter(text => text !== '').join('; ')}\n`;
  return about === '' ? line : `${line}      ${about}\n`;
}

/** An option of a component, for lists. */
export interface OptionRow {
  /** Name with those of the enclosing options: `warn.drop`. */
  readonly name: string;
  /** Possible values. */
  readonly value: string;
  /** Default as YAML; `required` if a value must be given, empty if there is no default. */
  readonly fallback: string;
  readonly about: string;
}

/** Relevant parts of a JSON Schema. */
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
 * Returns the options of a component, each followed by its nested options.
 *
 * @example
 * const { options } = perceptron().component;
 * optionRows(options)[0] // => { name: 'average', value: 'true, false, window', fallback: 'true', about: 'deploy the average of the weights' }
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

/** Returns the only property name of a variant in a file, such as `ndjson: {...}`. */
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
