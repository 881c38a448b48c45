import type { Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import type { CheckpointParts } from '../../core/training/checkpoint-store.js';
import type { State } from '../../core/training/state.js';
import { hashing } from '../files/hashing.js';
import { readFully } from '../files/read-fully.js';
import { type Manifest, readManifest } from './manifest.js';
import { emptyArray, itemBytes, littleEndian, memoryOf, type SectionArray } from './sections.js';
import { arraysFile, manifestFile } from './write-generation.js';

/**
 * The parts of the checkpoint in a directory, every byte checked.
 *
 * @throws TagstreamError `checkpoint` if it is damaged, or what the file system throws
 */
export function readGeneration(directory: string): CheckpointParts {
  const manifest = readManifest(readFileSync(join(directory, manifestFile), 'utf8'));
  const expected = manifest.files[arraysFile];
  const file = openSync(join(directory, arraysFile), 'r');
  try {
    const bytes = manifest.parts
      .flatMap(part => part.sections)
      .reduce((sum, { type, length }) => sum + length * itemBytes(type), 0);
    // Compared first, so that no damaged length is ever allocated.
    if (expected?.bytes !== bytes || fstatSync(file).size !== bytes) {
      throw damaged(`${arraysFile} has not the ${bytes} bytes that the manifest names`);
    }
    const hash = hashing().createHash('sha256');
    const parts = readParts(file, manifest, hash);
    if (hash.digest('hex') !== expected.sha256) {
      throw damaged(`${arraysFile} is damaged: its SHA-256 does not match`);
    }
    return parts;
  } finally {
    closeSync(file);
  }
}

function readParts(file: number, manifest: Manifest, hash: Hash): CheckpointParts {
  const entries = manifest.parts.map(({ name, json, sections }): [string, State] => {
    const arrays = sections.map(({ name, type, length }): [string, SectionArray] => {
      const array = emptyArray(type, length);
      const isWhole = readFully(file, memoryOf(array), null);
      if (!isWhole) throw damaged(`${arraysFile} ends too early`);
      hash.update(memoryOf(array));
      // What was read is little-endian; where the machine is not, the same swap turns it round.
      const turned = littleEndian(array);
      if (turned.buffer !== array.buffer) memoryOf(array).set(turned);
      return [name, array];
    });
    return [name, { json, arrays: Object.fromEntries(arrays) }];
  });
  return Object.fromEntries(entries);
}

function damaged(problem: string): TagstreamError {
  return new TagstreamError('checkpoint', problem);
}
