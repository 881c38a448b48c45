import { defer, type MonoTypeOperatorFunction, tap } from 'rxjs';
import type { Position } from '../core/delivery/delivery.js';
import { TagstreamError } from '../core/errors.js';
import { kinds, requireArgument, requireItem } from '../core/schema/require-argument.js';
import type { Document } from '../core/sentence/document.js';
import type { KnownTags } from '../core/sentence/partial-tag.js';
import type { Sentence } from '../core/sentence/sentence.js';
import type { TaggedDocument } from '../core/sentence/tagged-document.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { ChosenTokens, QuestionBudget } from '../models/learning/question-budget.js';
import { predictedTags } from '../models/learning/served-tags.js';
import type { Model } from '../models/model.js';

/** A record with the tokens to ask about. */
export interface Question {
  readonly id?: string;
  readonly text?: string;
  readonly tokens: readonly string[];
  /** Columns of the record, if it has any. */
  readonly columns?: Document['columns'];
  /** The predicted tags, one per token; null at all of them if the model knew no label. */
  readonly predicted: readonly (string | null)[];
  /** Indices of the tokens to ask about. */
  readonly asked: readonly number[];
  /** Whether the record was drawn at random, so that its answer is an unbiased sample; else absent. */
  readonly drawn?: true;
}

/**
 * Returns an operator that asks about the most uncertain tokens of unlabelled records, within the budget. While the model
 * knows no label, all tokens are equally uncertain: it asks about the first ones that fit. Steps pass unchanged.
 * Answers come back through `joinLabels`. Answers about records drawn at random are counted in
 * `budget.counts()`, an unbiased estimate of the scores. Needs `contribute` with `predict` and `marginals`; put it
 * before `checkpoint`.
 *
 * @param budget chooses the tokens; checkpoints must contain its state
 * @param send receives each question synchronously, with its record and tags
 * @throws TagstreamError `config` if the probabilities of the predictions are missing
 * @example
 * const model = createModel({ templates: 'U0:%x[0,0]' });
 * const learner = createLearner(model, { loss: logLoss(), optimizer: sgd(), corpusSize: 100 });
 * const asked = [];
 * const budget = new QuestionBudget({ share: 1, random: 0 });
 * const documents = of({ tokens: ['a', 'b', 'c'], tags: ['X', 'Y', 'Z'] }, { id: '7', tokens: ['new'] });
 * await lastValueFrom(
 *   documents.pipe(
 *     tokenize(), featurize(model), batch(), contribute(learner, { predict: true, marginals: true }), optimize(learner),
 *     ask(model, budget, question => asked.push(question)),
 *   ),
 * );
 * asked.map(({ id, asked }) => [id, asked]) // => [['7', [0]]]
 */
export function ask(
  model: Model,
  budget: QuestionBudget,
  send: (question: Question, record: TaggedDocument) => void,
): MonoTypeOperatorFunction<TrainingStep> {
  requireArgument('ask: the model', model, kinds.model);
  requireArgument('ask: the budget', budget, kinds.questionBudget);
  requireArgument('ask: the question sink', send, kinds.function);
  return source =>
    defer(() => {
      let open = newRecord(undefined);
      return source.pipe(
        tap(step => {
          requireItem('ask', step, kinds.step);
          const { minibatch, predicted, confidence } = step.contribution;
          for (const [s, { sentence }] of minibatch.sentences.entries()) {
            const { document, part, tokens } = sentence;
            if (document.late !== undefined) {
              answer(budget, sentence);
              continue;
            }
            if (isLabelled(sentence) || isLabelled(document)) continue;
            if (predicted === undefined) throw unsure();
            if (open.document !== document) open = newRecord(document);
            const tagged = predictedTags(model, minibatch, predicted, s);
            const first = confidence?.sentenceStarts[s] ?? 0;
            for (let t = 0; t < tokens.length; t += 1) {
              const probability = tagged === undefined ? 0 : confidence?.marginals?.[first + t];
              if (probability === undefined) throw unsure();
              open.tokens.push(tokens[t]!);
              open.tags.push(tagged?.[t] ?? null);
              open.confidences.push(probability);
            }
            if (part.index + 1 < part.count) continue;
            const chosen = choose(open, document.id, budget);
            const question = questionOf(document, open, chosen);
            if (chosen.waits) {
              const held: Held = [question, document.delivery?.position];
              budget.hold(held, chosen.tokens.length);
            } else if (chosen.tokens.length > 0) send(question, recordOf(document, question));
            const due = budget.due() as Held | undefined;
            if (due !== undefined) send(due[0], askedRecord(...due));
          }
        }),
      );
    });
}

/** Chooses the tokens of a record to ask about. */
function choose(
  { tokens, tags, confidences }: OpenRecord,
  id: string | undefined,
  budget: QuestionBudget,
): ChosenTokens {
  const known = knownTags(tags);
  if (known !== undefined) return budget.choose(known, confidences, id);
  // Without an id, because answers about records without tags do not estimate the scores of tags.
  const chosen = budget.choose(Array<string>(tokens.length).fill('O'), confidences);
  return { ...chosen, drawn: false };
}

/** Returns predicted tags; undefined if nothing was predicted for a token. */
function knownTags(tags: Question['predicted']): string[] | undefined {
  const known = tags.filter(tag => tag !== null);
  return known.length === tags.length ? known : undefined;
}

function recordOf(
  document: Document,
  { tokens, predicted }: Pick<Question, 'tokens' | 'predicted'>,
): TaggedDocument {
  const tags = knownTags(predicted);
  return tags === undefined
    ? { document, tokens, tags: [], untagged: true }
    : { document, tokens, tags };
}

/** Reports late labels to the budget. */
function answer(budget: QuestionBudget, sentence: Sentence): void {
  const { document, part, tokens, tags, partialTags } = sentence;
  const { id, late } = document;
  const gold = tags ?? partialTags;
  const given = late?.tags?.slice(part.start, part.start + tokens.length);
  if (id === undefined || gold === undefined || given?.length !== tokens.length) return;
  budget.answer(id, part.start, gold, given);
}

function isLabelled({ tags, partialTags }: KnownTags): boolean {
  return tags !== undefined || partialTags !== undefined;
}

/** A record whose sentences arrive in sequence. */
interface OpenRecord {
  readonly document: Document | undefined;
  readonly tokens: string[];
  /** The predicted tags, null where nothing was predicted. */
  readonly tags: (string | null)[];
  readonly confidences: number[];
}

/** A question that waits, and the position of its record. */
type Held = readonly [question: Question, position: Position | undefined];

/** Returns the record of a question, of whose delivery only the position is left. */
export function askedRecord(question: Question, position: Position | undefined): TaggedDocument {
  const { id, text, tokens, columns, predicted } = question;
  const settled = { release() {}, ack() {}, reject() {} };
  const document: Document = {
    tokens,
    ...(id === undefined ? {} : { id }),
    ...(text === undefined ? {} : { text }),
    ...(columns === undefined ? {} : { columns }),
    ...(position === undefined ? {} : { delivery: { position, ...settled } }),
  };
  return recordOf(document, { tokens, predicted });
}

function newRecord(document: Document | undefined): OpenRecord {
  return { document, tokens: [], tags: [], confidences: [] };
}

function questionOf(
  { id, text, columns }: Document,
  { tokens, tags }: OpenRecord,
  { tokens: asked, drawn }: ChosenTokens,
): Question {
  return {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined ? {} : { text }),
    tokens,
    ...(columns === undefined ? {} : { columns }),
    predicted: tags,
    asked,
    ...(drawn ? { drawn } : {}),
  };
}

function unsure(): TagstreamError {
  return new TagstreamError('config', 'the predictions have no probabilities', {
    fix: 'call contribute with { predict: true, marginals: true }',
  });
}
