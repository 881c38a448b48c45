import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Span } from '../../core/sentence/sentence.js';
import { placeOf } from './chunk-boundaries.js';
import { letterAt } from './convert-tags.js';
import { spansOf } from './spans.js';
import { formOptions, forms, outsides, standardOf, type TagForm } from './tag-form.js';
import { type SpanScheme, schemeLetters, spanSchemes, type TagScheme } from './tag-scheme.js';

/**
 * Schemes recognised by their letters if only labels are known; the first scheme that has all
 * letters wins.
 */
const byLetters: readonly SpanScheme[] = ['IO', 'BIO', 'IOE2', 'BIOES', 'BILOU', 'BMES', 'BMEWO'];

const lettersOf = (scheme: SpanScheme) =>
  new Set(Object.values<string>({ ...schemeLetters[scheme] }));
const letters = new Map(spanSchemes.map(scheme => [scheme, lettersOf(scheme)]));

/**
 * Returns the tag scheme of a model, determined from its set of labels.
 *
 * All labels must be `O`, or a letter of one scheme with a type (`B-NP`). Labels without a type
 * (`B`, `I`, ...) are also accepted if they include `O` and B or I, or B, E and M or I as in word
 * segmentation: other single letters are more likely class names. Span-ending letters of several
 * schemes count as `BIOES`. Labels alone cannot distinguish IOB1 from BIO, nor IOE1 from IOE2: see
 * `SchemeCounts`.
 *
 * @example
 * detectScheme(['O', 'B-NP', 'I-NP']) // => 'BIO'
 * detectScheme(['O', 'B-NP', 'I-NP', 'L-NP', 'U-NP']) // => 'BILOU'
 * detectScheme(['B', 'M', 'E', 'S']) // => 'BMES'
 * detectScheme(['NOUN', 'VERB', 'O']) // => 'none'
 */
export function detectScheme(labels: Iterable<string>): TagScheme {
  requireArgument('detectScheme: the labels', labels, kinds.texts);
  const seen = new Set<string>();
  let outside = false;
  let bare = false;
  for (const label of labels) {
    if (label === 'O') {
      outside = true;
      continue;
    }
    if (placeOf(label) === undefined || label.length === 2) return 'none';
    bare ||= label.length === 1;
    seen.add(label[0]!);
  }
  const has = (...all: readonly string[]) => all.every(letter => seen.has(letter));
  if (bare && !(outside && (has('B') || has('I'))) && !(has('B', 'E') && (has('I') || has('M')))) {
    return 'none';
  }
  if (seen.size === 0) return 'none';
  const scheme = byLetters.find(name => [...seen].every(letter => letters.get(name)!.has(letter)));
  // A letter that only continues or ends a span is more likely a class name if no label begins one.
  if (scheme !== undefined) return begins(seen) ? scheme : 'none';
  return has('B') && (has('I') || has('M')) ? 'BIOES' : 'none';
}

/**
 * Returns the form of labels that mark spans in a notation other than `B-PER` and `O`; undefined if
 * the labels use that notation or mark no spans.
 *
 * @example
 * tagFormOf(['O', 'B_PER', 'I_PER']) // => ({ spanTags: 'B_X' })
 * tagFormOf(['-', 'PER_B', 'PER_I']) // => ({ spanTags: 'X_B', outside: '-' })
 * tagFormOf(['O', 'B-PER', 'I-PER']) // => undefined
 * tagFormOf(['NN', 'NN_S']) // => undefined
 */
export function tagFormOf(labels: Iterable<string>): TagForm | undefined {
  const all = [...new Set(labels)];
  if (detectScheme(all) !== 'none') return undefined;
  const outside = all.includes('O') ? undefined : all.find(label => outsides.has(label));
  const marking = all.filter(label => label !== 'O' && label !== outside);
  const isForm = (spanTags: string) => {
    const tags: string[] = [];
    for (const tag of marking) {
      const standard = standardOf(tag, spanTags);
      if (standard === undefined) return false;
      tags.push(standard);
    }
    // S_1 and M_1 may be class names: spans of several tokens need more letters.
    const begins = tags.some(tag => /^[BIUSW]-/.test(tag));
    const isSure = tags.some(tag => tag.startsWith('B-') || tag.startsWith('I-'));
    return begins && isSure && all.length > marking.length && detectScheme(tags) !== 'none';
  };
  const own = outside === undefined ? {} : { outside };
  if (outside !== undefined && marking.length > 0 && detectScheme(marking) !== 'none') {
    return marking.some(tag => /^[BI]-/.test(tag)) ? own : undefined;
  }
  const spanTags = forms.find(isForm);
  return spanTags === undefined ? undefined : { spanTags, ...own };
}

/** Returns whether a span of these letters can begin. */
function begins(seen: ReadonlySet<string>): boolean {
  return ['B', 'I', 'E', 'S', 'U', 'W'].some(letter => seen.has(letter));
}

/** The schemes of gold and predicted tags if they differ. */
export interface DifferentSchemes {
  /** Scheme of the gold tags; `none` if they mark no spans. */
  readonly gold: TagScheme;
  readonly model: SpanScheme;
  /** Notation of the gold tags, if it is not `B-PER`. */
  readonly form?: TagForm;
}

/**
 * Finds the scheme of a whole data set: the one in which the fewest spans are broken. A span is
 * broken in a scheme that gives one of its tokens a different letter. Takes one pass over the tags;
 * memory is constant, except for the set of tags.
 *
 * @example
 * const counts = new SchemeCounts();
 * counts.add(['I-PER', 'O', 'I-LOC', 'B-LOC']);
 * counts.scheme // => 'IOB1'
 * counts.broken('BIO') // => 2
 * counts.reason // => '3 spans, as IOB1 writes them'
 */
export class SchemeCounts {
  readonly #labels = new Set<string>();
  readonly #broken = new Float64Array(spanSchemes.length);
  readonly #breakingByLetters = new Map<number, number>();
  #spans = 0;
  #openings = 0;

  /**
   * Counts the tags of a sentence.
   *
   * @returns the first token at which a span begins with a letter for continuing or ending one (`I-X` after `O`); -1 if there is
   * none
   */
  add(tags: readonly string[]): number {
    let opening = -1;
    let before = '';
    for (const tag of tags) {
      if (tag !== before) this.#labels.add(tag);
      before = tag;
    }
    const spans = spansOf(tags);
    for (let s = 0; s < spans.length; s += 1) {
      const { start } = spans[s]!;
      const place = placeOf(tags[start]!);
      if (place === 'inside' || place === 'last') {
        this.#openings += 1;
        if (opening < 0) opening = start;
      }
      const breaking = this.#breaking(tags, spans, s);
      for (let n = 0; n < spanSchemes.length; n += 1) this.#broken[n]! += (breaking >>> n) & 1;
    }
    this.#spans += spans.length;
    return opening;
  }

  /** Returns the schemes that would write a span differently, as a set of bits; most spans share their letters. */
  #breaking(tags: readonly string[], spans: readonly Span[], s: number): number {
    const letters = lettersOfSpan(tags, spans, s);
    let breaking = letters < 0 ? undefined : this.#breakingByLetters.get(letters);
    if (breaking === undefined) {
      breaking = breakingSchemes(tags, spans, s);
      if (letters >= 0) this.#breakingByLetters.set(letters, breaking);
    }
    return breaking;
  }

  /** All tags that were counted. */
  get labels(): ReadonlySet<string> {
    return this.#labels;
  }

  /** Tags that mark no spans although others do. */
  get odd(): readonly string[] {
    return [...this.#labels].filter(tag => tag !== 'O' && placeOf(tag) === undefined);
  }

  get spans(): number {
    return this.#spans;
  }

  /** Number of spans that begin with a letter for continuing or ending one. */
  get openings(): number {
    return this.#openings;
  }

  /** Returns the number of spans that the scheme would write differently. */
  broken(scheme: SpanScheme): number {
    return this.#broken[spanSchemes.indexOf(scheme)]!;
  }

  /**
   * Detected scheme; `none` if there are no spans, or if tags of other forms are as frequent as
   * span tags.
   */
  get scheme(): TagScheme {
    const fitting = [...this.#labels].filter(tag => tag === 'O' || placeOf(tag) !== undefined);
    const { odd } = this;
    if (this.#spans === 0 || odd.length * 2 >= this.#labels.size) return 'none';
    // Single letters among other names are also more likely class names.
    if (odd.length > 0 && fitting.some(tag => tag !== 'O' && tag.length === 1)) return 'none';
    const byLabels = detectScheme(fitting);
    if (byLabels === 'none') return 'none';
    // Ties go to the scheme of the labels, then to the plainest.
    const order = spanSchemes.toSorted((a, b) => +(b === byLabels) - +(a === byLabels));
    return order.reduce((best, other) => (this.broken(other) < this.broken(best) ? other : best));
  }

  /** Short explanation of why this scheme was detected. */
  get reason(): string {
    const { scheme } = this;
    if (scheme === 'none') return 'the tags mark no spans';
    const broken = this.broken(scheme);
    const but = broken === 0 ? '' : ` but for ${broken}`;
    return `${this.#spans} ${this.#spans === 1 ? 'span' : 'spans'}, as ${scheme} writes them${but}`;
  }

  /**
   * Returns both schemes if these tags are written differently from those of another scheme: they
   * use letters for continuing or ending spans that the other scheme lacks, or more than half of
   * their spans are broken in it.
   *
   * @param model the other scheme, that of the model's tags
   */
  differsFrom(model: TagScheme): DifferentSchemes | undefined {
    if (model === 'none' || [...this.#labels].every(tag => tag === 'O')) return undefined;
    const gold = this.scheme;
    if (gold === model) return undefined;
    if (gold === 'none') {
      const form = tagFormOf(this.#labels);
      return form === undefined ? { gold, model } : { gold, model, form };
    }
    const known = letters.get(model)!;
    const isForeign = [...letters.get(gold)!].some(letter => letter !== 'B' && !known.has(letter));
    return isForeign || this.broken(model) * 2 > this.#spans ? { gold, model } : undefined;
  }
}

/** Returns the schemes that give a token of a span another letter, as a set of bits in the order of `spanSchemes`. */
function breakingSchemes(tags: readonly string[], spans: readonly Span[], s: number): number {
  const span = spans[s]!;
  let breaking = 0;
  for (let n = 0; n < spanSchemes.length; n += 1) {
    for (let t = span.start; t < span.end; t += 1) {
      const letter = letterAt(spanSchemes[n]!, t, span, spans[s - 1], spans[s + 1]);
      if (tags[t]!.charCodeAt(0) === letter.charCodeAt(0)) continue;
      breaking |= 1 << n;
      break;
    }
  }
  return breaking;
}

/**
 * Returns a number for everything that `breakingSchemes` depends on: the first, the inner and the last letter, whether
 * there are one, two or more tokens, and whether the neighbouring spans are adjacent and have the same type; -1 if the
 * inner letters differ or are not ASCII.
 */
function lettersOfSpan(tags: readonly string[], spans: readonly Span[], s: number): number {
  const span = spans[s]!;
  const { start, end } = span;
  const first = tags[start]!.charCodeAt(0);
  const last = tags[end - 1]!.charCodeAt(0);
  const inner = end - start > 2 ? tags[start + 1]!.charCodeAt(0) : 0;
  for (let t = start + 2; t < end - 1; t += 1) {
    if (tags[t]!.charCodeAt(0) !== inner) return -1;
  }
  // Also true of an empty tag, which has no letter.
  if (!(first < 128 && inner < 128 && last < 128)) return -1;
  const size = Math.min(end - start, 3);
  const touching =
    (areTouching(spans[s - 1], span) ? 1 : 0) | (areTouching(span, spans[s + 1]) ? 2 : 0);
  return (((size * 128 + first) * 128 + inner) * 128 + last) * 4 + touching;
}

function areTouching(before: Span | undefined, behind: Span | undefined): boolean {
  return before !== undefined && before.end === behind?.start && before.label === behind.label;
}

/**
 * Explains in one sentence how tags in two schemes are compared.
 *
 * @example
 * describeSchemes({ gold: 'BILOU', model: 'BIO' })
 * // => "the gold tags are BILOU, the model's are BIO: scores compare spans, and accuracy compares tags converted to BIO"
 */
export function describeSchemes(
  schemes: Readonly<Record<'gold' | 'model', string>> & Pick<DifferentSchemes, 'form'>,
): string {
  requireArgument('describeSchemes: the schemes', schemes, kinds.schemes);
  const { gold, model, form } = schemes;
  if (form !== undefined) {
    return `the gold tags have another form than the model's (${model}): set the option ${formOptions(form)} of their format`;
  }
  return gold === 'none'
    ? `the gold tags mark no spans, but the model's tags do (${model}): check the tag column`
    : `the gold tags are ${gold}, the model's are ${model}: scores compare spans, and accuracy compares tags converted to BIO`;
}
