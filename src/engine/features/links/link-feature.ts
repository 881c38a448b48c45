import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/wording/nearest.js';
import type { TokenFunction } from '../template/template.js';

/** Link features: functions of the tokens at both ends. */
const functions: Readonly<Record<string, TokenFunction>> = {
  ...{ text: 'value', lower: 'lower', shape: 'shape', type: 'type' },
};

const distance = 'distance';

/** Kinds of link features, in listing order. */
export const linkFeatureKinds: readonly string[] = [...Object.keys(functions), distance];

/** A parsed link feature with its source; the distance if it has no function. */
export interface LinkFeature {
  readonly source: string;
  readonly apply?: TokenFunction;
  /** Name of a column; `form` names the tokens. */
  readonly column: string;
}

/**
 * Parses link features: `text`, `lower`, `shape` or `type` of the tokens at both ends, or of
 * another column, as in `lower:pos`, and `distance`, the distance in tokens.
 *
 * @throws TagstreamError `config` for other features
 * @example
 * parseLinkFeatures(['shape:pos', 'distance'])
 * // => [{ source: 'shape:pos', apply: 'shape', column: 'pos' }, { source: 'distance', column: 'form' }]
 */
export function parseLinkFeatures(sources: readonly string[]): LinkFeature[] {
  return sources.map(source => {
    const colon = source.indexOf(':');
    const kind = colon < 0 ? source : source.slice(0, colon);
    const column = colon < 0 ? 'form' : source.slice(colon + 1);
    const apply = Object.hasOwn(functions, kind) ? functions[kind] : undefined;
    if (column === '' || (apply === undefined && (kind !== distance || colon >= 0))) {
      throw new TagstreamError('config', `there is no link feature "${source}"`, {
        fix: suggestion(kind, linkFeatureKinds),
      });
    }
    return { source, ...(apply === undefined ? {} : { apply }), column };
  });
}

/** Returns the distance of two tokens as a class: 1, 2, 3, 4, up to 8, 16 and so on. */
export function distanceClass(from: number, to: number): string {
  const apart = Math.abs(to - from);
  return apart <= 4 ? `${apart}` : `..${2 ** Math.ceil(Math.log2(apart))}`;
}

/** Selection of equal words to be linked; plain data. */
export interface SameWordLinks {
  /** Whether only words that begin with a capital letter are linked, or all words. */
  readonly of: 'capitalised' | 'all';
  /** Name of the column whose values are compared; `form` names the tokens. */
  readonly column: string;
  /** Maximum number of nearest previous equal tokens with which each token is linked. */
  readonly perToken: number;
}

/** Upper limit for the links of a token to previous ones. */
export const mostPerToken = 16;

/** Settings of a graph whose nodes are tokens; plain data, part of a model. */
export interface GraphSpec {
  /**
   * Links between equal words of a record; none if absent. Links named in records are always used.
   */
  readonly sameWord?: SameWordLinks;
  /** Link features scored in addition to the type, such as `shape` or `distance`: see `parseLinkFeatures`; none if absent. */
  readonly features?: readonly string[];
  /**
   * Weights of a link type: `free` has one for each pair of labels; `associative` has only
   * non-negative ones for equal labels.
   */
  readonly potentials: 'free' | 'associative';
  /** Maximum junction tree width for exact inference. */
  readonly maxWidth: number;
  /** Message schedule of loopy belief propagation. */
  readonly schedule: 'flooding' | 'residual';
}
