import * as z from 'zod';
import { scorers } from '../../inference/scorers/scorers.js';
import { defaultSpread, hiddenStatesOf } from '../../models/hidden-states.js';
import type { NamesKept } from '../../models/inspection/note-model.js';
import { codesOption } from './codes-option.js';
import { refuseMisplaced, structureShape } from './structure-options.js';

/** Names that are kept for each label by default: few enough to weigh next to nothing. */
export const defaultNames = 20;

const names = z
  .union([z.boolean(), z.int().min(1)])
  .default(defaultNames)
  .describe(
    'feature names to keep for inspect: for each label those of its N strongest features; true: all names, false: none',
  );

const scorerNames = scorers.map(({ name }) => name);

const states = z.int().min(1).max(16).describe('hidden states of each label');

/** Hidden states of the labels, as their number or with options. */
export const hiddenOption = z
  .union([
    states,
    z.strictObject({
      states,
      spread: z
        .number()
        .positive()
        .default(defaultSpread)
        .describe('weights start within [-spread, spread]: states that start alike stay alike'),
      seed: z.int().default(1).describe('seed of where they start'),
    }),
  ])
  .transform(hiddenStatesOf)
  .describe(
    'hidden states of each label (hidden CRF): a number, or { states, spread, seed }; default: 1, none',
  );

/** What stands between the two layers of a tag. */
export const layersOption = z
  .string()
  .min(1)
  .describe(
    'tags are of two layers with this text between, as DT|B-NP: each layer has weights of its own, and each pair that occurs one (factorial CRF)',
  );

/** The model: the file to write, as a path or with options, and what makes potentials of its weights. */
export const modelOption = z.union(
  [
    z.string().min(1),
    z
      .strictObject({
        file: z.string().min(1).optional().describe('the file'),
        names,
        scorer: z
          .enum(scorerNames)
          .optional()
          .describe(
            `what turns weights into potentials; default: linear. ${scorers.map(({ name, summary }) => `${name}: ${summary}`).join('; ')}`,
          ),
        hidden: hiddenOption.optional(),
        layers: layersOption.optional(),
        codes: codesOption.optional(),
        ...structureShape,
      })
      .superRefine(refuseMisplaced),
  ],
  `a path is expected, or an object of file, names, hidden, layers, codes, structure and scorer (one of ${scorerNames.join(', ')})`,
);

/** Names to keep, as a number where they are to be ranked. */
export function namesKept(chosen: boolean | number): NamesKept {
  if (chosen === true) return 'all';
  return chosen === false ? 0 : chosen;
}
