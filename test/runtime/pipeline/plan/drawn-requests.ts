import * as z from 'zod';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { lossComponents } from '../../../../src/engine/losses/loss-components.js';
import { optimizers } from '../../../../src/engine/optimizers/optimizers.js';
import { trainers } from '../../../../src/runtime/pipeline/catalogue/trainers.js';
import {
  dictionaryOption,
  featureShape,
} from '../../../../src/runtime/pipeline/options/feature-options.js';
import { modelOption } from '../../../../src/runtime/pipeline/options/model-option.js';
import { oneOf } from '../../../../src/runtime/pipeline/options/one-of.js';
import { divisionOptions } from '../../../../src/runtime/pipeline/options/tokenize-options.js';
import { trainOptions } from '../../../../src/runtime/pipeline/options/train-options.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';
import { type Hints, OptionDrawer } from '../run/drawn-options.js';

type Options = Record<string, unknown>;

/** What is asked of a training, whichever way. */
export interface Asked {
  readonly features: Options;
  /** The scorer, the structure and the like. */
  readonly model: Options;
  readonly trainer: Options;
  readonly loss: unknown;
  readonly train: Options;
  readonly batch?: number;
  readonly tokenize?: Options;
  readonly patience?: number;
}

const hints: Hints = {
  'features.templates': [
    ['U0:%x[0,0]', 'B'],
    ['U0:%x[0,0]'],
    ['U0:%x[0,0]', 'U1:%x[-1,0]/%x[0,0]', 'B', 'B1:%x[0,0]'],
    ['U0:%x[0,0]', 'U1:%x[0,1]', 'U2:%suffix[0,0,2]', 'B'],
    ['U0:%x[0,0]', 'U1:%seen[0,0]', 'B'],
    ['U0:%x[0,0]', 'U1:%predicted[-1,0]', 'B'],
    ['U0:%x[0,0]', 'U1:%nothing[0,0]'],
  ],
  'hashed.rows': [1, 7, 64],
  'hashed.edgeRows': [1, 8],
  'unlabelled.labels': [['O'], ['O', 'B-PER', 'Z']],
  'codes.words': [
    { X: '0', Y: '1' },
    { X: '00', Y: '11', Z: '01' },
  ],
  'model.layers': ['|'],
  'model.parts': ['|', '-'],
  'model.segmentFeatures': [
    ['length', 'lower'],
    ['text:pos', 'first'],
  ],
  'model.linkFeatures': [['lower'], ['shape:pos', 'distance']],
  'links.column': ['form', 'pos'],
  'tokenize.pattern': ['\\w+|\\S'],
  'tokenize.locale': ['en', 'nl'],
  'switch.epochs': [1, 2],
};

const featureOptions = z.strictObject({ ...featureShape, dictionary: dictionaryOption });
/** From code a tokenizer's model is a `Model`, in a file the name of one. */
const divisionOf = divisionOptions.omit({ model: true });
const modelOptions = modelOption._zod.def.options[1]!;
const optimizerOptions = oneOf([...optimizers, ...trainers]);
const lossOptions = oneOf(lossComponents);
const { seed, seeds, shuffle, dropout, threshold, temperature, compact } = trainOptions.shape;
const passOptions = z.strictObject({
  seed,
  seeds,
  shuffle,
  dropout,
  threshold,
  temperature,
  compact,
});

/** Requests whose options are drawn from the schemas; most of them are to be refused. */
export class DrawnRequests {
  readonly #drawer: OptionDrawer;

  constructor(seed: number) {
    this.#drawer = new OptionDrawer(new Random(seed), hints);
  }

  next(): Asked {
    const drawer = this.#drawer;
    drawer.drawn = [];
    // Of options that are drawn by themselves, few go together.
    const share = drawer.pick([0, 0.03, 0.1]);
    const features = drawer.object(featureOptions, 'features', { share });
    if (drawer.chance(0.15)) features.preset = drawer.pick(['pos', 'chunk-small', 'nerr']);
    else
      features.templates = drawer.pick(
        hints['features.templates']!.slice(0, drawer.chance(0.9) ? 5 : 7),
      );
    const train: Options = {
      ...drawer.object(passOptions, 'train', { share }),
      epochs: drawer.pick([1, 1, 2]),
      ...(drawer.chance(0.15) ? { workers: 2 } : {}),
      ...(drawer.chance(0.1) ? { mode: drawer.pick(['hogwild', 'deterministic', 'wild']) } : {}),
    };
    return {
      ...{ features, train },
      model: drawer.object(modelOptions, 'model', { share, without: ['file', 'names'] }),
      trainer: drawer.chance(0.6)
        ? drawer.object(optimizerOptions, 'trainer', { share: 0.1 })
        : drawer.pick([{ sgd: {} }, { adagrad: {} }, { lbfgs: {} }, { perceptron: {} }]),
      loss: this.#loss(),
      ...(drawer.chance(0.3) ? { batch: drawer.pick([1, 2, 3]) } : {}),
      ...(drawer.chance(0.1)
        ? { tokenize: drawer.object(divisionOf, 'tokenize', { share: 0.2 }) }
        : {}),
      ...(drawer.chance(0.08) ? { patience: drawer.pick([1, 2]) } : {}),
    };
  }

  #loss(): unknown {
    const drawer = this.#drawer;
    if (drawer.chance(0.1)) return drawer.object(lossOptions, 'loss', { share: 0.5 });
    const { name } = drawer.pick(lossComponents);
    return drawer.chance(0.6) ? 'log' : name;
  }
}

/** The pipeline file of a request on records in files. */
export function pipelineOf(asked: Asked): string {
  const { features, model, trainer, loss, train, batch, tokenize, patience } = asked;
  const data = (name: string) => ({ ndjson: { files: [`${name}${kindOf(asked)}.ndjson`] } });
  const on = data('heldout');
  return JSON.stringify({
    ...{ version: 1, name: 'drawn', source: data('corpus'), deadLetters: { default: 'fail' } },
    stages: [
      ...(tokenize === undefined ? [] : [{ tokenize }]),
      { featurize: { columns, ...features } },
      { batch: batch === undefined ? {} : { sentences: batch } },
      { contribute: { loss } },
      { optimize: trainer },
      ...(patience === undefined ? [] : [{ evaluate: { on, patience } }]),
    ],
    ...{ train, model: { file: 'drawn.model', ...model } },
  });
}

/** The request to `train` with the same options. */
export function requestOf(asked: Asked, records: Records): TrainRequest {
  const { features, model, trainer, loss, train, batch, tokenize, patience } = asked;
  const { workers: _, ...passes } = train;
  const kind = kindOf(asked);
  return {
    corpus: records(`corpus${kind}`),
    features: { columns, ...features },
    ...{ ...model, trainer, loss, ...passes },
    ...(batch === undefined ? {} : { batch }),
    ...(tokenize === undefined ? {} : { tokenize }),
    ...(patience === undefined ? {} : { patience, heldOut: records(`heldout${kind}`) }),
  } as unknown as TrainRequest;
}

/** Records by the name of their file. */
export type Records = (name: string) => readonly Document[];

const columns = ['form', 'pos'];

/** Tags of two layers are in files of their own. */
function kindOf({ model }: Asked): '' | '-pairs' {
  return model.layers === undefined ? '' : '-pairs';
}

/** A few sentences with a column, links and spans; with tags of two layers, too. */
export function smallCorpus(random: Random, count: number, pairs: boolean): Document[] {
  const words = ['Anna', 'Oslo', 'Rome', 'runs', 'in', 'the', 'Bo', 'sees'];
  return Array.from({ length: count }, () => {
    const picks = Array.from({ length: 1 + random.below(5) }, () => random.below(words.length));
    const pos = picks.map(pick => (pick < 3 || pick === 6 ? 'N' : 'X'));
    const tags = picks.map((pick, t) => {
      if (pick === 0 || pick === 6) return picks[t - 1] === 0 ? 'I-PER' : 'B-PER';
      return pick < 3 ? 'B-LOC' : 'O';
    });
    return {
      tokens: picks.map(pick => words[pick]!),
      columns: { pos },
      tags: pairs ? tags.map((tag, t) => `${pos[t]}|${tag}`) : tags,
    };
  });
}
