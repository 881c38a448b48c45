import { describe, expect, test } from 'vitest';
import { CharacterText } from '../../../../src/engine/text/characters/character-text.js';
import { Doubt, DoubtCounter } from '../../../../src/engine/text/characters/doubt.js';
import { labelCharacters, labelled } from '../../../../src/engine/text/characters/labels.js';

/** What is certain of the character after the white space of a text that was met 40 times as one sentence. */
function certainty(text: string): number {
  const characters = new CharacterText(text, [0, text.length]);
  const labels = new Uint8Array(characters.length);
  const offsets = [...text.matchAll(/\p{L}+|\p{P}/gu)].map(
    ({ index, 0: token }) => [index, index + token.length] as const,
  );
  labelCharacters(characters, offsets, [[0, offsets.length]], labels);
  const counter = new DoubtCounter();
  for (let i = 0; i < 40; i += 1) counter.add(characters, labels);
  return new Doubt(counter.certain()).certain(characters, text.indexOf(' ') + 1);
}

describe('certain contexts', () => {
  test.each(['so it', 'so, it'])('a token after white space: %s', text => {
    expect(certainty(text)).toBe(labelled.token);
  });

  test.each(['No. it', 'so! it', 'so" it', 'so… it', 'so。 it'])(
    'a sentence may begin: %s',
    text => {
      expect(certainty(text)).toBe(-1);
    },
  );
});
