import type { TokenFunctions } from '../../features/template/token-function.js';
import { requireReadable } from '../../models/files/model-file.js';
import { withFileBytes } from '../files/with-file-bytes.js';
import { atomicWrite } from './atomic-write.js';

/**
 * Writes a model file as `atomicWrite` does, and makes sure that it can be read before it replaces the old one.
 *
 * @param pieces of the file, as `modelPieces` gives them
 * @param functions token functions of plug-ins that its templates may name
 * @throws TagstreamError `file` if it cannot be written, and those of `requireReadable` if it cannot be read; the old
 *   content is untouched then
 */
export function writeModelFile(
  path: string,
  pieces: Iterable<Uint8Array>,
  functions?: TokenFunctions,
): void {
  atomicWrite(path, pieces, temporary => {
    withFileBytes(temporary, bytes => requireReadable(bytes, path, functions));
  });
}
