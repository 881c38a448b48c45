import { from, lastValueFrom } from 'rxjs';
import { joined } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { GoldText } from '../../io/codecs/conllu/raw-text.js';
import { logLoss } from '../../losses/log-loss.js';
import { createModel } from '../../models/create-model.js';
import {
  finishedWeights,
  modelPieces,
  readTaggingModel,
  takenContents,
} from '../../models/files/model-file.js';
import {
  type CharacterSentence,
  characterSentences,
  columnsIn,
} from '../../models/text/character-sentences.js';
import { LearnedTokenizer } from '../../models/text/learned-tokenizer.js';
import { featurize } from '../../operators/featurize.js';
import { characterTemplates } from '../../text/characters/character-columns.js';
import { CharacterText, paragraphsOf } from '../../text/characters/character-text.js';
import { Doubt, DoubtCounter } from '../../text/characters/doubt.js';
import { labelCharacters } from '../../text/characters/labels.js';
import { RuleLabels } from '../../text/characters/rule-labels.js';
import { createTrainee } from '../learners/learner-of.js';

/** How a tokenizer is learned. */
export interface LearnTokenizerOptions {
  /** Language of the text. */
  readonly locale: string;
  readonly seed: number;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Characters of a training sentence at most. A step is as large as a sentence is long, and runs of thousands of characters made
 * weights diverge.
 */
const longestSentence = 100;

/** Weights below it are left out of the file. */
const least = 0.003;

/**
 * Learns to find words and sentences from a text in which they are known.
 *
 * @throws (rejects with) TagstreamError `empty-sentence` where the text has no words
 */
export async function learnTokenizer(
  gold: GoldText,
  { locale, seed, signal }: LearnTokenizerOptions,
): Promise<LearnedTokenizer> {
  if (gold.offsets.length === 0) {
    throw new TagstreamError('empty-sentence', 'there is no text to learn a tokenizer from', {
      fix: 'give records with text and tokens, as CoNLL-U has them',
    });
  }
  const certain = certainContexts(gold);
  const templates = characterTemplates(hasNoSpaces(gold)).join('\n');
  const columns = columnsIn(templates);
  const sentences = characterSentences(
    { text: gold.text },
    {
      ...{ rules: new RuleLabels(locale), doubt: new Doubt(certain), columns, known: gold },
      most: longestSentence,
    },
  );
  const bytes = await trained(sentences, templates, seed, signal);
  const model = readTaggingModel(bytes, '<tokenizer>');
  return new LearnedTokenizer(model, { bytes, certain, locale });
}

/** Characters between white space, on average, from which on it does not stand between words. */
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

/** Passes: fewer over large data, as each brings more steps. */
function epochsFor(sentences: number): number {
  return Math.max(5, Math.min(15, Math.round(100_000 / Math.max(1, sentences))));
}

async function trained(
  sentences: readonly CharacterSentence[],
  templates: string,
  seed: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const model = createModel({ templates });
  const passes = { epochs: epochsFor(sentences.length), seed };
  const trainee = createTrainee(
    { sgd: { eta0: 0.1, l2: 0.5, average: true } },
    { model, loss: logLoss, train: passes },
    { batch: { sentences: 1 }, signal },
  );
  const steps = from(sentences).pipe(
    featurize(model),
    trainee.over(() => undefined),
  );
  await lastValueFrom(steps, { defaultValue: undefined });
  signal?.throwIfAborted();
  const weights = finishedWeights(trainee.learner, { below: least, compact: true });
  return joined(modelPieces(takenContents(model, weights, true)));
}
