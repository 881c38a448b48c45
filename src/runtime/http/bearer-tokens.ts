import { createHash } from 'node:crypto';
import { TagstreamError } from '../../engine/core/errors.js';
import { keepSecret } from '../../engine/core/secrets.js';

/** Minimum length of a token. */
const shortest = 16;

/**
 * The tokens of a file, one per line; blank lines and lines that begin with `#` are ignored. Keeps only their digests.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `config` for a short token, white space within one, or a file without any
 * @example
 * const tokens = BearerTokens.parse('# alice\n0123456789abcdef\n', 'tokens');
 * ['Bearer 0123456789abcdef', 'bearer 0123456789abcdef', 'Bearer 0', undefined].map(header => tokens.has(header))
 * // => [true, true, false, false]
 */
export class BearerTokens {
  readonly #digests: ReadonlySet<string>;

  static parse(text: string, source: string): BearerTokens {
    const tokens: string[] = [];
    for (const [i, line] of text.split(/\r?\n/).entries()) {
      const token = line.trim();
      if (token === '' || token.startsWith('#')) continue;
      if (token.length < shortest || !/^[\w.~+/=-]+$/.test(token)) {
        throw new TagstreamError('config', `no token of ${shortest} characters or more`, {
          place: { source, line: i + 1 },
          fix: 'write one token per line, of letters, digits and -._~+/=, such as the output of `openssl rand -hex 32`',
        });
      }
      tokens.push(token);
    }
    if (tokens.length === 0) {
      throw new TagstreamError('config', 'the file has no token', {
        place: { source },
        fix: 'write one token per line',
      });
    }
    for (const token of tokens) keepSecret(token);
    return new BearerTokens(tokens);
  }

  private constructor(tokens: readonly string[]) {
    this.#digests = new Set(tokens.map(digestOf));
  }

  /** Whether the header `Authorization` contains one of the tokens, in constant time. */
  has(authorization: string | undefined): boolean {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return token !== undefined && this.#digests.has(digestOf(token));
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
