import type { Column } from '../../core/sentence/document.js';
import type { ContextColumns, Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from '../context/document-memory.js';
import type { KnownWords } from '../context/lexicon.js';
import { TextRecorder } from '../fingerprints/fingerprint.js';
import { isNumber, type Macro, numberText } from '../template/template.js';
import type { Atom } from './atom.js';
import {
  dimensionText,
  type ExtractionPlan,
  type PlannedPiece,
  type PlannedTemplate,
  type PlannedVector,
  placeOf,
} from './extraction-plan.js';
import { macroWords } from './feature-words.js';

/** Token functions that have a value at every token. */
const always: ReadonlySet<Macro['apply']> = new Set([
  ...([
    'value',
    'lower',
    'shape',
    'type',
    'length',
    'test',
    'match',
    'document',
    'predicted',
    'seen',
  ] as const),
]);

/** Kinds of features: those of a token, and those of the transition into it. */
export type FeatureKind = 'state' | 'edge';

/**
 * Names the features of a sentence: the template line with its macros replaced by their values, as in
 * `U05:New/York`; outside the sentence the value is `_B-1`, `_B+1`, ...
 *
 * Names are for inspecting a model; extraction itself builds no strings. Two features may share a
 * name if the text alone does not show where one macro ends and the next begins.
 *
 * @example
 * const { plan } = createModel({ templates: 'U05:%x[-1,0]/%x[0,0]' }).extractor;
 * const sentence = { tokens: ['New', 'York'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * [0, 1].map(t => new FeatureNames(plan).name('state', 0, sentence, t)) // => ['U05:_B-1/New', 'U05:New/York']
 */
export class FeatureNames {
  readonly #plan: ExtractionPlan;
  readonly #recorder = new TextRecorder();
  /** Pieces that may have no value inside a sentence, by kind and template. */
  readonly #uncertain: Readonly<Record<FeatureKind, readonly (readonly PlannedPiece[])[]>>;

  constructor(plan: ExtractionPlan) {
    this.#plan = plan;
    const uncertain = ({ pieces, template }: PlannedTemplate) =>
      pieces.filter((_, i) => {
        const piece = template.pieces[i]!;
        return typeof piece !== 'string' && !isNumber(piece) && !always.has(piece.apply);
      });
    this.#uncertain = { state: plan.state.map(uncertain), edge: plan.edge.map(uncertain) };
  }

  /**
   * Returns the templates of a kind as written; a template with `%vector` represents those of all
   * dimensions.
   */
  templates(kind: FeatureKind): readonly string[] {
    return this.#plan[kind].filter(isWritten).map(({ template }) => template.source);
  }

  /** Returns the number of templates of a kind, counting one per dimension of a vector. */
  count(kind: FeatureKind): number {
    return this.#plan[kind].length;
  }

  /** Returns the index in `templates` of each template's line, by template number. */
  writtenOf(kind: FeatureKind): Uint32Array {
    let written = -1;
    return Uint32Array.from(this.#plan[kind], planned => {
      if (isWritten(planned)) written += 1;
      return written;
    });
  }

  /**
   * Returns the name of a template's feature at token `t`; undefined if a macro or a value is
   * absent there.
   *
   * @param number the template's number within its kind
   * @param sentence sentence with the columns that the template uses
   */
  name(kind: FeatureKind, number: number, sentence: Sentence, t: number): string | undefined {
    const planned = this.#plan[kind][number]!;
    let name = '';
    for (const [i, piece] of planned.template.pieces.entries()) {
      const part =
        typeof piece === 'string'
          ? piece
          : isNumber(piece)
            ? this.#real(planned, piece, sentence, t)
            : this.#content(planned.pieces[i]!, sentence, t);
      if (part === undefined) return undefined;
      name += part;
    }
    // As in hashes, a lone surrogate counts as U+FFFD.
    return name.replace(/\p{Surrogate}/gu, '\ufffd');
  }

  /**
   * Describes a template's feature at token `t` in words, such as
   * `word before: initial capital; word: “Berg”`. The feature must exist: see `name`.
   */
  words(kind: FeatureKind, number: number, sentence: Sentence, t: number): string {
    const { template, pieces, reals, vector } = this.#plan[kind][number]!;
    let real = 0;
    const parts = template.pieces.flatMap((piece, i) => {
      if (typeof piece === 'string') return [];
      const isValue = isNumber(piece);
      const { atom } = isValue ? (vector?.piece ?? reals[real++]!) : pieces[i]!;
      const text = isValue ? String(vector?.dimension) : this.#content(pieces[i]!, sentence, t)!;
      return [macroWords(piece, this.#plan.atoms[atom]!.column, text)];
    });
    const words = parts.length === 0 ? 'any word' : parts.join('; ');
    return words.replace(/\p{Surrogate}/gu, '\ufffd');
  }

  /**
   * Writes the numbers of the templates of a kind that have a feature at token `t` to `active`, in
   * order, and returns how many there are. Cheaper than names, as only macros that may be absent
   * are checked.
   */
  activeAt(kind: FeatureKind, sentence: Sentence, t: number, active: Uint32Array): number {
    const planned = this.#plan[kind];
    let count = 0;
    for (const [number, pieces] of this.#uncertain[kind].entries()) {
      if (!this.#hasValues(planned[number]!, sentence, t)) continue;
      if (pieces.some(piece => this.#content(piece, sentence, t) === undefined)) continue;
      active[count] = number;
      count += 1;
    }
    return count;
  }

  #content(piece: PlannedPiece, sentence: Sentence, t: number): string | undefined {
    const { length } = sentence.tokens;
    const at = placeOf(piece, t, length);
    if (at < 0) return `_B${at}`;
    if (at >= length) return `_B+${at - length + 1}`;
    const atom = this.#plan.atoms[piece.atom]!;
    const column = columnFor(atom, sentence, this.#plan.words);
    return atom.textOf(column, at, this.#recorder);
  }

  /** Describes a number, which is the feature's value and not part of its name. */
  #real(planned: PlannedTemplate, macro: Macro, sentence: Sentence, t: number): string | undefined {
    if (!this.#hasValues(planned, sentence, t)) return undefined;
    const { vector } = planned;
    return vector === undefined ? numberText(macro) : dimensionText(macro, vector.dimension);
  }

  #hasValues({ reals, vector }: PlannedTemplate, sentence: Sentence, t: number): boolean {
    if (vector !== undefined && !this.#hasNumber(vector, sentence, t)) return false;
    return reals.every(real => this.#hasValue(real, sentence, t));
  }

  #hasNumber({ piece, list, dimension }: PlannedVector, sentence: Sentence, t: number): boolean {
    const { length } = sentence.tokens;
    const at = placeOf(piece, t, length);
    if (at < 0 || at >= length) return false;
    const atom = this.#plan.atoms[piece.atom]!;
    const column = columnFor(atom, sentence, this.#plan.words);
    const found = atom.textOf(column, at, this.#recorder);
    return (
      found !== undefined && list.numbers[(Number(found) - 1) * list.dimensions + dimension] !== 0
    );
  }

  #hasValue(real: PlannedPiece, sentence: Sentence, t: number): boolean {
    const { length } = sentence.tokens;
    const at = placeOf(real, t, length);
    if (at < 0 || at >= length) return false;
    const atom = this.#plan.atoms[real.atom]!;
    const column = atom.column === 'form' ? sentence.tokens : sentence.columns[atom.column]!;
    return Number(column[at]) !== 0;
  }
}

/** Returns whether a template is the only one of its line, or the first of several. */
function isWritten({ vector }: PlannedTemplate): boolean {
  return (vector?.dimension ?? 0) === 0;
}

function columnFor(
  { context, column, macro }: Atom,
  sentence: Sentence,
  words: KnownWords,
): Column {
  if (context !== undefined) {
    const readsDocuments = macro.apply === 'document';
    const readsPredictions = macro.apply === 'predicted';
    return contextOf(sentence, words, { readsDocuments, readsPredictions })[context]!;
  }
  return column === 'form' ? sentence.tokens : sentence.columns[column]!;
}

/** Parts of a model that read the context. */
interface ContextReader {
  readonly readsDocuments: boolean;
  readonly readsPredictions: boolean;
}

/**
 * Returns the context of a sentence's tokens: the sentence's own context, completed by the lexicon
 * and by the document memory of an isolated sentence, without predictions of a first model.
 */
export function contextOf(
  sentence: Sentence,
  { lexicon }: KnownWords,
  { readsDocuments, readsPredictions }: ContextReader,
): ContextColumns {
  const { tokens, context } = sentence;
  const brought = context ?? {};
  const nothing = () => tokens.map(() => '-');
  const isPlaced = !readsDocuments || brought.case !== undefined;
  return {
    seen: lexicon?.columnOf(tokens) ?? nothing(),
    ...(readsPredictions
      ? { word: nothing(), span: nothing(), longer: nothing(), label: nothing() }
      : {}),
    ...(isPlaced ? {} : new DocumentMemory(1).columnsOf(sentence)),
    ...brought,
  };
}
