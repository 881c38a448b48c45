import type { RegistryChoice } from '../../runtime/pipeline/setup/run-options.js';
import { type ArgumentsOf, flag, text } from './option-kinds.js';

/** Options of every command that may use a registry model. */
export const natsOptions = {
  servers: text(
    'servers of the model registry, separated by commas; default: those of --nats, else localhost:4222',
  ),
  nats: text(
    'YAML file with the connection: servers, auth, tls, giveUp, bucket; default: that of the variable TAGSTREAM_NATS',
  ),
  cache: text(
    'cache folder for models of a registry; default: that of TAGSTREAM_CACHE, else ~/.cache/tagstream',
  ),
} as const;

export type NatsArguments = ArgumentsOf<typeof natsOptions>;

/** Returns the registry chosen by the arguments. */
export function registryOf({ servers, nats, cache }: NatsArguments): RegistryChoice {
  const named = servers?.split(',').map(server => server.trim());
  return { servers: named, nats, cache };
}

const { cache: _, ...serverOptions } = natsOptions;

/** Options of all commands on models. */
export const modelsOptions = {
  ...serverOptions,
  json: flag('print JSON, one object per line'),
} as const;

export type ModelsArguments = ArgumentsOf<typeof modelsOptions> & NatsArguments;
