import * as z from 'zod';
import { scorers } from '../../inference/scorers/scorers.js';
import type { NamesKept } from '../../models/inspection/note-model.js';
import { lacksStructure, segmentShape, withoutStructure } from './segment-options.js';

/** Names that are kept for each label by default: few enough to weigh next to nothing. */
export const defaultNames = 20;

const names = z
  .union([z.boolean(), z.int().min(1)])
  .default(defaultNames)
  .describe(
    'feature names to keep for inspect: for each label those of its N strongest features; true: all names, false: none',
  );

const scorerNames = scorers.map(({ name }) => name);

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
        ...segmentShape,
      })
      .refine(chosen => !lacksStructure(chosen), { message: withoutStructure }),
  ],
  `a path is expected, or an object of file, names, structure and scorer (one of ${scorerNames.join(', ')})`,
);

/** Names to keep, as a number where they are to be ranked. */
export function namesKept(chosen: boolean | number): NamesKept {
  if (chosen === true) return 'all';
  return chosen === false ? 0 : chosen;
}
