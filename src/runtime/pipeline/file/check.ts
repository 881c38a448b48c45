import type * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { schemaMessages } from '../../../engine/core/schema/schema-messages.js';
import { nearest, suggestion } from '../../../engine/core/wording/nearest.js';
import { counted, grouped } from '../../../engine/core/wording/numbers.js';
import { type Issue, type Substituted, stepsOf } from './substituted.js';
import type { Path, YamlDocument } from './yaml-document.js';

/** Parse options with the messages for schema errors. */
const readable = { error: schemaMessages };

/** Checks values of a pipeline file, and reports the positions of wrong ones. */
export class Checker {
  readonly #document: YamlDocument;
  /** Returns the owner of the component at a path, for errors about its options. */
  about: (path: Path) => string | undefined = () => undefined;

  constructor(document: YamlDocument) {
    this.#document = document;
  }

  /** Returns an error about the value at a path. */
  fail(path: Path, problem: string, fix?: string): TagstreamError {
    return new TagstreamError('config', path.length === 0 ? problem : `${show(path)}: ${problem}`, {
      place: this.#document.place(path),
      ...(fix === undefined ? {} : { fix }),
    });
  }

  /** @throws TagstreamError `config` if the file contains only white space and comments */
  requireContents(fix: string): void {
    if ((this.#document.value ?? undefined) !== undefined) return;
    throw this.fail([], 'the file is empty or contains only comments', fix);
  }

  /**
   * Parses a value by its schema, filling in defaults.
   *
   * @throws TagstreamError `config` with line, column and, for an unknown key, the nearest known key
   */
  parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    const result = schema.safeParse(value, readable);
    if (result.success) return result.data;
    throw this.#wrong(schema, result.error.issues[0]!);
  }

  /**
   * Parses a file with variables, whose values take the type that the schema expects.
   *
   * @throws TagstreamError `config`, like `parse`; names the variables in a wrong value
   */
  parseSubstituted<Schema extends z.ZodType>(schema: Schema, file: Substituted): z.output<Schema> {
    let result = schema.safeParse(file.value, readable);
    while (!result.success && file.retype(result.error.issues)) {
      result = schema.safeParse(file.value, readable);
    }
    if (result.success) return result.data;
    const issue = result.error.issues[0]!;
    const path = stepsOf(issue.path);
    const written = file.writtenAt(path);
    if (written === undefined) throw this.#wrong(schema, issue);
    const value = file.at(path);
    // The value of a variable may be secret, whatever the variable's name.
    const given =
      typeof value === 'string' ? `a text of ${counted(value.length, 'character')}` : value;
    throw this.fail(
      path,
      `${wanted(issue)}; ${written} gives ${given}`,
      'set the variable to an expected value',
    );
  }

  #wrong(schema: z.ZodType, found: Issue): TagstreamError {
    const issue = innermost(found);
    const where = stepsOf(issue.path);
    if (issue.code !== 'unrecognized_keys') {
      return this.fail(where, issue.message, this.about(where));
    }
    return this.#unknownKey([...where, issue.keys[0]!], issue.keys, keysOf(schema, issue.path));
  }

  /** Returns an error about unknown keys of one object, at the position of the first key. */
  #unknownKey(path: Path, keys: readonly string[], known: readonly string[]): TagstreamError {
    const [key] = keys as [string];
    const near = nearest(key, known);
    const about = this.about(path);
    const more = keys.length === 1 ? '' : ` and ${grouped(keys.length - 1)} more`;
    // A note on the place is better than a list of dissimilar names.
    const fix =
      known.length === 0 || (near === undefined && about !== undefined)
        ? undefined
        : suggestion(key, known);
    const fixes = [fix, about].filter(text => text !== undefined);
    return this.fail(
      path,
      `unknown key "${key}"${more}`,
      fixes.length === 0 ? undefined : fixes.join('; '),
    );
  }
}

/** Returns, for alternatives, the problem inside the alternative closest to the value. */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const inside = issue.errors.map(([first]) => first).find(first => first?.path.length !== 0);
  if (inside === undefined) return issue;
  return innermost({ ...inside, path: [...issue.path, ...inside.path] });
}

/** Returns the keys of the object schema that an issue is about. */
function keysOf(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let inner: Inspectable | undefined = schema as Inspectable;
  for (const step of path) {
    const holder = unwrapped(inner);
    inner = typeof step === 'number' ? holder?.element : holder?.shape?.[String(step)];
  }
  return Object.keys(unwrapped(inner)?.shape ?? {});
}

/** The parts that zod's schemas expose. */
interface Inspectable {
  readonly shape?: Readonly<Record<string, Inspectable>>;
  readonly element?: Inspectable;
  readonly unwrap?: () => Inspectable;
  /** Alternatives of a union. */
  readonly options?: readonly Inspectable[];
}

/** Returns an object or array schema without the options and defaults around it. */
function unwrapped(schema: Inspectable | undefined): Inspectable | undefined {
  let inner = schema;
  while (inner !== undefined && inner.shape === undefined && inner.element === undefined) {
    const object = inner.options?.find(option => unwrapped(option)?.shape !== undefined);
    if (object === undefined && inner.unwrap === undefined) return undefined;
    inner = object ?? inner.unwrap!();
  }
  return inner;
}

/** Returns a description of the expected value, without the actual one. */
function wanted(issue: Issue): string {
  return issue.message
    .replace(/, got .*$/s, '')
    .replace(/^there is no .*?: (?=did you|known|there)/s, 'no such name: ');
}

function show(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
