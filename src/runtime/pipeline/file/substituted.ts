import { parse } from 'yaml';
import type * as z from 'zod';
import type { TagstreamError } from '../../../engine/core/errors.js';
import { isSecretVariable, keepSecret, keepSecretsIn } from '../../../engine/core/secrets.js';
import type { Path } from './yaml-document.js';

/** A reference to a variable, in a text that ends with `}`. */
const reference = /\$\{([A-Za-z_]\w*)(?:\}|:([-?])([^}]*)(?:\}|$))/g;

/** Maximum number of characters of a number or boolean. */
const longestScalar = 100;

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SubstitutionOptions {
  readonly environment: Environment;
  /** Returns the error about an unset variable without a default. */
  fail(path: Path, problem: string, fix: string): TagstreamError;
  /** Returns whether a value is kept unchanged. Default: no value is. */
  keeps?(path: Path, value: unknown): boolean;
}

/**
 * A parsed file with `${VAR}`, `${VAR:-default}` and `${VAR:?message}` replaced in all its strings; keys and structure
 * stay unchanged, so that a variable cannot change other parts of the file. Afterwards no message shows values that are
 * secret according to the name of their variable or option, or as part of an address.
 */
export class Substituted {
  value: unknown;
  readonly #options: SubstitutionOptions;
  /** Original strings with variables, by path. */
  readonly #written = new Map<string, string>();

  /** @throws TagstreamError `config` if a variable without a default is not set */
  constructor(value: unknown, options: SubstitutionOptions) {
    this.#options = options;
    keepSecretsIn(value);
    this.value = this.#replaced(value, []);
    keepSecretsIn(this.value);
  }

  /** Returns the value at a path. */
  at(path: Path): unknown {
    return path.reduce<unknown>(
      (value, step) => (value as Record<string, unknown>)[step],
      this.value,
    );
  }

  /** Returns the original text of a string that contained variables. */
  writtenAt(path: Path): string | undefined {
    return this.#written.get(JSON.stringify(path));
  }

  /**
   * Converts values that consist only of variables to the number or boolean that a schema expects there, if the text is
   * one. Returns whether it converted any.
   */
  retype(issues: readonly Issue[]): boolean {
    let retyped = false;
    for (const { path, accepts } of problemsOf(issues)) {
      const written = this.writtenAt(path);
      if (written === undefined || replaced(written, () => '') !== '') continue;
      const key = path.at(-1)!;
      const holder = this.at(path.slice(0, -1)) as Record<string, unknown>;
      const text = holder[key];
      const typed = typeof text === 'string' ? scalarOf(text) : undefined;
      if (typed === undefined || !accepts(typed)) continue;
      holder[key] = typed;
      retyped = true;
    }
    return retyped;
  }

  #replaced(value: unknown, path: Path): unknown {
    if (this.#options.keeps?.(path, value)) return value;
    if (typeof value === 'string') return this.#text(value, path);
    if (Array.isArray(value)) return value.map((item, i) => this.#replaced(item, [...path, i]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#replaced(item, [...path, key])]),
    );
  }

  #text(written: string, path: Path): string {
    const { environment, fail } = this.#options;
    let isReplaced = false;
    const text = replaced(written, (_, name, kind, more) => {
      isReplaced = true;
      const set = environment[name];
      const found = set !== undefined && set !== '' ? set : kind === '-' ? (more ?? '') : undefined;
      if (found !== undefined) {
        if (isSecretVariable(name)) keepSecret(found);
        return found;
      }
      const problem = `the environment variable ${name} is not set`;
      throw fail(path, kind === '?' && more ? `${problem}: ${more}` : problem, `set ${name}`);
    });
    if (isReplaced) this.#written.set(JSON.stringify(path), written);
    return text;
  }
}

/** Returns a text with its references replaced. */
function replaced(
  text: string,
  by: (reference: string, name: string, kind?: string, more?: string) => string,
): string {
  const end = text.lastIndexOf('}') + 1;
  return text.slice(0, end).replace(reference, by) + text.slice(end);
}

/** Returns the number or boolean that YAML would read from a text. */
function scalarOf(text: string): number | boolean | undefined {
  if (text.length > longestScalar) return undefined;
  try {
    const value = parse(text) as unknown;
    return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A problem that zod reports for a value. */
export type Issue = z.core.$ZodIssue;

/** A place where another type of value is expected. */
interface TypeProblem {
  readonly path: Path;
  /** Returns whether a number or boolean is accepted there. */
  accepts(value: number | boolean): boolean;
}

/** Yields the places where values of another type are expected, in all alternatives of a schema. */
function* problemsOf(issues: readonly Issue[], above: Path = []): Generator<TypeProblem> {
  for (const issue of issues) {
    const path = [...above, ...stepsOf(issue.path)];
    if (issue.code === 'invalid_union') {
      for (const branch of issue.errors) yield* problemsOf(branch, path);
    } else if (issue.code === 'invalid_type') {
      const wanted = issue.expected === 'int' ? 'number' : issue.expected;
      yield { path, accepts: value => typeof value === wanted };
    } else if (issue.code === 'invalid_value') {
      yield { path, accepts: value => issue.values.includes(value) };
    }
  }
}

/** Converts the path of an issue to a path in the file. */
export function stepsOf(path: readonly PropertyKey[]): Path {
  return path.map(step => (typeof step === 'number' ? step : String(step)));
}
