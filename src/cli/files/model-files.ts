import { isModelAddress } from '../../engine/interfaces/model-address.js';
import { type NatsArguments, registryOf } from '../options/nats-options.js';

/** Arguments that name models by file, or by registry address. */
type Named<Name extends string> = NatsArguments & { readonly [Key in Name]?: string | undefined };

/**
 * Replaces registry models in arguments with their files in the cache.
 *
 * @throws (rejects with) TagstreamError `config`, `connection`, `model-damaged`, `file`
 */
export async function withModelFiles<Name extends string, Given extends Named<Name>>(
  given: Given,
  names: readonly Name[],
): Promise<Given> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const model: string | undefined = given[name];
    if (model === undefined || !isModelAddress(model)) continue;
    const { fetchedModel } = await import(
      '../../runtime/pipeline/tagging/registered/registered-model.js'
    );
    files[name] = await fetchedModel(model, registryOf(given));
  }
  return { ...given, ...files };
}
