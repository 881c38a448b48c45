import fc from 'fast-check';

/** Sentences of gold and predicted tags, which agree more often than chance has it. */
export const sentences: fc.Arbitrary<{ gold: string[]; predicted: string[] }[]> = fc.array(
  fc
    .array(
      fc.oneof(
        tag().map((both): [string, string] => [both, both]),
        fc.tuple(tag(), tag()),
      ),
      { maxLength: 6 },
    )
    .map(pairs => ({ gold: pairs.map(pair => pair[0]), predicted: pairs.map(pair => pair[1]) })),
  { maxLength: 12 },
);

function tag(): fc.Arbitrary<string> {
  return fc.constantFrom('O', 'B-A', 'I-A', 'B-B', 'I-B');
}
