import * as z from 'zod';

/** Name of the pipeline's own learner in messages. */
export const firstLearner = 'pipeline';

/** The section `challenge` of a pipeline file. */
export const challengeOptions = z.strictObject({
  alpha: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.05)
    .describe(
      'probability that a learner that is no better ever replaces another, over the whole stream',
    ),
  learners: z
    .record(
      z.string().regex(/^[\w.-]+$/, 'a name has letters, digits, . _ and - only'),
      z.record(z.string().min(1), z.unknown()),
    )
    .refine(learners => Object.keys(learners).length > 0, { message: 'name at least one learner' })
    .refine(learners => !Object.hasOwn(learners, firstLearner), {
      message: `${firstLearner} is the learner of the pipeline itself: choose another name`,
    })
    .describe(
      'learners by name, each with the settings that differ from the pipeline, as --set names them: { "stages.optimize": { sgd: { eta0: 0.2 } } }',
    ),
});

/** The challengers of a pipeline's learner. */
export type ChallengeOptions = z.output<typeof challengeOptions>;
