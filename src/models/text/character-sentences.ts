import type { Document, Range } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { isNumber, type Macro } from '../../features/template/template.js';
import {
  type CharacterColumn,
  characterColumns,
  columnText,
  isRuleColumn,
} from '../../text/characters/character-columns.js';
import { CharacterText, paragraphsOf } from '../../text/characters/character-text.js';
import { type Certainty, doubtfulPlaces } from '../../text/characters/doubtful-places.js';
import { characterLabels, labelCharacters } from '../../text/characters/labels.js';
import type { RuleLabels } from '../../text/characters/rule-labels.js';

/** Words and sentences of a text, where they are known. */
export interface KnownWords {
  readonly offsets: readonly Range[];
  readonly sentences: readonly Range[];
  readonly continued?: ReadonlySet<number>;
}

/** A run of characters as a sentence: their labels are its tags. */
export interface CharacterSentence extends Sentence {
  /** The paragraph that they are of, and their places in it. */
  readonly run: {
    readonly text: CharacterText;
    /** Labels of its characters that are certain. */
    readonly labels: Uint8Array;
    readonly places: Int32Array;
    /** Whether it is the last run of the paragraph. */
    readonly isLast: boolean;
  };
}

export interface CharacterSentencesOptions {
  /** Asked for what the built-in tokenizers say, where columns want it. */
  readonly rules: RuleLabels;
  readonly doubt: Certainty;
  /** The columns that are wanted, by name; all if absent. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** Gold labels are made of it. */
  readonly known?: KnownWords | undefined;
  /** Characters of a sentence at most. */
  readonly most?: number;
}

/** The characters of a text that are in doubt, as sentences with columns and, where they are known, tags. */
export function* characterSentences(
  document: Document & { readonly text: string },
  { rules, doubt, columns, known, most = Number.POSITIVE_INFINITY }: CharacterSentencesOptions,
): Generator<CharacterSentence> {
  const { text } = document;
  const wanted = characterColumns.filter(({ name }) => columns?.has(name) ?? true);
  let index = 0;
  for (const range of paragraphsOf(text)) {
    const characters = new CharacterText(text, range);
    const labels = new Uint8Array(characters.length);
    const { places, runs } = doubtfulPlaces(characters, doubt, labels);
    const asksRules = places.length > 0 && wanted.some(({ name }) => isRuleColumn(name));
    const found = asksRules ? rules.of(text, range, characters) : [];
    const gold = known && new Uint8Array(characters.length);
    if (gold !== undefined) {
      labelCharacters(characters, known!.offsets, known!.sentences, gold, known!.continued);
    }
    const cuts = cutsOf(runs, places.length, most);
    for (const [r, from] of cuts.entries()) {
      const to = cuts[r + 1] ?? places.length;
      const own = places.subarray(from, to);
      const tags = gold && Array.from(own, at => characterLabels[gold[at]!]!);
      yield {
        tokens: Array.from(own, at => String.fromCodePoint(characters.folded[at]!)),
        columns: columnsOf(wanted, characters, own, found),
        ...(tags === undefined ? {} : { tags }),
        offsets: Array.from(own, at => [characters.starts[at]!, characters.starts[at + 1]!]),
        document,
        part: { index, count: 1, start: 0 },
        run: { text: characters, labels, places: own, isLast: r === cuts.length - 1 },
      };
      index += 1;
    }
  }
}

/** Where runs begin, long ones cut. */
function cutsOf(runs: Int32Array, count: number, most: number): number[] {
  return [...runs].flatMap((from, r) => {
    const to = runs[r + 1] ?? count;
    const cuts: number[] = [];
    for (let at = from; at < to; at += most) cuts.push(at);
    return cuts;
  });
}

function columnsOf(
  columns: readonly CharacterColumn[],
  text: CharacterText,
  places: Int32Array,
  rules: readonly Uint8Array[],
): Record<string, string[]> {
  return Object.fromEntries(
    columns.map(column => [
      column.name,
      Array.from(places, at => columnText(column, text, at, rules)),
    ]),
  );
}

/** The columns that templates look at. */
export function columnsIn(templates: string): Set<string> {
  const isMacro = (piece: unknown): piece is Macro => typeof piece === 'object' && piece !== null;
  const macros = parseTemplates(templates).templates.flatMap(({ pieces }) =>
    pieces.filter(piece => isMacro(piece) && !isNumber(piece)),
  ) as Macro[];
  return new Set(macros.map(({ column }) => String(column)));
}
