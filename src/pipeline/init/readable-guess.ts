import { TagstreamError } from '../../core/errors.js';
import type { Codec } from '../../io/codecs/codec.js';
import { type OtherOffsets, otherOffsets } from '../../io/codecs/foreign/placed-spans.js';
import type { Head } from '../../io/reading/read-head.js';
import { codecOf } from '../catalogue/codec-of.js';
import type { Guess } from './guess/guess.js';
import { isOverlap } from './labelled-record.js';
import { type Sample, sampleOf } from './sample.js';

/** What a file was taken for, and its beginning as that is read. */
export interface ReadableGuess {
  readonly guess: Guess;
  readonly codec: Codec;
  readonly begin: Sample;
}

/**
 * A guess with the options by which the records of an annotation tool can be read: what its offsets count, where some
 * fit only in one way, and which annotation counts, where they differ.
 *
 * @throws what `sampleOf` throws
 */
export async function readableGuess(
  guess: Guess,
  head: Head,
  file: string,
): Promise<ReadableGuess> {
  const { chosen, other } = await withAnnotations(guess, head, file);
  const offsets = other?.offsets;
  if (offsets === undefined) return chosen;
  const counted = await withOptions(chosen.guess, { offsets }, head, file).catch(() => undefined);
  // Where records count in different ways, each is read by what fits it.
  if (counted === undefined || counted.begin.misaligned > chosen.begin.misaligned) return chosen;
  const reason = `  offsets fit the words only as ${other!.counts}: offsets: ${offsets}`;
  return { ...counted, guess: { ...counted.guess, reasons: [...guess.reasons, reason] } };
}

async function withAnnotations(guess: Guess, head: Head, file: string) {
  let other: OtherOffsets | undefined;
  const note = (message: unknown) => {
    const found = message as OtherOffsets;
    if (found.offsets !== undefined) other ??= found;
  };
  otherOffsets.subscribe(note);
  try {
    const chosen = await withOptions(guess, {}, head, file).catch(async (thrown: unknown) => {
      if (thrown instanceof TagstreamError && isOverlap(thrown)) {
        const longest = await withOptions(guess, { overlaps: 'longest' }, head, file).catch(() => {
          throw thrown;
        });
        const warning = `${thrown.problem}: the longest counts; set overlaps in source to first, or to reject, to leave such records out`;
        return {
          ...longest,
          guess: { ...longest.guess, warnings: [...guess.warnings, warning] },
        };
      }
      if (!severalAnnotate.includes(guess.format) || !(thrown instanceof TagstreamError))
        throw thrown;
      const first = await withOptions(guess, { annotations: 'first' }, head, file).catch(() => {
        throw thrown;
      });
      const warning = `${thrown.message.replace(/ \(set annotations.*$/, '')}: the first counts; set annotations in source to each, majority or agree`;
      return { ...first, guess: { ...first.guess, warnings: [...guess.warnings, warning] } };
    });
    return { chosen, other };
  } finally {
    otherOffsets.unsubscribe(note);
  }
}

/** Formats whose records may have the work of several people. */
const severalAnnotate: readonly string[] = ['label-studio', 'doccano'];

async function withOptions(
  guess: Guess,
  options: Guess['options'],
  head: Head,
  file: string,
): Promise<ReadableGuess> {
  const own = { ...guess.options, ...options };
  const codec = codecOf({ name: guess.format, options: own });
  return { guess: { ...guess, options: own }, codec, begin: await sampleOf(head, codec, file) };
}
