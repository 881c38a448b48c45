import type { RegisteredModels } from '../../engine/interfaces/registered-models.js';
import {
  type NewBuckets,
  openChosenRegistry,
} from '../../runtime/pipeline/tagging/registered/open-chosen-registry.js';
import { type ModelsArguments, registryOf } from '../options/nats-options.js';
import { printJson, printText } from '../report/terminal.js';

/** Runs a function with the registry chosen by the arguments. */
export async function withRegistry(
  given: ModelsArguments & NewBuckets,
  work: (registry: RegisteredModels) => Promise<void>,
): Promise<void> {
  const { create, replicas } = given;
  const registry = await openChosenRegistry(registryOf(given), { create, replicas });
  try {
    await work(registry);
  } finally {
    await registry.close();
  }
}

/** Prints a result as JSON if requested, otherwise as text. */
export function printed({ json }: ModelsArguments, result: object, text: string): void {
  if (json === true) printJson(result);
  else printText(`${text}\n`);
}
