import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline as pump } from 'node:stream/promises';
import type { Pipeline } from '../definition/pipeline.js';
import { graphSpecOf } from '../options/graph-options.js';
import { type ModelSection, modelChoice } from '../options/model-option.js';
import { columnsSpecOf } from '../options/structure-options.js';

/** Sections and stages that have no part in what is learned; of the model all but its file has. */
const elsewhere: ReadonlySet<string> = new Set(['name', 'description', 'model', 'checks', 'sink']);

/**
 * Digests of what makes a run: the settings of its pipeline, with the contents of all files that it names in
 * place of their paths. A file is read once.
 */
export class RunDigests {
  readonly #made: Readonly<Record<string, unknown>>;
  readonly #files = new Map<string, string>();

  /** @param made what else the results depend on, as the kernel and the version */
  constructor(made: Readonly<Record<string, unknown>>) {
    this.#made = made;
  }

  /** `sha256:` and 64 digits. */
  async of({ config, baseDirectory }: Pipeline): Promise<string> {
    const parts = Object.entries(config).filter(([key]) => !elsewhere.has(key));
    const parted = Object.fromEntries([...parts, ...kindOfModel(config)]);
    const settings = await this.#withContents(parted, baseDirectory);
    const text = JSON.stringify(sorted({ made: this.#made, settings }));
    return `sha256:${createHash('sha256').update(text).digest('hex')}`;
  }

  async #withContents(value: unknown, folder: string): Promise<unknown> {
    if (typeof value === 'string') return (await this.#content(resolve(folder, value))) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await this.#withContents(item, folder));
      return items;
    }
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      entries.push([key, key === 'checkpoint' ? null : await this.#withContents(item, folder)]);
    }
    return Object.fromEntries(entries);
  }

  /** The digest of a file; undefined where there is none. */
  async #content(path: string): Promise<string | undefined> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    if (path.includes('\0') || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
    const hash = createHash('sha256');
    await pump(createReadStream(path), hash);
    const digest = `file:${hash.digest('hex')}`;
    this.#files.set(path, digest);
    return digest;
  }
}

/** What a model is, as its scorer and structure, but not where it goes; nothing where that is the default. */
function kindOfModel(config: Readonly<Record<string, unknown>>): [string, unknown][] {
  const { structure, ...choice } = modelChoice(config.model as ModelSection);
  const kind = Object.entries({
    ...choice,
    ...columnsSpecOf(structure),
    ...(structure.structure === 'segments'
      ? {
          maxLength: structure.maxLength ?? 'default',
          features: structure.segmentFeatures ?? 'default',
        }
      : {}),
    ...(structure.structure === 'graph' ? { graph: graphSpecOf(structure) } : {}),
  }).filter(([, value]) => value !== undefined);
  return kind.length === 0 ? [] : [['model', Object.fromEntries(kind)]];
}

/** The same value with the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
