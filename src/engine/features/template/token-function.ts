import type { ZodType } from 'zod';

/** Computes a token function's value from the text of a token; undefined means no feature. */
export type FoundInToken = (token: string) => string | undefined;

/** A token function that templates can use in addition to the built-in ones: `%name[offset,column]`. */
export interface TokenFunctionComponent {
  /** Name of letters only, as written after the percent sign. */
  readonly name: string;
  readonly summary: string;
  /** Template that uses the function. */
  readonly example: string;
  /**
   * Schema of the third argument, a number if it parses as one; absent if there is no such
   * argument.
   */
  readonly argument?: ZodType | undefined;
  /** Creates the function, once for each template that names it. */
  create(argument: unknown): FoundInToken;
}

/** Token functions by name. */
export type TokenFunctions = ReadonlyMap<string, TokenFunctionComponent>;

/** No token functions in addition to the built-in ones. */
export const noTokenFunctions: TokenFunctions = new Map();
