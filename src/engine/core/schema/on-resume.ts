// Only its types: commands that start fast load this module, but no schemas.
import type * as z from 'zod';

/**
 * What an option decides that may change between a checkpoint and the run that resumes from it:
 *
 * | kind | |
 * |---|---|
 * | `place` | where something is, and how it is reached |
 * | `observation` | what is watched, reported or kept, and how often |
 * | `work` | how the work is divided and paced, with the same results |
 * | `length` | how long the run goes on |
 * | `output` | what is written, if nothing is learned from it |
 * | `input` | where the rest of a stream comes from |
 */
export type ChangeableKind = 'place' | 'observation' | 'work' | 'length' | 'output' | 'input';

/** The run that resumes, as far as options depend on it. */
export interface ResumedRun {
  /** Whether it learns from a corpus, learns from a stream, or only tags. */
  readonly kind: 'train' | 'learn' | 'tag';
  /** Whether it changes what it learns when it warns of drift. */
  readonly answersDrift: boolean;
}

interface Declared {
  /** Undefined for an option that must not change, within one that may. */
  readonly is: ChangeableKind | undefined;
  readonly when?: ((run: ResumedRun) => boolean) | undefined;
}

const declared = new WeakMap<object, Declared>();

/**
 * Declares that an option, with all options in it, may change between a checkpoint and the run that resumes from it. An
 * option that is not declared must not change, because what was learned so far, or the results so far, may depend on it.
 * For example, `{ dir: onResume('place', z.string()), rate: z.number() }` lets `dir` change, and `rate` not.
 *
 * @param is what it decides; undefined: it must not change, unlike the options around it
 * @param when the runs in which it may change; default: all
 */
export function onResume<Schema extends z.ZodType>(
  is: ChangeableKind | undefined,
  schema: Schema,
  when?: (run: ResumedRun) => boolean,
): Schema {
  declared.set(schema, { is, when });
  return schema;
}

/** Declares the same for each option of a shape. */
export function allOnResume<Shape extends Readonly<Record<string, z.ZodType>>>(
  is: ChangeableKind,
  shape: Shape,
): Shape {
  for (const schema of Object.values(shape)) onResume(is, schema);
  return shape;
}

/**
 * Returns what the option at a path decides, if it may change when a run resumes. Options of plug-ins declare it by the
 * key `resume` of their metadata or JSON Schema, as `place` or `observation`.
 */
export function changeableOf(
  schema: z.ZodType,
  path: readonly string[],
  run: ResumedRun,
): ChangeableKind | undefined {
  const own = declarationOf(schema);
  if (own !== undefined) return own.when?.(run) === false ? undefined : own.is;
  const { def } = schema._zod as unknown as { readonly def: AnyDefinition };
  if (def.innerType !== undefined) return changeableOf(def.innerType, path, run);
  if (def.in !== undefined) return changeableOf(def.in, path, run);
  if (def.options !== undefined) return changeableInAny(def.options, path, run);
  const [key, ...rest] = path;
  if (key === undefined) return undefined;
  const inner =
    def.element ??
    def.valueType ??
    (def.shape !== undefined && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined);
  return inner === undefined ? undefined : changeableOf(inner, rest, run);
}

/** The used parts of the definitions of schemas. */
interface AnyDefinition {
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

function declarationOf(schema: z.ZodType): Declared | undefined {
  // A copy of a schema, as `describe` makes, names the original.
  for (let at: z.core.$ZodType | undefined = schema; at !== undefined; at = at._zod.parent) {
    const own = declared.get(at);
    if (own !== undefined) return own;
  }
  const { resume } = (schema.meta?.() ?? {}) as { readonly resume?: unknown };
  return resume === 'place' || resume === 'observation' ? { is: resume } : undefined;
}

/** Of several forms of an option, the one that has the path decides; if several have it, they have to agree. */
function changeableInAny(
  schemas: readonly z.ZodType[],
  path: readonly string[],
  run: ResumedRun,
): ChangeableKind | undefined {
  const found = new Set(
    schemas.filter(schema => hasPath(schema, path)).map(schema => changeableOf(schema, path, run)),
  );
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

function hasPath(schema: z.ZodType, path: readonly string[]): boolean {
  const { def } = schema._zod as unknown as { readonly def: AnyDefinition };
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return hasPath(inner, path);
  if (def.options !== undefined) return def.options.some(option => hasPath(option, path));
  const [key] = path;
  if (def.shape !== undefined) return key !== undefined && Object.hasOwn(def.shape, key);
  const isNested = def.element !== undefined || def.valueType !== undefined;
  return isNested === (key !== undefined);
}
