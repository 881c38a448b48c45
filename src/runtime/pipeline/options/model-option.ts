import * as z from 'zod';
import { onResume } from '../../../engine/core/schema/on-resume.js';
import type { ScorerName } from '../../../engine/core/scorer.js';
import { scorers } from '../../../engine/inference/scorers/scorers.js';
import type { NamesKept } from '../../../engine/models/inspection/note-model.js';
import {
  defaultSpread,
  type HiddenStates,
  hiddenStatesOf,
} from '../../../engine/models/model-spec.js';
import { refuseMisplaced, type StructureChoice, structureShape } from './structure-options.js';

/** Default number of names kept per label: few enough to be negligible. */
export const defaultNames = 20;

const names = z
  .union([z.boolean(), z.int().min(1)])
  .default(defaultNames)
  .describe(
    'feature names to keep for inspect: for each label those of its N strongest features; true: all names, false: none',
  );

const scorerNames = scorers.map(({ name }) => name);

const states = z.int().min(1).max(16).describe('hidden states of each label');

/** Hidden states of the labels: their number, or an object with options. */
export const hiddenOption = z
  .union([
    states,
    z.strictObject({
      states,
      spread: z
        .number()
        .positive()
        .default(defaultSpread)
        .describe(
          'initial weights are drawn from [-spread, spread]: states that start equal stay equal',
        ),
      seed: z.int().default(1).describe('seed of the initial weights'),
    }),
  ])
  .transform(hiddenStatesOf)
  .describe(
    'hidden states of each label (hidden CRF), with the scorer hmm components of its mixture of densities: a number, or { states, spread, seed }; default: 1, none',
  );

/** Form of the covariance in the densities of numbers of the scorer `hmm`. */
export const covarianceOption = z
  .enum(['diagonal', 'full'])
  .describe(
    'densities of the numbers of %v with the scorer hmm: diagonal: a variance for each column; full: covariances too. Default: diagonal',
  );

/** The model: its scorer, and the file to write, as a path or with options. */
export const modelOption = z.union(
  [
    onResume('place', z.string().min(1)),
    z
      .strictObject({
        file: onResume('place', z.string().min(1).optional().describe('the file')),
        names: onResume('observation', names),
        scorer: z
          .optional(z.enum(scorerNames))
          .describe(
            `how weights become potentials; default: linear. ${scorers.map(({ name, summary }) => `${name}: ${summary}`).join('; ')}`,
          ),
        hidden: hiddenOption.optional(),
        covariance: covarianceOption.optional(),
        ...structureShape,
      })
      .superRefine(refuseMisplaced),
  ],
  `expected a path, or an object with file, names, hidden, covariance, layers, parts, codes, structure and scorer (one of ${scorerNames.join(', ')})`,
);

/** The section `model` of a pipeline file. */
export type ModelSection = z.output<typeof modelOption> | undefined;

/** Properties of a model, whichever file it is written to. */
export interface ModelChoice {
  /** The scorer. Default: linear. */
  readonly scorer: ScorerName | undefined;
  /** The hidden states. Default: none. */
  readonly hidden: HiddenStates | undefined;
  /** The form of the covariance. Default: diagonal. */
  readonly covariance: 'full' | undefined;
  readonly structure: StructureChoice;
}

/** Returns the settings of the section `model` other than its file; omits defaults. */
export function modelChoice(section: ModelSection): ModelChoice {
  const chosen = typeof section === 'object' ? section : undefined;
  const { scorer, hidden, covariance } = chosen ?? {};
  return {
    scorer: scorer === 'linear' ? undefined : scorer,
    hidden: hidden && hiddenStatesOf(hidden),
    covariance: covariance === 'diagonal' ? undefined : covariance,
    structure: chosen ?? {},
  };
}

/** Returns the choice of names to keep, as a number if they are to be ranked. */
export function namesKept(chosen: boolean | number): NamesKept {
  if (chosen === true) return 'all';
  return chosen === false ? 0 : chosen;
}
