import type { Head } from '../../../../src/formats/reading/read-head.js';

/** The beginning of a file as `readHead` gives it. */
export function headOf(text: string | Uint8Array, fileBytes?: number): Head {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return { bytes, whole: fileBytes === undefined, fileBytes: fileBytes ?? bytes.length };
}
