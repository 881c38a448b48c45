import { from, lastValueFrom, tap } from 'rxjs';
import { joined } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { logLoss } from '../../../engine/losses/log-loss.js';
import { createModel } from '../../../engine/models/create-model.js';
import {
  finishedWeights,
  modelPieces,
  readTaggingModel,
  takenContents,
  tokenizerOf,
} from '../../../engine/models/files/model-file.js';
import { TrainingHistory } from '../../../engine/models/learning/training-history.js';
import type { ModelTokenizer } from '../../../engine/models/model.js';
import { characterSentences, columnsIn } from '../../../engine/models/text/character-sentences.js';
import {
  expanderTemplates,
  oneWord,
  tokenInContext,
} from '../../../engine/models/text/word-expander.js';
import { featurize } from '../../../engine/operators/featurize.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import { characterTemplates } from '../../../engine/text/characters/character-columns.js';
import { CharacterText, paragraphsOf } from '../../../engine/text/characters/character-text.js';
import { Doubt, DoubtCounter } from '../../../engine/text/characters/doubt.js';
import { labelCharacters } from '../../../engine/text/characters/labels.js';
import type { StoredExpander } from '../../../engine/text/tokenizers/bundled-tokenizer.js';
import type { GoldText } from '../../../formats/codecs/conllu/raw-text.js';
import { createTrainee } from '../learners/learner-of.js';
import { chooseOptimizer } from '../plan/plan.js';

/** The options of learning a tokenizer. */
export interface LearnTokenizerOptions {
  /** Language of the text. */
  readonly locale: string;
  readonly seed: number;
  /** Ends learning. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Maximum number of characters of a training sentence. The size of a step grows with the sentence's length, and weights
 * diverged on runs of thousands of characters.
 */
const longestSentence = 100;

/** Absolute value below which weights are omitted from the file. */
const least = 0.003;

/**
 * Learns to find words and sentences from texts with known ones.
 *
 * @throws (rejects with) TagstreamError `empty-sentence` if the texts have no words
 */
export async function learnTokenizer(
  gold: GoldText,
  { locale, seed, signal }: LearnTokenizerOptions,
): Promise<ModelTokenizer> {
  if (gold.offsets.length === 0) {
    throw new TagstreamError('empty-sentence', 'there is no text to learn a tokenizer from', {
      fix: 'give records with text and tokens, as CoNLL-U has them',
    });
  }
  const { certain, templates, sentences } = characterTraining(gold, locale);
  const passes = { seed, signal };
  const bytes = await trained(sentences, templates, passes);
  const expander = await learnExpander(gold, passes);
  const stored = { bytes, certain, locale, ...(expander === undefined ? {} : { expander }) };
  return tokenizerOf(stored, each => readTaggingModel(each, '<tokenizer>'));
}

/** The training data of a tokenizer. */
export interface CharacterTraining {
  /** Contexts whose characters have certain labels. */
  readonly certain: Uint32Array<ArrayBuffer>;
  readonly templates: string;
  /** Runs of uncertain characters, with their labels as tags. */
  readonly sentences: readonly Sentence[];
}

/** Returns the characters of a text from which its tokenizer is learned. */
export function characterTraining(gold: GoldText, locale: string): CharacterTraining {
  const certain = certainContexts(gold);
  const templates = characterTemplates(hasNoSpaces(gold)).join('\n');
  const sentences = characterSentences(
    { text: gold.text },
    {
      ...{ locale, doubt: new Doubt(certain), columns: columnsIn(templates), known: gold },
      most: longestSentence,
    },
  );
  return { certain, templates, sentences };
}

/** Average number of characters between white space above which white space does not separate words. */
const unspaced = 16;

function hasNoSpaces({ text }: GoldText): boolean {
  let chunks = 0;
  let characters = 0;
  for (const range of paragraphsOf(text)) {
    const paragraph = new CharacterText(text, range);
    chunks += paragraph.chunks;
    characters += paragraph.length;
  }
  return characters >= unspaced * chunks;
}

function certainContexts(gold: GoldText): Uint32Array<ArrayBuffer> {
  const counter = new DoubtCounter();
  for (const range of paragraphsOf(gold.text)) {
    const characters = new CharacterText(gold.text, range);
    const labels = new Uint8Array(characters.length);
    labelCharacters(characters, gold.offsets, gold.sentences, labels, gold.continued);
    counter.add(characters, labels);
  }
  return counter.certain();
}

/** Minimum number of expansions for which a token counts as a multiword token. */
const leastExpansions = 2;

/**
 * Learns the words of multiword tokens; undefined if the text has no multiword tokens of other forms.
 *
 * A token with a single expansion is looked up; if there are several, a model chooses from context.
 */
async function learnExpander(
  { text, offsets, sentences, words: expanded, continued }: GoldText,
  passes: Pick<LearnTokenizerOptions, 'seed' | 'signal'>,
): Promise<StoredExpander | undefined> {
  const formOf = (t: number) => text.slice(offsets[t]![0], offsets[t]![1]).toLowerCase();
  const labelOf = (t: number) => expanded.get(t)?.join(' ').toLowerCase() ?? oneWord;
  const times = new Map<string, number>();
  for (const [t, own] of expanded) {
    if (own.some(word => /\s/.test(word))) continue;
    times.set(formOf(t), (times.get(formOf(t)) ?? 0) + 1);
  }
  const counts = new Map<string, Map<string, number>>();
  const contexts: Sentence[] = [];
  for (const [from, to] of sentences) {
    const tokens = offsets.slice(from, to).map((_, i) => formOf(from + i));
    for (let t = from; t < to; t += 1) {
      const form = tokens[t - from]!;
      if ((times.get(form) ?? 0) < leastExpansions) continue;
      if (continued.has(t) || continued.has(t + 1)) continue;
      const own = counts.get(form) ?? new Map<string, number>();
      own.set(labelOf(t), (own.get(labelOf(t)) ?? 0) + 1);
      counts.set(form, own);
      contexts.push({ ...tokenInContext(tokens, t - from), tags: [labelOf(t)] });
    }
  }
  if (counts.size === 0) return undefined;
  const words = Object.fromEntries(
    [...counts].map(([form, own]) => [
      form,
      [...own].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([label]) => label),
    ]),
  );
  const asked = contexts.filter(({ tokens }) => words[tokens[0]!]!.length > 1);
  if (asked.length === 0) return { words };
  return { words, bytes: await trained(asked, expanderTemplates.join('\n'), passes) };
}

/** Options of the optimizer, which is `sgd`. */
export const tokenizerOptimizer = { eta0: 0.1, l2: 0.5, average: true };

/** Returns the number of passes: fewer for large data, because each has more steps. */
export function epochsFor(sentences: number): number {
  return Math.max(5, Math.min(15, Math.round(100_000 / Math.max(1, sentences))));
}

async function trained(
  sentences: readonly Sentence[],
  templates: string,
  { seed, signal }: Pick<LearnTokenizerOptions, 'seed' | 'signal'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const model = createModel({ templates });
  const train = { epochs: epochsFor(sentences.length), seed };
  const history = new TrainingHistory(() => logLoss.untrained?.(model.labels.size));
  const trainee = createTrainee(
    chooseOptimizer({ path: [], options: { sgd: tokenizerOptimizer } }, optimizers, []),
    { model, loss: logLoss, train },
    { batch: { sentences: 1 }, signal },
  );
  const steps = from(sentences).pipe(
    featurize(model),
    trainee.over(settled => history.settle(settled)),
    tap(step => history.note(step, 'the tokenizer')),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
  signal?.throwIfAborted();
  const weights = finishedWeights(trainee.learner, { below: least, compact: true });
  return joined(modelPieces(takenContents(model, weights, true)));
}
