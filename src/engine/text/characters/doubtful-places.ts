import type { CharacterText } from './character-text.js';
import type { Doubt } from './doubt.js';
import { labelled } from './labels.js';

/**
 * Doubtful characters of a paragraph, in runs: a run ends where a token begins with certainty, as
 * the labels after that do not depend on those before.
 */
export interface DoubtfulPlaces {
  readonly places: Int32Array;
  /** Index of the first place of each run; the first one is 0. */
  readonly runs: Int32Array;
}

/** The part of `Doubt` that returns certain labels. */
export type Certainty = Pick<Doubt, 'certain'>;

/**
 * Finds the characters of a paragraph that are in doubt, and labels the others.
 *
 * @param labels receives the certain labels
 */
export function doubtfulPlaces(
  text: CharacterText,
  doubt: Certainty,
  labels: Uint8Array,
): DoubtfulPlaces {
  const { length } = text;
  const places = new Int32Array(length);
  const runs = new Int32Array(length);
  let count = 0;
  let runCount = 0;
  let isOpen = false;
  for (let at = 0; at < length; at += 1) {
    const certain = doubt.certain(text, at);
    if (certain >= 0) {
      labels[at] = certain;
      if (certain <= labelled.token) isOpen = false;
      continue;
    }
    if (!isOpen) {
      runs[runCount] = count;
      runCount += 1;
      isOpen = true;
    }
    places[count] = at;
    count += 1;
  }
  return { places: places.subarray(0, count), runs: runs.subarray(0, runCount) };
}

/**
 * Some places of a paragraph, of which those from `from` on are to be labelled; earlier ones are
 * context.
 */
export interface DoubtfulPiece extends DoubtfulPlaces {
  readonly from: number;
  readonly to: number;
}

/**
 * Maximum number of places in a piece, unless a run has more, and the margin on both sides of a cut
 * through a run.
 */
const longestPiece = 16384;
const margin = 512;

/**
 * Cuts many places into pieces, between runs if possible. A longer run is cut with a margin on both
 * sides that is labelled twice, as the best labels do not depend on anything beyond it.
 */
export function piecesOf(found: DoubtfulPlaces, longest = longestPiece): DoubtfulPiece[] {
  const { places, runs } = found;
  if (places.length <= longest) return [{ ...found, from: 0, to: places.length }];
  const pieces: DoubtfulPiece[] = [];
  let run = 0;
  for (let begin = 0; begin < places.length; ) {
    while (run < runs.length && runs[run]! <= begin) run += 1;
    // Last run that begins within the piece, and ends it.
    let last = run;
    while (last < runs.length && runs[last]! <= begin + longest) last += 1;
    const isWhole = begin + longest >= places.length;
    const end = isWhole
      ? places.length
      : last > run
        ? runs[last - 1]!
        : Math.min(begin + longest, runs[run] ?? places.length);
    const isRun = (at: number) => at === places.length || runs.includes(at);
    const first = begin === 0 || isRun(begin) ? begin : Math.max(0, begin - margin);
    const beyond = isRun(end) ? end : Math.min(places.length, end + margin);
    const own = runs.filter(at => at > first && at < beyond).map(at => at - first);
    pieces.push({
      places: places.subarray(first, beyond),
      runs: Int32Array.of(0, ...own),
      from: begin - first,
      to: end - first,
    });
    begin = end;
  }
  return pieces;
}
