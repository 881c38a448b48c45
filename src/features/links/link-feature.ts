import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/wording/nearest.js';
import type { TokenFunction } from '../template/template.js';

/** What a feature of a link may look at, of the tokens at both of its ends. */
const functions: Readonly<Record<string, TokenFunction>> = {
  ...{ text: 'value', lower: 'lower', shape: 'shape', type: 'type' },
};

const distance = 'distance';

/** The kinds of link features, in the order in which they are listed. */
export const linkFeatureKinds: readonly string[] = [...Object.keys(functions), distance];

/** A feature of a link, as it was written, and what it looks at; without a function it is the distance. */
export interface LinkFeature {
  readonly source: string;
  readonly apply?: TokenFunction;
  /** Name of a column; `form` is the tokens. */
  readonly column: string;
}

/**
 * Reads features of links: `text`, `lower`, `shape` or `type` of the tokens at both ends, or of another column as
 * `lower:pos`, and `distance`, how many tokens apart they are.
 *
 * @throws TagstreamError `config` for others
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

/** How far two tokens are apart, in classes: 1, 2, 3, 4, up to 8, 16 and so on. */
export function distanceClass(from: number, to: number): string {
  const apart = Math.abs(to - from);
  return apart <= 4 ? `${apart}` : `..${2 ** Math.ceil(Math.log2(apart))}`;
}

/** Which links equal words get; plain data. */
export interface SameWordLinks {
  /** Words with a first letter in upper case, or all. */
  readonly of: 'capitalised' | 'all';
  /** Name of the column whose values are compared; `form` is the tokens. */
  readonly column: string;
  /** Each token is linked with this many of the nearest equal ones before it. */
  readonly perToken: number;
}

/** Most links of a token with those before it. */
export const mostPerToken = 16;

/** Tokens as nodes of a graph; plain data, part of a model. */
export interface GraphSpec {
  /** Links between equal words of a record; none if absent. Links that records name are taken in any case. */
  readonly sameWord?: SameWordLinks;
  /** What is scored of a link besides its type, such as `shape` or `distance`: see `parseLinkFeatures`; nothing if absent. */
  readonly features?: readonly string[];
  /**
   * `free`: a weight for each pair of labels of a link type; `associative`: for equal labels alone, and not below 0.
   */
  readonly potentials: 'free' | 'associative';
  /** Widest junction tree by which a record is inferred exactly. */
  readonly maxWidth: number;
  /** In which order loopy belief propagation sends messages. */
  readonly schedule: 'flooding' | 'residual';
}
