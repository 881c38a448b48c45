import type { Range } from '../../../engine/core/sentence/document.js';
import type {
  LabelMarginals,
  PairMarginals,
  Span,
} from '../../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import type { JsonText } from './json-text.js';

/** Members for tokens and sentences; a record's own ones are kept. */
export const divisionNames = ['tokens', 'offsets', 'sentences'] as const;

/**
 * The member with the multiword tokens of a text, each with the range of its words: `{"start": 2,
 * "end": 4, "offsets": [10, 17], "text": "doesn't"}`, with `misc`, `lemma` and so on if CoNLL-U has more information.
 * An existing member is kept.
 */
export const wordsMember = 'words';

/** Result members; those of an earlier run are replaced or removed. */
export const resultNames = [
  'tags',
  'spans',
  'score',
  'probability',
  'logProbability',
  'marginals',
  'nbest',
  'gold',
] as const;

/**
 * Name of the member with the id of the model that made the results; an existing id is kept unless a new one is
 * written.
 */
export const modelMember = '_model';

/** Members with results other than the tags, and with the id of the model: a record with one was tagged before. */
export const ownedResults: readonly string[] = [
  ...resultNames.filter(name => name !== 'tags' && name !== 'gold'),
  modelMember,
];

/** Name of the member with columns, including the results of additional taggers. */
export const columnsMember = 'columns';

export type OwnedName =
  | (typeof divisionNames)[number]
  | (typeof resultNames)[number]
  | typeof wordsMember
  | typeof columnsMember
  | typeof modelMember;

/**
 * Returns the name of the member with the gold tags: `gold` if the record was tagged before, otherwise `tags`; null
 * counts as absent.
 */
export function goldMember(record: JsonText): 'gold' | 'tags' | undefined {
  return (['gold', 'tags'] as const).find(name => (record.at([name])?.text ?? 'null') !== 'null');
}

/**
 * Returns the members that tagging adds to a record, as JSON text `"name":value`, in their fixed order:
 * tokens, offsets, sentences, words, tags, columns, spans, score, probability, logProbability, marginals, nbest, _model,
 * gold.
 *
 * Spans include their offsets in the text if known. `score`, `probability`, `logProbability` and `nbest` are lists with
 * one entry per sentence. The tags of an untagged record are null. `has` returns whether the record already has a member,
 * which it then keeps. Does not modify `tagged`.
 *
 * @example
 * const tagged = { document: { id: '1' }, tokens: ['a', 'b'], tags: ['X', 'Y'], scores: [0.5] };
 * ownedMembers(tagged, name => name === 'tokens') // => ['"tags":["X","Y"]', '"score":[0.5]']
 */
export function ownedMembers(tagged: TaggedDocument, has: (name: OwnedName) => boolean): string[] {
  const members: string[] = [];
  const add = (name: OwnedName, value: unknown) => {
    if (value !== undefined && !has(name)) members.push(`"${name}":${JSON.stringify(value)}`);
  };
  const { spans, labelMarginals, pairMarginals } = tagged;
  add('tokens', tagged.tokens);
  add('offsets', tagged.offsets);
  add('sentences', tagged.sentences);
  add(wordsMember, wordsOf(tagged));
  add('tags', writtenTags(tagged));
  add(columnsMember, tagged.results);
  add(
    'spans',
    spans?.map(({ label, start, end, ...more }) => {
      const offsets = spanOffsets({ start, end }, tagged);
      const text = spanText({ start, end }, offsets, tagged);
      return { label, start, end, ...(offsets === undefined ? {} : { offsets }), ...more, text };
    }),
  );
  add('score', tagged.scores);
  add('probability', tagged.probabilities);
  add('logProbability', tagged.logProbabilities);
  const texts =
    labelMarginals !== undefined
      ? labelMarginalsText(labelMarginals)
      : pairMarginals && pairMarginalsText(pairMarginals);
  if (texts === undefined) add('marginals', tagged.marginals);
  else if (!has('marginals')) members.push(`"marginals":${texts}`);
  add('nbest', tagged.nbest);
  add(modelMember, tagged.modelId);
  add('gold', tagged.gold);
  return members;
}

/** Returns the tags of a record, null for each token of one that is untagged. */
export function writtenTags({
  tokens,
  tags,
  untagged,
}: Pick<TaggedDocument, 'tokens' | 'tags' | 'untagged'>): readonly (string | null)[] {
  return untagged === true ? tokens.map(() => null) : tags;
}

/** Returns the range of a token span in the text, in UTF-16 units; undefined if unknown. */
export function spanOffsets(
  { start, end }: Pick<Span, 'start' | 'end'>,
  { offsets, document }: Pick<TaggedDocument, 'offsets' | 'document'>,
): Range | undefined {
  const first = offsets?.[start];
  const last = offsets?.[end - 1];
  if (document.text === undefined || first === undefined || last === undefined) return undefined;
  return [first[0], last[1]];
}

/** Returns the multiword tokens of a text in the form of the member `words`; undefined if there are none. */
export function wordsOf(
  tagged: Pick<TaggedDocument, 'tokens' | 'offsets' | 'multiword' | 'document'>,
): readonly object[] | undefined {
  const { multiwordColumns } = tagged.document;
  return tagged.multiword?.map(([start, end], i) => {
    const offsets = spanOffsets({ start, end }, tagged);
    const text = spanText({ start, end }, offsets, tagged);
    return {
      ...{ start, end },
      ...(offsets === undefined ? {} : { offsets }),
      text,
      ...multiwordColumns?.[i],
    };
  });
}

/** Returns the text that a span covers; without offsets, its tokens joined by spaces. */
function spanText(
  { start, end }: Pick<Span, 'start' | 'end'>,
  offsets: Range | undefined,
  { tokens, document }: Pick<TaggedDocument, 'tokens' | 'document'>,
): string {
  if (offsets === undefined) return tokens.slice(start, end).join(' ');
  return document.text!.slice(...offsets);
}

/**
 * Returns the JSON of the probabilities of all labels at some tokens: an object per token, with the labels in their
 * order, whatever their names.
 *
 * @param from the first token, and `to` the one after the last; all tokens if absent
 * @example
 * labelMarginalsText({ labels: ['X', '1'], values: Float64Array.of(0.25, 0.75) }) // => '[{"X":0.25,"1":0.75}]'
 */
export function labelMarginalsText(
  { labels, values }: LabelMarginals,
  from = 0,
  to = values.length / labels.length,
): string {
  const keys = labels.map(label => `${JSON.stringify(label)}:`);
  let text = '[';
  for (let t = from; t < to; t += 1) {
    text += t === from ? '{' : ',{';
    for (let y = 0; y < keys.length; y += 1) {
      if (y > 0) text += ',';
      text += keys[y]! + values[t * keys.length + y]!;
    }
    text += '}';
  }
  return `${text}]`;
}

/**
 * Returns the JSON of the probabilities of neighbouring label pairs: an object per token that maps each previous label to
 * an object over the token's own labels. It is empty at the first token of each sentence.
 *
 * @example
 * const values = Float64Array.of(0.75, 0.25);
 * const [from, to] = [Uint32Array.of(0, 1), Uint32Array.of(1, 1)];
 * pairMarginalsText([{ labels: ['O', 'X'], starts: Uint32Array.of(0, 0, 2), from, to, values }])
 * // => '[{},{"O":{"X":0.75},"X":{"X":0.25}}]'
 */
export function pairMarginalsText(sentences: readonly PairMarginals[]): string {
  // A model that learns from a stream may know more labels at the last sentence, in the same order.
  const keys = sentences.at(-1)?.labels.map(label => `${JSON.stringify(label)}:`) ?? [];
  const tokens: string[] = [];
  for (const { starts, from, to, values } of sentences) {
    for (let t = 0; t + 1 < starts.length; t += 1) {
      let text = '{';
      for (let i = starts[t]!; i < starts[t + 1]!; i += 1) {
        const isNew = i === starts[t] || from[i] !== from[i - 1];
        if (i > starts[t]!) text += isNew ? '},' : ',';
        if (isNew) text += `${keys[from[i]!]!}{`;
        text += keys[to[i]!]! + values[i]!;
      }
      tokens.push(starts[t] === starts[t + 1] ? '{}' : `${text}}}`);
    }
  }
  return `[${tokens.join(',')}]`;
}
