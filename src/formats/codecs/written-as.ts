import type { Codec } from './codec.js';

/** Returns a codec that reads records in one format, and writes them as new records in another once they are tagged. */
export function writtenAs(read: Codec, written: Codec): Codec {
  const { recordFiles: _, inArray: __, forTagging: ___, writeBad: ____, ...reading } = read;
  return {
    ...reading,
    writesResults: written.writesResults === true,
    recordEnd: written.recordEnd,
    ...(written.inArray === undefined ? {} : { inArray: written.inArray }),
    ...(written.recordFiles === undefined ? {} : { recordFiles: written.recordFiles }),
    write: (tagged, options) => {
      const { raw: _____, format: ______, ...document } = tagged.document;
      return written.write({ ...tagged, document }, { ...options, ofText: true });
    },
  };
}
