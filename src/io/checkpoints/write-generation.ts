import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointParts } from '../../core/training/checkpoint-store.js';
import { hashing } from '../files/hashing.js';
import { syncDirectory } from '../files/sync-directory.js';
import { writeDurably } from '../writing/write-durably.js';
import { exactJson } from './exact-json.js';
import { formatVersion, type ManifestPart, sealManifest } from './manifest.js';
import { littleEndian, typeOf } from './sections.js';

export const manifestFile = 'manifest.json';
export const arraysFile = 'arrays.bin';

/**
 * Writes all files of a checkpoint into a new directory and flushes them; the manifest comes last.
 *
 * @throws TagstreamError `checkpoint` if a part holds what cannot be kept; what the file system throws
 */
export function writeGeneration(directory: string, parts: CheckpointParts): void {
  const described = Object.entries(parts).map(([name, state]) => ({
    name,
    json: exactJson(state.json, `${name}.json`),
    sections: Object.entries(state.arrays).map(([section, array]) => ({
      name: section,
      type: typeOf(array, `${name}.arrays.${section}`),
      length: array.length,
    })) satisfies ManifestPart['sections'],
  }));
  mkdirSync(directory);
  const hash = hashing().createHash('sha256');
  let bytes = 0;
  function* sections() {
    for (const { arrays } of Object.values(parts)) {
      for (const array of Object.values(arrays)) {
        const section = littleEndian(array);
        hash.update(section);
        bytes += section.length;
        yield section;
      }
    }
  }
  writeDurably(join(directory, arraysFile), sections());
  const files = { [arraysFile]: { bytes, sha256: hash.digest('hex') } };
  const partTexts = described.map(
    ({ name, json, sections }) =>
      `{"name":${JSON.stringify(name)},"json":${json},"sections":${JSON.stringify(sections)}}`,
  );
  const body = `{"format":${formatVersion},"files":${JSON.stringify(files)},"parts":[${partTexts.join(',')}]}`;
  writeDurably(join(directory, manifestFile), [sealManifest(body)]);
  syncDirectory(directory);
}
