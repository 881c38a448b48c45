import { Subject } from 'rxjs';
import type { EncodedSentence } from '../../engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../engine/core/random.js';
import type { Constraints } from '../../engine/core/sentence/document.js';
import { knownTags, type PartialTag } from '../../engine/core/sentence/partial-tag.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { presetTemplates } from '../../engine/features/presets/preset-templates.js';
import type { Resources } from '../../engine/features/resources/resources.js';
import { logLoss } from '../../engine/losses/log-loss.js';
import { createModel } from '../../engine/models/create-model.js';
import { Decoder } from '../../engine/models/decoding/decoder.js';
import { readModel, writeModel } from '../../engine/models/files/model-file.js';
import { explainSentence } from '../../engine/models/inspection/explain.js';
import type { TokenExplanation } from '../../engine/models/inspection/explanation.js';
import { outside } from '../../engine/models/labels/seen-transitions.js';
import { createOnlineLearner, type Learner } from '../../engine/models/learning/learner.js';
import type { Model } from '../../engine/models/model.js';
import type { ModelSpec } from '../../engine/models/model-spec.js';
import { growFrom } from '../../engine/models/start/grow-from.js';
import { batch } from '../../engine/operators/batch.js';
import { contribute } from '../../engine/operators/contribute.js';
import { featurize } from '../../engine/operators/featurize.js';
import { optimize } from '../../engine/operators/optimize.js';
import { adagrad } from '../../engine/optimizers/adagrad.js';
import { schemeAllows } from '../../engine/text/tags/tag-scheme.js';
import { recipeFor, type Task } from '../../runtime/pipeline/training/recipe.js';
import type { AnnotationTask } from '../task/annotation-task.js';

/** Tags that the model proposes for a sentence. */
export interface Proposal {
  readonly tags: readonly string[];
  /** Probability of each token's tag. */
  readonly marginals: readonly number[];
}

/** Initial state of a session's model. */
export interface ModelStart {
  readonly task: AnnotationTask;
  /** Purpose of the labels, which determines the templates if there is no model file. */
  readonly preset: Exclude<Task, 'letters'>;
  /**
   * Names of the record columns, tokens first; the preset uses any parts of speech. Default `form`.
   */
  readonly columns?: readonly string[] | undefined;
  readonly resources?: Resources | undefined;
  /** Model file from which learning continues. */
  readonly bytes?: Uint8Array | undefined;
  readonly seed: number;
}

/** Maximum size of the model, one of the few parts of the server that take much memory. */
const limit = { features: 2 ** 20, bytes: 96 * 2 ** 20 };

/** Number of sentences for which the penalties of the online steps are set. */
const corpusSize = 1000;

/**
 * Maximum number of sentences that are kept, and of sentences and tokens that are replayed with
 * each answer.
 */
const [kept, repeated, repeatedTokens] = [400, 16, 800];

/**
 * The model of an annotation session, which proposes tags and learns from each answer at once.
 *
 * Each new sentence, followed by a sample of earlier ones, goes through the operators of an online
 * run: featurize, batch, contribute, optimize (AdaGrad with the log loss; unknown tags of a
 * sentence are summed out).
 */
export class AnnotationModel {
  readonly start: ModelStart;
  #model: Model;
  #learner: Learner;
  #input = new Subject<Sentence>();
  #decoder: Decoder;
  #recent: { readonly record: number; readonly sentence: Sentence }[] = [];
  readonly #random: Random;
  #learned = 0;
  #before = 0;
  /**
   * Feature rows of the sentences proposed since the last learning step, as an annotator changes
   * the same sentence repeatedly.
   */
  #encoded = new WeakMap<Sentence, EncodedSentence>();
  #retrained = 0;

  /** @throws TagstreamError errors of `readModel` */
  constructor(start: ModelStart) {
    this.start = start;
    this.#random = new Random(start.seed);
    this.#model = startModel(start);
    this.#decoder = new Decoder(this.#model.kernel, this.#model);
    this.#learner = this.#connect();
  }

  /**
   * Version of the weights: the number of times they were replaced, and the number of answers
   * learned since.
   */
  get version(): string {
    return `${this.#retrained}.${this.#learned}`;
  }

  /** Number of sentences learned from, including those before the last retraining. */
  get answers(): number {
    return this.#before + this.#learned;
  }

  get model(): Model {
    return this.#model;
  }

  get spec(): ModelSpec {
    return this.#model.spec;
  }

  /**
   * Returns the best tag sequence under constraints, with its marginals given the constraints.
   *
   * @throws TagstreamError `constraint` if no tags satisfy them
   */
  propose(sentence: Sentence, constraints?: Constraints): Proposal {
    const { decoded, names } = this.#decode(sentence, constraints, 1);
    return {
      tags: Array.from(decoded.labels, y => names[y]!),
      marginals: Array.from(decoded.marginals!),
    };
  }

  /** Returns the best tag sequences under constraints, with their probabilities. */
  alternatives(sentence: Sentence, constraints: Constraints, most: number) {
    const { decoded, names } = this.#decode(sentence, constraints, most);
    return decoded.nbest![0]!.map(({ labels, probability, logProbability }) => ({
      ...{ tags: Array.from(labels, y => names[y]!), probability, logProbability },
    }));
  }

  explain(sentence: Sentence): TokenExplanation[] {
    return explainSentence(this.#model, sentence);
  }

  /** Learns from a sentence of an answered record, whose tags are null where unknown. */
  learn(record: number, sentence: Sentence, tags: readonly PartialTag[]): void {
    const labelled = { ...sentence, ...knownTags(tags) };
    if (labelled.tags === undefined && labelled.partialTags === undefined) return;
    this.#learned += 1;
    this.#learnFrom(labelled);
    const noted = { record, sentence: labelled };
    if (this.#recent.length < kept) this.#recent.push(noted);
    else this.#recent[this.#random.below(kept)] = noted;
  }

  /** Learns from a sample of earlier sentences again, one per step. */
  *rehearsal(): Generator<void> {
    let tokens = 0;
    for (let i = 0; i < repeated && tokens < repeatedTokens; i += 1) {
      if (this.#recent.length === 0) return;
      const { sentence } = this.#recent[this.#random.below(this.#recent.length)]!;
      tokens += sentence.tokens.length;
      this.#learnFrom(sentence);
      yield;
    }
  }

  /**
   * Stops learning from a record. What was already learned from it stays in the weights until they
   * are replaced.
   */
  forget(record: number): void {
    this.#recent = this.#recent.filter(each => each.record !== record);
  }

  /** Returns the current model file. */
  bytes(): Uint8Array {
    return writeModel(this.#learner);
  }

  /**
   * Adopts the weights of a model trained on all answers in the meantime, and continues learning
   * from there.
   */
  replace(bytes: Uint8Array): void {
    this.#before += this.#learned;
    this.#take(grownModel(bytes, this.start));
  }

  /** Discards everything learned since the start. */
  restart(): void {
    this.#before = 0;
    this.#take(startModel(this.start));
  }

  #learnFrom(sentence: Sentence): void {
    this.#encoded = new WeakMap();
    this.#input.next(sentence);
  }

  #take(model: Model): void {
    this.#encoded = new WeakMap();
    this.#model = model;
    this.#decoder = new Decoder(model.kernel, model);
    this.#input.complete();
    this.#input = new Subject();
    this.#learner = this.#connect();
    this.#retrained += 1;
    this.#learned = 0;
    this.#recent = [];
  }

  #connect(): Learner {
    const options = { eta0: 0.2, l2: 0.1 };
    const learner = createOnlineLearner(this.#model, {
      ...{ loss: logLoss, optimizer: adagrad, options, corpusSize },
    });
    this.#input
      .pipe(featurize(this.#model), batch(), contribute(learner), optimize(learner))
      .subscribe();
    return learner;
  }

  #decode(sentence: Sentence, constraints: Constraints | undefined, most: number) {
    let encoded = this.#encoded.get(sentence);
    if (encoded === undefined) {
      encoded = this.#model.encodeKnown(sentence);
      this.#encoded.set(sentence, encoded);
    }
    const given = constraints === undefined ? sentence : { ...sentence, constraints };
    const minibatch = packMinibatch([Object.assign({}, encoded, { sentence: given })]);
    this.#model.reserve();
    const options = most > 1 ? { nbest: most } : { marginals: true };
    const decoded = this.#decoder.decode(this.#model.parameters, minibatch, options);
    const impossible = decoded.rejected?.get(0);
    if (impossible !== undefined) throw impossible;
    return { decoded, names: this.#model.labels.reported };
  }
}

function startModel(start: ModelStart): Model {
  return start.bytes === undefined ? emptyModel(start) : grownModel(start.bytes, start);
}

function emptyModel({ task, preset, columns = ['form'], resources }: ModelStart): Model {
  const recipe = recipeFor(preset, { records: 0, tokens: 0, stream: true });
  const templates = presetTemplates(recipe.preset!, columns);
  const spec = { templates, columns, ...(resources === undefined ? {} : { resources }) };
  const model = createModel(spec, limit);
  return prepared(model, task);
}

function grownModel(bytes: Uint8Array, { task }: ModelStart): Model {
  const start = readModel(bytes);
  const model = createModel(start.spec, limit);
  growFrom(model, start);
  return prepared(model, task);
}

/**
 * Returns the model with all tags of the task, and with the transitions of their scheme marked as
 * seen.
 */
function prepared(model: Model, { kind, tags }: AnnotationTask): Model {
  const numbers = tags.map(tag => model.labels.intern(tag));
  if (kind === 'tags') return model;
  for (const [i, from] of tags.entries()) {
    if (schemeAllows('BIO', undefined, from)) model.seen.add(outside, numbers[i]!);
    model.seen.add(numbers[i]!, outside);
    for (const [j, to] of tags.entries()) {
      if (schemeAllows('BIO', from, to)) model.seen.add(numbers[i]!, numbers[j]!);
    }
  }
  return model;
}
