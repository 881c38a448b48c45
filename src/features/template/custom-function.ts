import { schemaMessages } from '../../core/schema/schema-messages.js';
import type { FoundInToken, TokenFunctionComponent } from './token-function.js';

/**
 * What a token function that is not built in makes of the argument in its template: a number where that reads as one,
 * else its text, without the quotes around it.
 *
 * @param fail throws an error at the place of the template
 */
export function customFunction(
  component: TokenFunctionComponent,
  written: string | undefined,
  fail: (problem: string, fix: string) => never,
): FoundInToken {
  const { name, argument, example } = component;
  if (argument === undefined) {
    if (written !== undefined) {
      return fail(`%${name} takes two arguments`, `write it as in ${example}`);
    }
    return component.create(undefined);
  }
  const result = argument.safeParse(argumentOf(written), { error: schemaMessages });
  if (result.success) return component.create(result.data);
  const shown =
    written === undefined ? 'has no third argument' : `cannot have the argument ${written}`;
  return fail(`%${name} ${shown}: ${result.error.issues[0]!.message}`, `write it as in ${example}`);
}

function argumentOf(written: string | undefined): string | number | undefined {
  if (written === undefined) return undefined;
  const quoted = /^"(.*)"$/s.exec(written);
  if (quoted !== null) return quoted[1]!.replaceAll(/\\(["\\])/g, '$1');
  return written !== '' && Number.isFinite(Number(written)) ? Number(written) : written;
}
