import type { Sentence } from '../core/sentence.js';
import type { ExtractionPlan, PlannedPiece, PlannedTemplate } from './extraction-plan.js';
import type { Macro } from './template/template.js';
import { TextRecorder } from './text-recorder.js';

/** Which of the two kinds of features: those of a token, or those of the transition into it. */
export type FeatureKind = 'state' | 'edge';

/**
 * Names of the features of a sentence: the line of the template, its macros replaced by what they find,
 * as in `U05:New/York`; outside the sentence `_B-1`, `_B+1`, ... stand for it.
 *
 * For people who look at a model: extraction itself builds no strings. Two features may share a name,
 * where the text alone does not say where one macro ends and the next begins.
 *
 * @example
 * const { plan } = createModel({ templates: 'U05:%x[-1,0]/%x[0,0]' }).extractor;
 * const sentence = { tokens: ['New', 'York'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * [0, 1].map(t => new FeatureNames(plan).name('state', 0, sentence, t)) // => ['U05:_B-1/New', 'U05:New/York']
 */
export class FeatureNames {
  readonly #plan: ExtractionPlan;
  readonly #recorder = new TextRecorder();

  constructor(plan: ExtractionPlan) {
    this.#plan = plan;
  }

  /** The templates of a kind, by number, as they were written. */
  templates(kind: FeatureKind): readonly string[] {
    return this.#plan[kind].map(({ template }) => template.source);
  }

  /**
   * The name of the feature that a template makes at token `t`, or undefined where it makes none: a macro
   * finds nothing, or a value is absent.
   *
   * @param number of the template among those of its kind
   * @param sentence one that has the columns that the template asks for
   */
  name(kind: FeatureKind, number: number, sentence: Sentence, t: number): string | undefined {
    const planned = this.#plan[kind][number]!;
    let name = '';
    for (const [i, piece] of planned.template.pieces.entries()) {
      const part =
        typeof piece === 'string'
          ? piece
          : piece.apply === 'real'
            ? this.#real(planned, piece, sentence, t)
            : this.#content(planned.pieces[i]!, sentence, t);
      if (part === undefined) return undefined;
      name += part;
    }
    return name;
  }

  #content(piece: PlannedPiece, sentence: Sentence, t: number): string | undefined {
    const { length } = sentence.tokens;
    const at = placeOf(piece, t, length);
    if (at < 0) return `_B${at}`;
    if (at >= length) return `_B+${at - length + 1}`;
    const atom = this.#plan.atoms[piece.atom]!;
    const column = atom.column === 'form' ? sentence.tokens : sentence.columns[atom.column]!;
    return atom.textOf(column[at]!, this.#recorder);
  }

  /** A number is no part of the feature's name: it is its value. */
  #real(
    { real }: PlannedTemplate,
    macro: Macro,
    sentence: Sentence,
    t: number,
  ): string | undefined {
    const { length } = sentence.tokens;
    const at = placeOf(real!, t, length);
    if (at < 0 || at >= length) return undefined;
    const atom = this.#plan.atoms[real!.atom]!;
    const column = atom.column === 'form' ? sentence.tokens : sentence.columns[atom.column]!;
    if (Number(column[at]) === 0) return undefined;
    return `%v[${macro.absolute ? '@' : ''}${macro.offset},${macro.column}]`;
  }
}

function placeOf({ absolute, offset }: PlannedPiece, t: number, length: number): number {
  if (!absolute) return t + offset;
  return offset >= 0 ? offset : length + offset;
}
