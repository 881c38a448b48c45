import type { ZodType } from 'zod';

/** What a token function finds in the text of a token; undefined where there is nothing, and so no feature. */
export type FoundInToken = (token: string) => string | undefined;

/** A token function that templates can use in addition to the built-in ones: `%name[offset,column]`. */
export interface TokenFunctionComponent {
  /** Its name, letters only, as written after the percent sign. */
  readonly name: string;
  readonly summary: string;
  /** A template with it. */
  readonly example: string;
  /** What its third argument may be, a number where it reads as one; absent where it has none. */
  readonly argument?: ZodType | undefined;
  /** Called once for each template that names it. */
  create(argument: unknown): FoundInToken;
}

/** Token functions by their names. */
export type TokenFunctions = ReadonlyMap<string, TokenFunctionComponent>;

/** None but the built-in ones. */
export const noTokenFunctions: TokenFunctions = new Map();
