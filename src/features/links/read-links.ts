import { TagstreamError } from '../../core/errors.js';
import type { Sentence } from '../../core/sentence/sentence.js';

/** Two tokens of a sentence that are linked, and how. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly type: string;
}

const fix = 'each link is [token, token, "type"]: two different tokens of one sentence, from 0';

/**
 * The links that the record of a sentence names: `links: [[0, 7, "same-word"], [3, 4]]`, by tokens of the record; the
 * type is `link` where there is none. Those of its other sentences are left out.
 *
 * @throws TagstreamError `wrong-shape` for what is no list of links, a token that there is not, a token that is linked with
 * itself, and a link between two sentences
 * @example
 * const document = { links: [[0, 1, 'cites']] };
 * readLinks({ tokens: ['a', 'b'], columns: {}, document, part: { index: 0, count: 1, start: 0 } })
 * // => [{ from: 0, to: 1, type: 'cites' }]
 */
export function readLinks({ tokens, document, part }: Sentence): Link[] {
  const { links } = document;
  if (links === undefined || links === null) return [];
  if (!Array.isArray(links)) throw wrong(`links is ${typeof links}`);
  const read: Link[] = [];
  const isInside = (token: number) => token >= part.start && token < part.start + tokens.length;
  const most = document.tokens?.length ?? Number.POSITIVE_INFINITY;
  for (const [k, link] of links.entries()) {
    const [from, to, type = 'link'] = Array.isArray(link) && link.length <= 3 ? link : [];
    for (const token of [from, to]) {
      if (!Number.isInteger(token) || token < 0 || token >= most) {
        throw wrong(`links[${k}] is ${JSON.stringify(link)}`);
      }
    }
    if (typeof type !== 'string' || type === '' || from === to) {
      throw wrong(`links[${k}] is ${JSON.stringify(link)}`);
    }
    if (!isInside(from) && !isInside(to) && part.count > 1) continue;
    if (!isInside(from) || !isInside(to)) {
      const outside = isInside(from) ? to : from;
      throw wrong(`links[${k}] names token ${outside}, which is not in the same sentence`);
    }
    read.push({ from: from - part.start, to: to - part.start, type });
  }
  return read;
}

function wrong(problem: string): TagstreamError {
  return new TagstreamError('wrong-shape', problem, { fix });
}
