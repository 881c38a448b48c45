import type { ZodType } from 'zod';
import { TagstreamError } from '../core/errors.js';
import type { TokenFunctionComponent } from '../features/template/token-function.js';
import type { TokenFunctionDefinition } from './definitions.js';
import { guarded } from './plugin-fault.js';

/** The token function of a plug-in, whose faults name it and the token. */
export function pluginFunction(
  definition: TokenFunctionDefinition,
  what: string,
): TokenFunctionComponent {
  const { name, summary } = definition;
  const argument = definition.argument as ZodType | undefined;
  const third = argument === undefined ? '' : ',...';
  return {
    ...{ name, summary, argument },
    example: definition.example ?? `U:%${name}[0,0${third}]`,
    create(given) {
      const find = guarded(what, 'config', () => definition.create(given as never));
      if (typeof find !== 'function') {
        throw new TagstreamError('config', `create of ${what} has not returned a function`, {
          fix: 'let it return token => text, or undefined for no feature',
        });
      }
      return token => {
        const found = guarded(what, 'stage', () => find(token));
        if (typeof found === 'string' || found === undefined) return found;
        throw new TagstreamError(
          'stage',
          `${what} has returned a ${typeof found} for the token ${JSON.stringify(token.slice(0, 40))}`,
          { fix: 'let it return text, or undefined for no feature' },
        );
      };
    },
  };
}
