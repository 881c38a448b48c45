import { parse } from 'yaml';
import type * as z from 'zod';
import type { TagstreamError } from '../../core/errors.js';
import { isSecretVariable, keepSecret, keepSecretsIn } from '../../core/secrets.js';
import type { Path } from './yaml-document.js';

const reference = /\$\{([A-Za-z_]\w*)(?::([-?])([^}]*))?\}/g;

/** Characters of a number or boolean at most. */
const longestScalar = 100;

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SubstitutionOptions {
  readonly environment: Environment;
  /** Makes the error about a variable without default that is not set. */
  fail(path: Path, problem: string, fix: string): TagstreamError;
  /** Says which values are kept unchanged. Default: none. */
  keeps?(path: Path, value: unknown): boolean;
}

/**
 * A parsed file with `${VAR}`, `${VAR:-default}` and `${VAR:?message}` replaced in all its strings; keys and
 * structure stay as they are, so that a variable cannot change what the file says otherwise. Values that are secret by
 * the name of their variable or option, or as part of an address, are shown by no message from then on.
 */
export class Substituted {
  value: unknown;
  readonly #options: SubstitutionOptions;
  /** Strings that had variables in them, as the file has them, by path. */
  readonly #written = new Map<string, string>();

  /** @throws TagstreamError `config` where a variable without default is not set */
  constructor(value: unknown, options: SubstitutionOptions) {
    this.#options = options;
    keepSecretsIn(value);
    this.value = this.#replaced(value, []);
    keepSecretsIn(this.value);
  }

  /** The value at a path. */
  at(path: Path): unknown {
    return path.reduce<unknown>(
      (value, step) => (value as Record<string, unknown>)[step],
      this.value,
    );
  }

  /** What the file has where a string with variables stood. */
  writtenAt(path: Path): string | undefined {
    return this.#written.get(JSON.stringify(path));
  }

  /**
   * Has what consists of variables alone be the number or boolean that a schema wanted in its place, where the text
   * is one. Returns whether anything was.
   */
  retype(issues: readonly Issue[]): boolean {
    let retyped = false;
    for (const { path, accepts } of problemsOf(issues)) {
      if (this.writtenAt(path)?.replace(reference, '') !== '') continue;
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
    const text = written.replace(reference, (_, name: string, kind?: string, more?: string) => {
      const set = environment[name];
      const found = set !== undefined && set !== '' ? set : kind === '-' ? (more ?? '') : undefined;
      if (found !== undefined) {
        if (isSecretVariable(name)) keepSecret(found);
        return found;
      }
      const problem = `the environment variable ${name} is not set`;
      throw fail(path, kind === '?' && more ? `${problem}: ${more}` : problem, `set ${name}`);
    });
    if (written.search(reference) >= 0) this.#written.set(JSON.stringify(path), written);
    return text;
  }
}

/** The number or boolean that a text is to YAML. */
function scalarOf(text: string): number | boolean | undefined {
  if (text.length > longestScalar) return undefined;
  try {
    const value = parse(text) as unknown;
    return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What zod finds wrong with a value. */
export type Issue = z.core.$ZodIssue;

/** A place where a value of another type is wanted. */
interface TypeProblem {
  readonly path: Path;
  /** Whether a number or boolean is what is wanted there. */
  accepts(value: number | boolean): boolean;
}

/** The places where values of another type are wanted, by all alternatives that a schema has. */
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

/** The path of an issue as that of a file. */
export function stepsOf(path: readonly PropertyKey[]): Path {
  return path.map(step => (typeof step === 'number' ? step : String(step)));
}
