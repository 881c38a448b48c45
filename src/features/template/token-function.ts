import type { ZodType } from 'zod';

/** Computes a token function's value from the text of a token; undefined means no feature. */
export type FoundInToken = (token: string) => string | undefined;

/** A token function that templates can use in addition to the built-in ones: `%name[offset,column]`. */
export interface TokenFunctionComponent {
  /** Its name, letters only, as written after the percent sign. */
  readonly name: string;
  readonly summary: string;
  /** A template with it. */
  readonly example: string;
  /** The schema of its third argument, a number if it parses as one; absent if it takes none. */
  readonly argument?: ZodType | undefined;
  /** Called once for each template that names it. */
  create(argument: unknown): FoundInToken;
}

/** Token functions by their names. */
export type TokenFunctions = ReadonlyMap<string, TokenFunctionComponent>;

/** Only the built-in ones. */
export const noTokenFunctions: TokenFunctions = new Map();
