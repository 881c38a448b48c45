import binaryen from 'binaryen';

/** Functions that only training calls, and one for word vectors used by a command. */
const ofOthers =
  /^(?:accumulate|add(?:AtPlaces|Products)|average|charge|clearVector|combineThenDot|countActive|dotVectors|internTexts|mixVectors|multiplyThenDot|narrowDifference|nearestRows|penalise|step)/;

/**
 * Returns the kernels without the functions that a tagging page does not need.
 *
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function taggingOnly(bytes) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(binaryen.Features.All);
  const names = Array.from(
    { length: module.getNumExports() },
    (_, i) => binaryen.getExportInfo(module.getExportByIndex(i)).name,
  );
  for (const name of names) if (ofOthers.test(name)) module.removeExport(name);
  module.runPasses(['remove-unused-module-elements']);
  const smaller = module.emitBinary();
  module.dispose();
  return smaller;
}
