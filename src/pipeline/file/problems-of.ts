import type * as z from 'zod';
import type { Path } from './yaml-document.js';

/** What zod finds wrong with a value. */
export type Issue = z.core.$ZodIssue;

/** A place where a value of another type is wanted. */
export interface TypeProblem {
  readonly path: Path;
  /** Whether a number or boolean is what is wanted there. */
  accepts(value: number | boolean): boolean;
}

/** The places where values of another type are wanted, by all alternatives that a schema has. */
export function* problemsOf(issues: readonly Issue[], above: Path = []): Generator<TypeProblem> {
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
