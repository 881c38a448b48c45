import type * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { nearest } from './nearest.js';
import type { Path, YamlDocument } from './yaml-document.js';

/** Checks values of a pipeline file and says where they stand when they are wrong. */
export class Checker {
  readonly #document: YamlDocument;

  constructor(document: YamlDocument) {
    this.#document = document;
  }

  /** An error about the value at a path. */
  fail(path: Path, problem: string, fix?: string): TagstreamError {
    return new TagstreamError('config', path.length === 0 ? problem : `${show(path)}: ${problem}`, {
      place: this.#document.place(path),
      ...(fix === undefined ? {} : { fix }),
    });
  }

  /**
   * A value as its schema has it, defaults filled in.
   *
   * @throws TagstreamError `config` with line, column and, for unknown keys, the nearest known one
   */
  parse<Schema extends z.ZodType>(schema: Schema, value: unknown, path: Path): z.output<Schema> {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const issue = result.error.issues[0]!;
    const where = [
      ...path,
      ...issue.path.map(step => (typeof step === 'number' ? step : String(step))),
    ];
    if (issue.code === 'unrecognized_keys') {
      const key = issue.keys[0]!;
      throw this.unknownKey([...where, key], key, keysOf(schema, issue.path));
    }
    throw this.fail(where, issue.message);
  }

  /** An error about a key that is not known. */
  unknownKey(path: Path, key: string, known: readonly string[]): TagstreamError {
    const near = nearest(key, known);
    const fix = near === undefined ? undefined : `did you mean ${near}? known: ${known.join(', ')}`;
    return this.fail(path, `unknown key "${key}"`, fix);
  }
}

/** Keys of the object schema that an issue is about. */
function keysOf(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let inner: Inspectable | undefined = schema as Inspectable;
  for (const step of path) {
    const holder = unwrapped(inner);
    inner = typeof step === 'number' ? holder?.element : holder?.shape?.[String(step)];
  }
  return Object.keys(unwrapped(inner)?.shape ?? {});
}

/** What zod's schemas show of their parts. */
interface Inspectable {
  readonly shape?: Readonly<Record<string, Inspectable>>;
  readonly element?: Inspectable;
  readonly unwrap?: () => Inspectable;
}

/** An object or array schema without the options and defaults around it. */
function unwrapped(schema: Inspectable | undefined): Inspectable | undefined {
  let inner = schema;
  while (inner !== undefined && inner.shape === undefined && inner.element === undefined) {
    if (inner.unwrap === undefined) return undefined;
    inner = inner.unwrap();
  }
  return inner;
}

function show(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
