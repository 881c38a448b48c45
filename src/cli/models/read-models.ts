import { TagstreamError } from '../../engine/core/errors.js';
import { figureText } from '../../engine/core/figures.js';
import { grouped, kibibytes } from '../../engine/core/wording/numbers.js';
import { modelAddress, modelName, versionId } from '../../engine/interfaces/model-address.js';
import {
  type ModelVersion,
  type RegisteredModels,
  versionText,
} from '../../engine/interfaces/registered-models.js';
import { atomicWrite } from '../../runtime/io/writing/atomic-write.js';
import { aligned } from '../inspect/aligned.js';
import type { ModelsArguments } from '../options/nats-options.js';
import { printError, printJson, printText } from '../report/terminal.js';
import { printed, withRegistry } from './with-registry.js';

export interface PullArguments extends ModelsArguments {
  readonly model: string;
  readonly out: string;
}

/** Writes the file of a version, and prints that version. */
export async function pullFile(given: PullArguments): Promise<void> {
  const address = modelAddress(given.model);
  const { name } = address;
  await withRegistry(given, async registry => {
    const { number, digest } = await registry.resolve(address);
    const bytes = await registry.pull(name, { number, digest });
    atomicWrite(given.out, bytes);
    const result = { name, number, digest, bytes: bytes.length, file: given.out };
    printed(given, result, `${given.out}: ${name} version ${versionText(result)}`);
  });
}

export interface ListArguments extends ModelsArguments {
  readonly name?: string | undefined;
}

/** A version with its aliases. */
type Listed = ModelVersion & { readonly name: string; readonly aliases: readonly string[] };

/** Prints the versions of one model or of all, with their aliases. */
export async function listVersions(given: ListArguments): Promise<void> {
  const wanted = given.name === undefined ? undefined : modelName(given.name);
  await withRegistry(given, async registry => {
    const names = wanted === undefined ? await registry.names() : [wanted];
    for (const name of names) {
      const versions = await listed(registry, name);
      if (given.json === true) {
        for (const version of versions) printJson(version);
      } else if (versions.length > 0) printText(listText(name, versions));
    }
  });
}

async function listed(registry: RegisteredModels, name: string): Promise<Listed[]> {
  const [versions, aliases] = await Promise.all([registry.versions(name), registry.aliases(name)]);
  return versions.map(version => ({
    name,
    ...version,
    aliases: aliases.flatMap(({ alias, digest }) => (digest === version.digest ? [alias] : [])),
  }));
}

function listText(name: string, versions: readonly Listed[]): string {
  const rows = versions.map(({ number, digest, at, bytes, facts, aliases, note }) => [
    String(number),
    versionId(digest),
    `${at.slice(0, 16).replace('T', ' ')} UTC`,
    kibibytes(bytes),
    facts.sentences === null ? '' : `${grouped(facts.sentences)} sentences`,
    scoreText(facts.scores),
    aliases.map(alias => `@${alias}`).join(' '),
    note ?? '',
  ]);
  return `${name}\n${aligned(rows, { right: [0, 3, 4], indent: '  ' }).join('\n')}\n`;
}

function scoreText(scores: ModelVersion['facts']['scores']): string {
  if (scores === undefined) return '';
  const { f1, accuracy } = scores;
  return f1 === undefined ? `accuracy ${figureText(accuracy)}` : `F1 ${figureText(f1)}`;
}

export interface WatchArguments extends ModelsArguments {
  readonly model: string;
}

/** Prints the version that an alias points to, and each later change, until it is stopped. */
export async function watchChanges(given: WatchArguments): Promise<void> {
  const { name, alias } = modelAddress(given.model);
  if (alias === undefined) {
    throw new TagstreamError(
      'usage',
      `${given.model} does not name an alias, so there is nothing to watch`,
      {
        fix: 'write NAME@ALIAS',
      },
    );
  }
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await withRegistry(given, async registry => {
      if ((await registry.alias(name, alias)) === undefined) {
        printError(`${name} has no alias ${alias} yet; waiting for its promotion\n`);
      }
      for await (const now of registry.watch(name, alias, stopping.signal)) {
        const { number, digest, at, by } = now;
        const result = { name, alias, number, digest, at, by };
        printed(given, result, `${at} ${name}@${alias} is version ${versionText(now)}, by ${by}`);
      }
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
