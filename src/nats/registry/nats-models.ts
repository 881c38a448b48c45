import type { ModelAddress } from '../../engine/interfaces/model-address.js';
import type {
  Promotion,
  Push,
  RegisteredModels,
  RegisteredVersion,
} from '../../engine/interfaces/registered-models.js';
import {
  aliasesOf,
  promote,
  resolveAddress,
  rollback,
  standingAlias,
  watchAlias,
} from './aliases.js';
import { type ModelRegistry, openRegistry, type RegistryOptions } from './open-registry.js';
import { modelNames, pullModel, pushModel, versionsOf, whoThisIs } from './versions.js';

/**
 * Opens the models of a registry.
 *
 * @param path resolves a path relative to the folder of the options' files
 * @throws (rejects with) TagstreamError like `openRegistry`
 */
export async function openNatsModels(
  options: RegistryOptions,
  path: (file: string) => string,
): Promise<RegisteredModels> {
  return new NatsModels(await openRegistry(options, path));
}

/** Models in buckets of NATS; changes are signed with the user and host of this process. */
class NatsModels implements RegisteredModels {
  readonly #registry: ModelRegistry;

  constructor(registry: ModelRegistry) {
    this.#registry = registry;
  }

  get isClosed() {
    return this.#registry.connection.core.isClosed();
  }

  names() {
    return modelNames(this.#registry);
  }

  versions(name: string) {
    return versionsOf(this.#registry, name);
  }

  aliases(name: string) {
    return aliasesOf(this.#registry, name);
  }

  alias(name: string, alias: string) {
    return standingAlias(this.#registry, name, alias);
  }

  resolve(address: ModelAddress) {
    return resolveAddress(this.#registry, address);
  }

  pull(name: string, version: RegisteredVersion) {
    return pullModel(this.#registry, name, version);
  }

  push(push: Push) {
    return pushModel(this.#registry, { ...push, by: whoThisIs() });
  }

  promote(promotion: Promotion & Pick<ModelAddress, 'number' | 'id'>) {
    return promote(this.#registry, { ...promotion, by: whoThisIs() });
  }

  rollback(promotion: Promotion) {
    return rollback(this.#registry, { ...promotion, by: whoThisIs() });
  }

  watch(name: string, alias: string, signal: AbortSignal) {
    return watchAlias(this.#registry, name, alias, signal);
  }

  close() {
    return this.#registry.close();
  }
}
