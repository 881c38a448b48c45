import { describe, expect, it } from 'vitest';
import { sentence } from './corpus/sentence.mjs';
import { crfppPeers } from './peers/crfpp.mjs';
import { crfsuitePeers } from './peers/crfsuite.mjs';
import { findPeers } from './peers/find-peers.mjs';
import { readLastColumn } from './peers/read-last-column.mjs';
import { readTagLines } from './peers/read-tag-lines.mjs';
import { scoreTags } from './peers/score-tags.mjs';
import { wapitiPeers } from './peers/wapiti.mjs';

const expected = [['B-NP', 'I-NP'], ['O']];
const files = { train: 'train', templates: 'tpl' };

describe('what taggers print', () => {
  it('is read where the tag is all there is, as of CRFsuite', () => {
    expect(readLastColumn('B-NP\nI-NP\n\nO\n\n')).toEqual(expected);
  });

  it('is read where the tag is after the columns, as of Wapiti and CRF++', () => {
    expect(readLastColumn('a DT\tB-NP\ndog NN\tI-NP\n\n. .\tO\n\n')).toEqual(expected);
    expect(readLastColumn('a\tDT\tB-NP\r\ndog\tNN\tI-NP\r\n\r\n.\t.\tO')).toEqual(expected);
    expect(readLastColumn('')).toEqual([]);
  });

  it('is read from records, as ours', () => {
    const lines = '{"id":"0","tags":["B-NP","I-NP"]}\n{"id":"1","tags":["O"]}\n';
    expect(readTagLines(lines)).toEqual(expected);
  });
});

describe('the score of what taggers print', () => {
  const gold = [
    sentence(['a', 'dog'], ['B-NP', 'I-NP']),
    sentence(['runs', 'fast'], ['B-VP', 'B-ADVP']),
  ];

  it('is F1 of spans over all copies', () => {
    const right = [
      ['B-NP', 'I-NP'],
      ['B-VP', 'B-ADVP'],
    ];
    expect(scoreTags([...right, ...right], gold)).toBe(100);
    // 3 of 3 spans in one copy; in the other 1 right, 1 wrong, 1 missing: P 4/5, R 4/6.
    const wrong = [
      ['B-NP', 'I-NP'],
      ['B-NP', 'O'],
    ];
    expect(scoreTags([...right, ...wrong], gold)).toBeCloseTo((200 * 4) / (5 + 6), 10);
  });

  it('refuses other numbers of sentences and tokens', () => {
    expect(() => scoreTags([['B-NP', 'I-NP']], gold)).toThrow(/1 sentences/);
    expect(() => scoreTags([], gold)).toThrow(/0 sentences/);
    expect(() => scoreTags([['B-NP'], ['B-VP', 'B-ADVP']], gold)).toThrow();
  });
});

describe('the peers', () => {
  it('are those whose binaries are named', () => {
    const names = (environment: Record<string, string>) =>
      findPeers(environment).map(({ name }) => name);
    expect(names({})).toEqual([]);
    expect(names({ CRFSUITE: '', WAPITI: '/w' })).toEqual(['Wapiti SGD-L1']);
    expect(names({ CRF_LEARN: '/l' })).toEqual([]);
    expect(names({ CRFSUITE: '/c', WAPITI: '/w', CRF_LEARN: '/l', CRF_TEST: '/t' })).toEqual([
      ...['CRFsuite L-BFGS', 'CRFsuite averaged perceptron', 'Wapiti SGD-L1', 'CRF++'],
    ]);
  });

  it('train and tag by the commands of their manuals', () => {
    const commands = [...crfsuitePeers('cs'), ...wapitiPeers('w'), ...crfppPeers('l', 't')].map(
      peer => [peer.train(files, 'm').join(' '), peer.tag('in', 'm').join(' ')],
    );
    expect(commands).toEqual([
      ['cs learn -m m train', 'cs tag -m m in'],
      ['cs learn -a ap -m m train', 'cs tag -m m in'],
      ['w train -p tpl -a sgd-l1 -i 20 -c train m', 'w label -m m in'],
      ['l -f 1 tpl train m', 't -m m in'],
    ]);
  });
});
