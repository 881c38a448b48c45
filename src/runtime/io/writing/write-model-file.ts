import type { TokenFunctions } from '../../../engine/features/template/token-function.js';
import { requireReadable } from '../../../engine/models/files/model-file.js';
import { withFileBytes } from '../../../formats/files/with-file-bytes.js';
import { atomicWrite } from './atomic-write.js';

/**
 * Writes a model file like `atomicWrite`, and verifies that it can be read before it replaces the old one.
 *
 * @param pieces pieces of the file from `modelPieces`
 * @param functions token functions of plug-ins, which its templates may name
 * @throws TagstreamError `file` if the file cannot be written, and the errors of `requireReadable` if it cannot be
 *   read; the old content is then untouched
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
