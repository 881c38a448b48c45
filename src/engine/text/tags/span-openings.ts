import { placeOf } from './chunk-boundaries.js';
import { SchemeCounts } from './detect-scheme.js';
import { schemeLetters, type TagScheme } from './tag-scheme.js';

/**
 * Counts spans of a data set whose first tag violates its scheme: `I-X` after `O` in BIO, `I-X` or
 * `E-X` in BIOES. They still count as spans, so nothing else reveals them. Schemes whose spans
 * begin with `I` have no such spans.
 *
 * @example
 * const openings = new SpanOpenings();
 * openings.see(['B-PER', 'I-PER', 'O', 'B-LOC', 'I-LOC'], () => 'a.txt:1');
 * openings.see(['O', 'I-LOC'], () => 'a.txt:7');
 * openings.warning
 * // => '1 of 3 spans begins with a tag that in BIO only continues one, the first at a.txt:7: token 2 is I-LOC after O; it counts as a span, but should be B-LOC'
 */
export class SpanOpenings {
  readonly #counts = new SchemeCounts();
  #first: { readonly where: string; readonly tag: string; readonly text: string } | undefined;

  /**
   * Counts the tags of a sentence.
   *
   * @param where returns the sentence's position, which is reported for the first such span
   */
  see(tags: readonly string[], where: () => string): void {
    const t = this.#counts.add(tags);
    if (t < 0 || this.#first !== undefined) return;
    const before = t === 0 ? 'at the start of the sentence' : `after ${tags[t - 1]}`;
    const text = `token ${t + 1} is ${tags[t]} ${before}`;
    this.#first = { where: where(), tag: tags[t]!, text };
  }

  /** Scheme of all tags. */
  get scheme(): TagScheme {
    return this.#counts.scheme;
  }

  /** Number of spans whose first tag violates the scheme. */
  get count(): number {
    const { scheme } = this;
    if (scheme === 'none' || placeOf(schemeLetters[scheme].first) !== 'first') return 0;
    return this.#counts.openings;
  }

  /** Warning in one sentence; undefined if there are no such spans. */
  get warning(): string | undefined {
    const { count, scheme } = this;
    if (count === 0 || scheme === 'none') return undefined;
    const { where, tag, text } = this.#first!;
    const { first, single } = schemeLetters[scheme];
    const right = [...new Set([first, single])].map(letter => letter + tag.slice(1)).join(' or ');
    const [begin, they] =
      count === 1
        ? ['begins', 'it counts as a span, but should be']
        : ['begin', 'they count as spans, but should be'];
    return `${count} of ${this.#counts.spans} spans ${begin} with a tag that in ${scheme} only continues one, the first at ${where}: ${text}; ${they} ${right}`;
  }
}
