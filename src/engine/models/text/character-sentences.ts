import type { Document, Range } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { isNumber, type Macro } from '../../features/template/template.js';
import {
  type CharacterColumn,
  characterColumns,
  columnText,
  ruleOf,
} from '../../text/characters/character-columns.js';
import { CharacterDivision } from '../../text/characters/character-division.js';
import { CharacterText, paragraphsOf } from '../../text/characters/character-text.js';
import { type Certainty, doubtfulPlaces } from '../../text/characters/doubtful-places.js';
import { characterLabels, labelCharacters } from '../../text/characters/labels.js';
import { RuleLabels } from '../../text/characters/rule-labels.js';
import type { DividedWords } from '../../text/tokenizers/tokenizer.js';

/** The words and sentences of a text, if known. */
export interface KnownWords {
  readonly offsets: readonly Range[];
  readonly sentences: readonly Range[];
  readonly continued?: ReadonlySet<number>;
}

/** A run of characters as a sentence, tagged with their labels. */
export interface CharacterSentence extends Sentence {
  readonly document: CharacterDocument;
}

/** A document whose text is given as sentences of characters. */
export interface CharacterDocument extends Document {
  readonly characters: {
    /** Paragraphs of the document with the certain labels. */
    readonly paragraphs: readonly { readonly text: CharacterText; readonly labels: Uint8Array }[];
    /** Paragraph of each sentence, and the positions of its characters in the paragraph. */
    readonly runs: readonly { readonly paragraph: number; readonly places: Int32Array }[];
  };
}

export interface CharacterSentencesOptions {
  /** Language of the text, for the labels of built-in tokenizers. */
  readonly locale: string;
  readonly doubt: Certainty;
  /** Required columns, by name; all if absent. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** Source of gold labels. */
  readonly known?: KnownWords | undefined;
  /** Maximum number of characters per sentence. */
  readonly most?: number;
}

/**
 * Returns the uncertain characters of a text as sentences with columns and, if known, tags; if no character
 * is uncertain, a single sentence without tokens.
 */
export function characterSentences(
  given: Document,
  { locale, doubt, columns, known, most = Number.POSITIVE_INFINITY }: CharacterSentencesOptions,
): CharacterSentence[] {
  const text = given.text ?? '';
  const wanted = characterColumns.filter(({ name }) => columns?.has(name) ?? true);
  const rules = rulesFor(
    locale,
    wanted.map(({ name }) => name),
  );
  const paragraphs: { text: CharacterText; labels: Uint8Array }[] = [];
  const runs: { paragraph: number; places: Int32Array }[] = [];
  const document: CharacterDocument = { ...given, characters: { paragraphs, runs } };
  const found: Draft[] = [];
  for (const range of paragraphsOf(text)) {
    const characters = new CharacterText(text, range);
    const labels = new Uint8Array(characters.length);
    const { places, runs: begins } = doubtfulPlaces(characters, doubt, labels);
    const said = places.length > 0 ? (rules?.of(text, range, characters) ?? []) : [];
    const gold = known && new Uint8Array(characters.length);
    if (gold !== undefined) {
      labelCharacters(characters, known!.offsets, known!.sentences, gold, known!.continued);
    }
    const cuts = cutsOf(begins, places.length, most);
    for (const [r, from] of cuts.entries()) {
      const own = places.subarray(from, cuts[r + 1] ?? places.length);
      const tags = gold && Array.from(own, at => characterLabels[gold[at]!]!);
      found.push({
        tokens: Array.from(own, at => String.fromCodePoint(characters.folded[at]!)),
        columns: columnsOf(wanted, characters, own, said),
        ...(tags === undefined ? {} : { tags }),
        offsets: Array.from(own, at => [characters.starts[at]!, characters.starts[at + 1]!]),
      });
      runs.push({ paragraph: paragraphs.length, places: own });
    }
    paragraphs.push({ text: characters, labels });
  }
  if (found.length === 0) {
    const none = Object.fromEntries(wanted.map(({ name }) => [name, []]));
    found.push({ tokens: [], columns: none, offsets: [] });
  }
  const { length: count } = found;
  let start = 0;
  return found.map((each, index) => {
    const part = { index, count, start };
    start += each.tokens.length;
    return { ...each, document, part };
  });
}

/** Returns the rule labels for the columns that need them; undefined if no column does. */
export function rulesFor(locale: string, columns: readonly string[]): RuleLabels | undefined {
  const asked = new Set(columns.flatMap(column => ruleOf(column) ?? []));
  return asked.size === 0 ? undefined : new RuleLabels(locale, asked);
}

type Draft = Pick<CharacterSentence, 'tokens' | 'columns' | 'offsets' | 'tags'>;

/**
 * Returns the words and sentences of a document with labelled characters.
 *
 * @param labels labels of each of the document's character sentences, as in `characterLabels`
 */
export function segmentsOf(
  { characters: { paragraphs, runs } }: CharacterDocument,
  labels: readonly (readonly string[])[],
): DividedWords {
  const names: readonly string[] = characterLabels;
  const own = paragraphs.map(each => each.labels.slice());
  for (const [r, { paragraph, places }] of runs.entries()) {
    for (const [i, at] of places.entries()) own[paragraph]![at] = names.indexOf(labels[r]![i]!);
  }
  const division = new CharacterDivision();
  for (const [p, { text }] of paragraphs.entries()) division.add(text, own[p]!);
  return division;
}

/** Returns the starts of runs, with long runs split. */
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

/** Returns the columns that templates read. */
export function columnsIn(templates: string): Set<string> {
  const isMacro = (piece: unknown): piece is Macro => typeof piece === 'object' && piece !== null;
  const macros = parseTemplates(templates).templates.flatMap(({ pieces }) =>
    pieces.filter(piece => isMacro(piece) && !isNumber(piece)),
  ) as Macro[];
  return new Set(macros.map(({ column }) => String(column)));
}
