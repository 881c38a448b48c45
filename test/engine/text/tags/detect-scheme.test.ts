import { describe, expect, it } from 'vitest';
import { detectScheme } from '../../../../src/engine/text/tags/detect-scheme.js';

describe('detectScheme', () => {
  it.each([
    ['O B-NP I-NP B-VP I-VP', 'BIO'],
    ['B-NP I-NP', 'BIO'],
    ['B-NP O', 'BIO'],
    ['B-a-b I-a-b O', 'BIO'],
    ['O I-NP I-VP', 'IO'],
    ['I-NP', 'IO'],
    ['O B-A I-A E-A S-A', 'BIOES'],
    ['O S-A', 'BIOES'],
    ['O I-A E-A', 'IOE2'],
    ['O B-A I-A L-A U-A', 'BILOU'],
    ['O U-A', 'BILOU'],
    ['O B-A L-A', 'BILOU'],
    ['O B-A M-A E-A S-A', 'BMES'],
    ['B M E S', 'BMES'],
    ['B I E S', 'BIOES'],
    ['O B-A M-A E-A W-A', 'BMEWO'],
    ['O W-A', 'BMEWO'],
    ['O B-A I-A L-A S-A', 'BIOES'],
    ['O M-A', 'none'],
    ['O L-A', 'none'],
    ['M F', 'none'],
    ['S U W', 'none'],
    ['O B I', 'BIO'],
    ['O I', 'IO'],
    ['B I E S O', 'BIOES'],
    ['O B-NP I', 'BIO'],
    ['B I', 'none'],
    ['O S', 'none'],
    ['B E S', 'none'],
    ['O', 'none'],
    ['NOUN VERB ADJ', 'none'],
    ['O B-NP NOUN', 'none'],
    ['O B-NP X-NP', 'none'],
    ['O B-', 'none'],
    ['O O-NP', 'none'],
    ['b-np i-np O', 'none'],
    ['O U-A L-A', 'BILOU'],
    ['BX I-A', 'none'],
  ] as const)('%s: %s', (labels, scheme) => {
    expect(detectScheme(labels.split(' '))).toBe(scheme);
    expect(detectScheme(new Set(labels.split(' ').reverse()))).toBe(scheme);
  });

  it('is none for no labels and for an empty one', () => {
    expect(detectScheme([])).toBe('none');
    expect(detectScheme(['', 'O', 'B-A'])).toBe('none');
  });
});
