import { TagstreamError } from '../../engine/core/errors.js';
import { aliasName, modelAddress, modelName } from '../../engine/interfaces/model-address.js';
import {
  type RegisteredModels,
  type StandingAlias,
  versionText,
} from '../../engine/interfaces/registered-models.js';
import { readTagger } from '../../runtime/pipeline/tagging/reload/open-model.js';
import type { ModelsArguments } from '../options/nats-options.js';
import { pluginsOf, type UseArguments } from '../options/use-option.js';
import { printed, withRegistry } from './with-registry.js';

export interface PushArguments extends ModelsArguments, UseArguments {
  readonly file: string;
  readonly name: string;
  readonly note?: string | undefined;
  readonly create?: boolean | undefined;
  readonly replicas?: number | undefined;
}

/** Stores a model file as the next version of a name, and prints that version. */
export async function pushFile(given: PushArguments): Promise<void> {
  const { file, note } = given;
  const name = modelName(given.name);
  const plugins = await pluginsOf(given);
  // A model that cannot tag is not stored.
  const { bytes } = readTagger({ file, functions: plugins?.functions });
  await withRegistry(given, async registry => {
    const { version, isNew } = await registry.push({ name, bytes, source: file, note });
    const text = `${name} version ${versionText(version)}`;
    printed(given, { name, ...version, isNew }, isNew ? text : `${text} already exists`);
  });
}

export interface PromoteArguments extends ModelsArguments {
  readonly name: string;
  readonly release: string;
  readonly alias: string;
  readonly expect?: string | undefined;
}

/** Points an alias to a version, and prints it. */
export async function promoteVersion(given: PromoteArguments): Promise<void> {
  const name = modelName(given.name);
  const alias = aliasName(given.alias);
  const address = modelAddress(`${name}@${given.release}`);
  await withRegistry(given, async registry => {
    const before = (await registry.alias(name, alias)) ?? null;
    if (given.expect !== undefined) await requireExpected(registry, before, given);
    const { number } = await registry.resolve(address);
    const now = await registry.promote({ name, alias, number, before });
    print(given, name, now);
  });
}

export interface RollbackArguments extends ModelsArguments {
  readonly name: string;
  readonly alias: string;
}

/** Points an alias back to its previous version, and prints it. */
export async function rollBack(given: RollbackArguments): Promise<void> {
  const name = modelName(given.name);
  const alias = aliasName(given.alias);
  await withRegistry(given, async registry => {
    print(given, name, await registry.rollback({ name, alias }));
  });
}

async function requireExpected(
  registry: RegisteredModels,
  before: StandingAlias | null,
  { name, alias, expect }: PromoteArguments,
): Promise<void> {
  const expected = await registry.resolve(modelAddress(`${name}@${expect}`));
  if (before?.digest === expected.digest) return;
  const found =
    before === null
      ? 'does not exist'
      : `is version ${versionText(before)} since ${before.at}, by ${before.by}`;
  throw new TagstreamError('config', `${name}@${alias} ${found}, not version ${expect}`, {
    fix: 'check that this is right before you promote another version',
  });
}

function print(given: ModelsArguments, name: string, now: StandingAlias): void {
  const { alias, number, digest, at, by } = now;
  printed(
    given,
    { name, alias, number, digest, at, by },
    `${name}@${alias} is version ${versionText(now)}`,
  );
}
