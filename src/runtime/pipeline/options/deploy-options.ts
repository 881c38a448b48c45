import * as z from 'zod';

/** Default number of recent labelled sentences on which a stream's model is compared with the deployed one. */
const defaultRecords = 200;

const address = z.string().regex(/^nats:\/\/[A-Za-z0-9_-]{1,200}@[A-Za-z_-][A-Za-z0-9_-]{0,199}$/, {
  message: 'expected the alias of a registry: nats:// and NAME@ALIAS, such as ner@production',
});

/** The section `deploy` of a pipeline file: an alias, or an object with options. */
export const deployOption = z
  .union([
    address,
    z.strictObject({
      to: address.describe('registry alias: nats://NAME@ALIAS'),
      records: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(defaultRecords)
        .describe(
          'on a stream: labelled sentences, the last ones, on which a model must not tag more tokens wrongly than the deployed model before it replaces it',
        ),
    }),
  ])
  .transform(given => (typeof given === 'string' ? { to: given, records: defaultRecords } : given));

/** Where a run deploys its models, and on how many records they are compared with the deployed one. */
export type DeployOptions = z.output<typeof deployOption>;
