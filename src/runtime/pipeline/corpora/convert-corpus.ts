import { join } from 'node:path';
import { ndjsonCodec } from '../../../formats/codecs/ndjson/ndjson-codec.js';
import { makeDirectory } from '../../../formats/files/directories.js';
import { fileError } from '../../../formats/files/file-error.js';
import { requireApart } from '../../../formats/files/require-apart.js';
import { type ConvertOptions, convert } from '../../io/convert.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { openOutput } from '../../io/writing/open-output.js';
import { sources } from '../catalogue/sources.js';
import { chosenOf } from '../options/one-of.js';
import type { Corpus } from './read-catalogue.js';

/** Folders of a corpus's files and of the converted ones. */
export interface ConvertCorpusOptions {
  /** Folder of the corpus's files. */
  readonly folder: string;
  /** Folder for `train.ndjson` and the other parts. */
  readonly out: string;
  readonly deadLetters: DeadLetters;
  /** See `ConvertOptions`. */
  readonly onDropped?: ConvertOptions['onDropped'];
}

/** A written part of a corpus. */
export interface ConvertedPart {
  readonly part: string;
  readonly path: string;
  readonly records: number;
}

/**
 * Writes the parts of a corpus as NDJSON, one file each.
 *
 * @throws TagstreamError `usage` if a part would replace a file of the corpus, `file`, and bad records that the
 * dead-letter policy does not tolerate
 */
export async function convertCorpus(
  corpus: Corpus,
  { folder, out, deadLetters, onDropped }: ConvertCorpusOptions,
): Promise<ConvertedPart[]> {
  const { component, options } = chosenOf(sources, corpus.source);
  const splits = Object.entries(corpus.splits).flatMap(([part, chosen]) =>
    chosen === undefined ? [] : [{ part, chosen, path: join(out, `${part}.ndjson`) }],
  );
  requireApart({
    reads: splits.map(({ chosen }) => ({ path: join(folder, chosen.file), what: 'the corpus' })),
    writes: splits.map(({ path }) => ({ path, what: 'a converted part' })),
  });
  try {
    makeDirectory(out);
  } catch (cause) {
    throw fileError('write', out, cause);
  }
  const parts: ConvertedPart[] = [];
  for (const { part, chosen, path } of splits) {
    const { records } = await convert({
      files: [join(folder, chosen.file)],
      from: component.codec(options),
      to: ndjsonCodec(),
      output: await openOutput(path),
      deadLetters,
      onDropped,
      selection: chosen.split === undefined ? undefined : { split: chosen.split },
    });
    parts.push({ part, path, records });
  }
  return parts;
}
