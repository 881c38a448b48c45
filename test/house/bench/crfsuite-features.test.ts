import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sentence } from './corpus/sentence.mjs';
import { crfsuiteFeatures } from './peers/crfsuite-features.mjs';

const root = resolve(import.meta.dirname, '../../..');
const shipped = readFileSync(join(root, 'pipelines/templates/chunking.tpl'), 'utf8');
const goes = sentence(['It', 'goes'], ['B-NP', 'B-VP'], { pos: ['PRP', 'VBZ'] });

describe('the features for CRFsuite', () => {
  it('are a line a token with the label first, a blank line after the sentence', () => {
    const text = crfsuiteFeatures([goes, goes], '# words\nU00:%x[0,0]\n\nU01:%x[-1,0]/%x[0,1]\nB');
    const one = 'B-NP\tU00=It\tU01=_B-1/PRP\nB-VP\tU00=goes\tU01=It/VBZ\n\n';
    expect(text).toBe(one + one);
  });

  it('take the values of CRF++ outside of the sentence', () => {
    const templates = 'U0:%x[-2,0]\nU1:%x[-1,1]\nU2:%x[1,0]\nU3:%x[2,1]';
    expect(crfsuiteFeatures([goes], templates)).toBe(
      'B-NP\tU0=_B-2\tU1=_B-1\tU2=goes\tU3=_B+1\nB-VP\tU0=_B-1\tU1=PRP\tU2=_B+1\tU3=_B+2\n\n',
    );
  });

  it('escape what has a meaning in the format', () => {
    const odd = sentence(['a:b\\c'], ['X:Y'], { pos: [':'] });
    expect(crfsuiteFeatures([odd], 'U00:%x[0,0]\nU01:%x[0,1]')).toBe(
      'X\\:Y\tU00=a\\:b\\\\c\tU01=\\:\n\n',
    );
  });

  it('are those of all 19 shipped templates', () => {
    const [first] = crfsuiteFeatures([goes], shipped).split('\n');
    expect(first!.split('\t')).toHaveLength(20);
    expect(first!.endsWith('\tU20=_B-2/_B-1/PRP\tU21=_B-1/PRP/VBZ\tU22=PRP/VBZ/_B+1')).toBe(true);
  });

  it('refuse macros that they cannot write', () => {
    expect(() => crfsuiteFeatures([goes], 'U00:%lower[0,0]')).toThrow(/U00:%lower\[0,0\]/);
    expect(() => crfsuiteFeatures([goes], 'U00:%x[0,2]')).toThrow(/expected macros/);
  });
});
