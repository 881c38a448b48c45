import { Random } from '../../core/random.js';

/**
 * Who gets a record: one of several people, or all of them.
 *
 * Each record is drawn for itself from the seed and its place, so that shares stay what they are when a session is
 * resumed: with the probability `overlap` everybody gets it, else one of them, each as likely.
 *
 * @example
 * const share = shares({ people: 2, overlap: 0, seed: 1 });
 * share(7, 0) !== share(7, 1) // => true
 */
export function shares(options: {
  readonly people: number;
  readonly overlap: number;
  readonly seed: number;
}): (record: number, person: number) => boolean {
  const { people, overlap, seed } = options;
  if (people === 1) return () => true;
  return (record, person) => {
    const random = new Random(Math.imul(record + 1, 0x9e3779b1) ^ seed);
    return random.uniform() < overlap || random.below(people) === person;
  };
}
