import { readFileSync } from 'node:fs';
import { fileError } from '../io/file-error.js';
import type { Model } from '../models/model.js';
import { readModel } from '../models/model-file.js';

/** @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged` */
export function readModelFile(path: string): Model {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
  return readModel(bytes, path);
}
