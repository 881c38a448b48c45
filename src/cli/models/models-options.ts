import { type NatsArguments, natsOptions } from '../options/nats-options.js';

const { cache: _, ...serverOptions } = natsOptions;

/** The options of all commands on models. */
export const modelsOptions = {
  ...serverOptions,
  json: { type: 'boolean', describe: 'print JSON, one object a line' },
} as const;

export interface ModelsArguments extends NatsArguments {
  readonly json?: boolean | undefined;
}
