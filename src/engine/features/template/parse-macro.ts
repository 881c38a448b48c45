import leven from 'leven';
import { TagstreamError } from '../../core/errors.js';
import { schemaMessages } from '../../core/schema/schema-messages.js';
import { type TextPattern, textPattern } from '../../text/patterns/text-pattern.js';
import type { Macro, TokenFunction } from './template.js';
import {
  type FoundInToken,
  noTokenFunctions,
  type TokenFunctionComponent,
  type TokenFunctions,
} from './token-function.js';

interface Form {
  readonly apply: TokenFunction;
  /** Kind of the third argument. */
  readonly third: 'none' | 'count' | 'pattern' | 'list' | 'list and bits' | 'context';
}

const forms: Readonly<Record<string, Form>> = {
  x: { apply: 'value', third: 'none' },
  lower: { apply: 'lower', third: 'none' },
  shape: { apply: 'shape', third: 'none' },
  type: { apply: 'type', third: 'none' },
  length: { apply: 'length', third: 'none' },
  prefix: { apply: 'prefix', third: 'count' },
  suffix: { apply: 'suffix', third: 'count' },
  char: { apply: 'char', third: 'count' },
  t: { apply: 'test', third: 'pattern' },
  m: { apply: 'match', third: 'pattern' },
  v: { apply: 'real', third: 'none' },
  vv: { apply: 'square', third: 'none' },
  first: { apply: 'first', third: 'none' },
  last: { apply: 'last', third: 'none' },
  gazetteer: { apply: 'gazetteer', third: 'list' },
  cluster: { apply: 'cluster', third: 'list and bits' },
  vector: { apply: 'vector', third: 'list' },
  document: { apply: 'document', third: 'context' },
  predicted: { apply: 'predicted', third: 'context' },
  seen: { apply: 'seen', third: 'none' },
};

/** Macros that apply another one after folding case. */
const folding: Readonly<Record<string, string>> = {
  X: 'x',
  T: 't',
  M: 'm',
  Prefix: 'prefix',
  Suffix: 'suffix',
};

/** Form of token functions that are not built in. */
const customForm: Form = { apply: 'custom', third: 'none' };

/** Maximum token offset of a template, and width of each sentence's margins. */
const furthest = 1000;

/** Line and column of the first character of a template. */
export interface TextPlace {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Reads the macro that starts with the `%` at `start`, and returns the macro and its end.
 *
 * @param functions token functions in addition to the built-in ones
 */
export function parseMacro(
  text: string,
  start: number,
  place: TextPlace,
  functions: TokenFunctions = noTokenFunctions,
): { macro: Macro; end: number } {
  const fail = (at: number, problem: string, fix: string): never => {
    throw new TagstreamError('template', problem, {
      place: { ...place, column: place.column + at },
      fix,
    });
  };
  const head = /^%([A-Za-z]+)\[/.exec(text.slice(start));
  if (head === null) {
    return fail(start, 'a macro is written %name[offset,column]', 'write %% for a percent sign');
  }
  const name = head[1]!;
  const custom = functions.get(name);
  const form = custom === undefined ? forms[folding[name] ?? name] : customForm;
  if (form === undefined) {
    const near = nearest(name, [...functions.keys()]);
    return fail(start, `there is no macro %${name}`, `did you mean ${near}?`);
  }
  const end = closingBracket(text, start + head[0].length);
  if (end < 0) return fail(start, 'the macro is missing its closing ]', 'add ]');
  const inside = text.slice(start + head[0].length, end);
  const shape = /^(@)?\s*([+-]?\d+)\s*,\s*([\w.-]+)\s*(?:,\s*(.*))?$/s.exec(inside.trim());
  if (shape === null) {
    return fail(
      start,
      `%${name}[${inside}] is not of the form [offset,column]`,
      'for example %x[-1,0]',
    );
  }
  if (Math.abs(Number(shape[2])) > furthest) {
    return fail(start, `the offset ${shape[2]} is too large`, `at most ${furthest} tokens away`);
  }
  const isOfEnd = form.apply === 'first' || form.apply === 'last';
  if (isOfEnd && (shape[1] === '@' || Number(shape[2]) !== 0)) {
    fail(start, `%${name} applies only to the token itself`, `write %${name}[0,${shape[3]}]`);
  }
  const macro: Macro = {
    apply: form.apply,
    offset: Number(shape[2]),
    absolute: shape[1] === '@',
    column: /^\d+$/.test(shape[3]!) ? Number(shape[3]) : shape[3]!,
    fold: name in folding,
    count: form.third === 'count' ? countOf(shape[4], name, start, fail) : 0,
    pattern: form.third === 'pattern' ? patternOf(shape[4], name, start, fail) : undefined,
  };
  if (custom !== undefined) {
    const find = customFunction(custom, shape[4], (problem, fix) => fail(start, problem, fix));
    return { macro: { ...macro, custom: { name, argument: shape[4] ?? '', find } }, end: end + 1 };
  }
  if (form.third === 'none' && shape[4] !== undefined) {
    fail(start, `%${name} takes two arguments`, `write %${name}[${shape[2]},${shape[3]}]`);
  }
  if (form.third === 'list' || form.third === 'list and bits') {
    const list = listOf(shape[4], form.third === 'list and bits');
    if (list === undefined) {
      const example = form.third === 'list' ? 'cities]' : 'brown,4]';
      return fail(
        start,
        `%${name} needs the name of a list`,
        `for example %${name}[0,0,${example}`,
      );
    }
    return { macro: { ...macro, ...list }, end: end + 1 };
  }
  if (form.third === 'context') {
    const columns = contextColumns[form.apply === 'document' ? 'document' : 'predicted'];
    if (columns.includes(shape[4] ?? '')) {
      return { macro: { ...macro, resource: shape[4]! }, end: end + 1 };
    }
    return fail(
      start,
      `%${name} needs one of ${columns.join(', ')} as its third argument`,
      `for example %${name}[0,0,${columns[0]}]`,
    );
  }
  return { macro, end: end + 1 };
}

/** Columns of context macros; no name occurs twice. */
const contextColumns = {
  document: ['case', 'left', 'right', 'left2', 'right2'],
  predicted: ['word', 'span', 'longer', 'label'],
};

type Fail = (at: number, problem: string, fix: string) => never;

function countOf(argument: string | undefined, name: string, at: number, fail: Fail): number {
  const count = Number(argument);
  const valid = Number.isInteger(count) && (name === 'char' || count > 0);
  if (argument === undefined || argument === '' || !valid) {
    fail(at, `%${name} needs a whole number as its third argument`, `for example %${name}[0,0,3]`);
  }
  return count;
}

/** Returns the name of a list and, for clusters, the number of path bits that are used (0: all). */
function listOf(
  argument: string | undefined,
  hasBits: boolean,
): Pick<Macro, 'resource' | 'count'> | undefined {
  const parts = /^([\w.-]+)(?:\s*,\s*([1-9]\d{0,3}))?$/.exec(argument ?? '');
  if (parts === null || (parts[2] !== undefined && !hasBits)) return undefined;
  return { resource: parts[1]!, count: Number(parts[2] ?? 0) };
}

function patternOf(argument: string | undefined, name: string, at: number, fail: Fail) {
  const quoted = /^"(.*)"$/s.exec(argument ?? '');
  if (quoted === null) {
    return fail(at, `%${name} needs a pattern in quotes`, `for example %${name}[0,0,"^\\d+$"]`);
  }
  try {
    return compilePattern(quoted[1]!);
  } catch (cause) {
    if (cause instanceof TagstreamError) return fail(at, cause.problem, cause.fix!);
    return fail(at, `the pattern is not valid: ${(cause as Error).message}`, 'correct the pattern');
  }
}

/** Returns the index of the `]` that closes a macro, skipping quoted patterns. */
function closingBracket(text: string, from: number): number {
  let quoted = false;
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === '\\' && quoted) i += 1;
    else if (text[i] === '"') quoted = !quoted;
    else if (text[i] === ']' && !quoted) return i;
  }
  return -1;
}

/** Names of built-in macros, which are reserved. */
export const builtInMacros: readonly string[] = [...Object.keys(forms), ...Object.keys(folding)];

function nearest(name: string, more: readonly string[]): string {
  const names = [...builtInMacros, ...more];
  names.sort((a, b) => leven(a, name) - leven(b, name));
  return `%${names[0]}`;
}

/** JavaScript forms of Wapiti's character classes, and of the escaped quote. */
const classes: Readonly<Record<string, string>> = {
  a: '\\p{L}',
  A: '\\P{L}',
  l: '\\p{Ll}',
  L: '\\P{Ll}',
  u: '\\p{Lu}',
  U: '\\P{Lu}',
  p: '\\p{P}',
  P: '\\P{P}',
  '"': '"',
};

/**
 * Compiles a template's pattern to a JavaScript regular expression with the flag `u` that takes
 * linear time: Wapiti's `\a \l \u \p` and their negations become Unicode classes, `\"` is a quote,
 * everything else is unchanged; `\p{...}` and `\u1234` keep their JavaScript meaning.
 *
 * @throws SyntaxError if the result is not a valid regular expression; TagstreamError `config` if
 * it cannot be matched without backtracking
 * @example
 * compilePattern('^\\u').test('Éa') // => true
 */
export function compilePattern(pattern: string): TextPattern {
  const translated = pattern.replace(/\\(u[0-9a-fA-F]{4}|[uUpP]\{|.)/gu, (whole, letter: string) =>
    letter.length === 1 ? (classes[letter] ?? whole) : whole,
  );
  return textPattern(translated);
}

/**
 * Applies a custom token function to the argument in its template: a number if it parses as one,
 * otherwise its text without quotes.
 *
 * @param fail throws an error at the template's position
 */
function customFunction(
  component: TokenFunctionComponent,
  written: string | undefined,
  fail: (problem: string, fix: string) => never,
): FoundInToken {
  const { name, argument, example } = component;
  if (argument === undefined) {
    if (written !== undefined) {
      return fail(`%${name} takes two arguments`, `write it like ${example}`);
    }
    return component.create(undefined);
  }
  const result = argument.safeParse(argumentOf(written), { error: schemaMessages });
  if (result.success) return component.create(result.data);
  const shown =
    written === undefined ? 'has no third argument' : `cannot have the argument ${written}`;
  return fail(`%${name} ${shown}: ${result.error.issues[0]!.message}`, `write it like ${example}`);
}

function argumentOf(written: string | undefined): string | number | undefined {
  if (written === undefined) return undefined;
  const quoted = /^"(.*)"$/s.exec(written);
  if (quoted !== null) return quoted[1]!.replaceAll(/\\(["\\])/g, '$1');
  return written !== '' && Number.isFinite(Number(written)) ? Number(written) : written;
}
