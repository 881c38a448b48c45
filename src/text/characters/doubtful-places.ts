import type { CharacterText } from './character-text.js';
import type { Doubt } from './doubt.js';
import { labelled } from './labels.js';

/** Characters of a paragraph that are in doubt, in runs that no certain character between two of them cuts. */
export interface DoubtfulPlaces {
  /** Label of each character; of those in doubt what it was. */
  readonly labels: Uint8Array;
  readonly places: Int32Array;
  readonly count: number;
  /** Numbers of the places with which runs begin. */
  readonly runs: Int32Array;
  readonly runCount: number;
}

/**
 * Finds the characters of a paragraph that are in doubt, and labels the others. A run ends where a chunk begins with
 * certainty: the labels after it do not depend on those before.
 */
export function doubtfulPlaces(
  text: CharacterText,
  doubt: Doubt,
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
    if (certain < 0) {
      if (!isOpen) {
        runs[runCount] = count;
        runCount += 1;
        isOpen = true;
      }
      places[count] = at;
      count += 1;
      continue;
    }
    labels[at] = certain;
    if (certain <= labelled.token) isOpen = false;
  }
  return { labels, places, count, runs, runCount };
}
