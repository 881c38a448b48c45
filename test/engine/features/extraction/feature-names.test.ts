import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { planExtraction } from '../../../../src/engine/features/extraction/extraction-plan.js';
import { FeatureExtractor } from '../../../../src/engine/features/extraction/feature-extractor.js';
import { FeatureNames } from '../../../../src/engine/features/extraction/feature-names.js';
import { fingerprintOf } from '../../../../src/engine/features/extraction/template-program.js';
import { contentOf } from '../../../../src/engine/features/fingerprints/content-table.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { gazetteer } from '../../../../src/engine/features/resources/gazetteer.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { words } from '../extracted-rows.js';
import { featureString, randomTemplates, written } from '../feature-reference.js';
import { sentenceOf } from '../sentence-of.js';

const york = sentenceOf(['New', 'York', "isn't", '3.5'], {
  columns: { pos: ['NNP', 'NNP', 'VBZ', 'CD'], w: [0.5, 0, -1, 2] },
});

/** Names of the features of one template, token by token. */
function namesOf(line: string, sentence: Sentence = york): (string | undefined)[] {
  const set = parseTemplates(line);
  const kind = set.templates[0]!.kind === 'edge' ? 'edge' : 'state';
  const names = new FeatureNames(planExtraction(set, ['form', 'pos', 'w']));
  return sentence.tokens.map((_, t) => names.name(kind, 0, sentence, t));
}

describe('FeatureNames', () => {
  it.each<[string, (string | undefined)[]]>([
    ['U', ['U', 'U', 'U', 'U']],
    ['U00:%x[0,0]', ['U00:New', 'U00:York', "U00:isn't", 'U00:3.5']],
    ['U05:%x[-1,0]/%x[0,0]', ['U05:_B-1/New', 'U05:New/York', "U05:York/isn't", "U05:isn't/3.5"]],
    ['U:%x[2,pos]', ['U:VBZ', 'U:CD', 'U:_B+1', 'U:_B+2']],
    ['U:%x[@0,0]|%x[@-1,1]', Array(4).fill('U:New|CD')],
    ['U:%x[@5,0]%x[@-6,0]', Array(4).fill('U:_B+2_B-2')],
    ['U:%X[0,0]', ['U:new', 'U:york', "U:isn't", 'U:3.5']],
    ['U:%lower[0,0]', ['U:new', 'U:york', "U:isn't", 'U:3.5']],
    ['U:%shape[0,0]', ['U:Xx', 'U:Xx', "U:x'x", 'U:d.d']],
    ['U:%type[0,0]', ['U:initial', 'U:initial', 'U:lower', 'U:number']],
    ['U:%length[0,0]', ['U:3', 'U:4', 'U:5', 'U:3']],
    ['U:%prefix[0,0,4]', [undefined, 'U:York', "U:isn'", undefined]],
    ['U:%suffix[0,0,4]', [undefined, 'U:York', "U:sn't", undefined]],
    ['U:%char[0,0,-4]', [undefined, 'U:Y', 'U:s', undefined]],
    ['U:%t[0,0,"^\\u"]', ['U:true', 'U:true', 'U:false', 'U:false']],
    ['U:%T[0,0,"^n"]', ['U:true', 'U:false', 'U:false', 'U:false']],
    ['U:%m[0,0,"[a-z]+"]', ['U:ew', 'U:ork', 'U:isn', 'U:']],
    ['U:%M[0,0,"^..."]', ['U:new', 'U:yor', 'U:isn', 'U:3.5']],
    ['U:%v[0,w]', ['U:%v[0,w]', undefined, 'U:%v[0,w]', 'U:%v[0,w]']],
    ['U:%v[@3,2]/%x[0,w]', ['U:%v[@3,2]/0.5', 'U:%v[@3,2]/0', 'U:%v[@3,2]/-1', 'U:%v[@3,2]/2']],
    ['U:%vv[0,w]', ['U:%vv[0,w]', undefined, 'U:%vv[0,w]', 'U:%vv[0,w]']],
    ['U:%first[0,0]', ['U:_B-1', undefined, undefined, undefined]],
    ['U:%last[0,0]', [undefined, undefined, undefined, 'U:_B+1']],
    ['U:%v[1,w]', [undefined, 'U:%v[1,w]', 'U:%v[1,w]', undefined]],
    ['B:%x[0,1]', ['B:NNP', 'B:NNP', 'B:VBZ', 'B:CD']],
    ['U:100%% %x[0,0]', ['U:100% New', 'U:100% York', "U:100% isn't", 'U:100% 3.5']],
  ])('writes %s as what it finds', (line, expected) => {
    expect(namesOf(line)).toEqual(expected);
  });

  it.each<[string, (string | undefined)[]]>([
    ['U:%gazetteer[0,0,towns]', ['U:B', 'U:E', undefined, undefined, 'U:S']],
    ['U:%gazetteer[1,0,towns]', ['U:E', undefined, undefined, 'U:S', 'U:_B+1']],
    ['U:%cluster[0,0,brown,2]', [undefined, 'U:01', undefined, 'U:11', 'U:01']],
    [
      'U:%cluster[0,0,brown]/%x[0,0]',
      [undefined, 'U:011/York', undefined, 'U:11/in', 'U:0100/Oslo'],
    ],
  ])('writes %s as what it finds in a list', (line, expected) => {
    const resources = {
      gazetteers: { towns: gazetteer(['New York', 'oslo'], { fold: true }) },
      clusters: { brown: wordClusters('011\tYork\t3\n0100\tOslo\t2\n11\tin\t9\n') },
    };
    const names = new FeatureNames(planExtraction(parseTemplates(line), ['form'], resources));
    const sentence = sentenceOf(['New', 'York', 'not', 'in', 'Oslo']);
    expect(sentence.tokens.map((_, t) => names.name('state', 0, sentence, t))).toEqual(expected);
  });

  it('is as long a text as tokens make it, in characters and not in halves of them', () => {
    const odd = sentenceOf(['a😀', '\ud83d', 'é'], { columns: { pos: ['', '/', 'd'] } });
    expect(namesOf('U:%suffix[0,0,1]', odd)).toEqual(['U:😀', 'U:\ufffd', 'U:é']);
    expect(namesOf('U:%x[0,1]', odd)).toEqual(['U:', 'U:/', 'U:d']);
  });

  it.each([1, 2, 3, 4])('agrees with extraction, feature by feature (templates %i)', seed => {
    const random = new Random(seed);
    const columns = ['form', 'pos', 'third'];
    const templates = randomTemplates(random, 24, columns);
    const extractor = new FeatureExtractor(
      parseTemplates(templates.map(written).join('\n')),
      columns,
    );
    const names = new FeatureNames(extractor.plan);
    const kinds = [
      { kind: 'state', own: templates.filter(({ kind }) => kind !== 'B') },
      { kind: 'edge', own: templates.filter(({ kind }) => kind !== 'U') },
    ] as const;
    const index = new ExactIndex(1, extractor.memory);
    let compared = 0;
    for (let i = 0; i < 60; i += 1) {
      const length = 1 + random.below(7);
      const column = () => Array.from({ length }, () => words[random.below(words.length)]!);
      const sentence = sentenceOf(column(), { columns: { pos: column(), third: column() } });
      extractor.open(sentence);
      for (const { kind, own } of kinds) {
        if (kind === 'state') extractor.state(length, index, true);
        else extractor.edges(length, index, true);
        const fingerprints = index.fingerprints();
        const { starts, rows, templates: numbers } = extractor.locate(kind, length, index);
        for (let t = 0; t < length; t += 1) {
          const made = own.map((template, k) => ({
            text: featureString(template, sentence, t),
            k,
          }));
          const active = made.filter(({ text }) => text !== undefined);
          const range = Array.from(
            { length: starts[t + 1]! - starts[t]! },
            (_, k) => starts[t]! + k,
          );
          expect(range.map(at => numbers[at])).toEqual(active.map(({ k }) => k));
          const wholeName = (text?: string) => {
            const whole = text?.replaceAll('\u0001shape ', '').replaceAll('\u0001', '');
            return whole?.replace(/\p{Surrogate}/gu, '\ufffd');
          };
          expect(made.map(({ k }) => names.name(kind, k, sentence, t))).toEqual(
            made.map(({ text }) => wholeName(text)),
          );
          const hashes: number[][] = [];
          const expected: number[][] = [];
          for (const [i, { text }] of active.entries()) {
            // A shape is fed as words, so that its hash is not that of a text.
            if (text!.includes('\u0001shape ')) continue;
            const row = rows[range[i]!]! - (kind === 'edge' ? 1 : 0);
            const hash = fingerprintOf(text!.split('\u0001').map(contentOf));
            hashes.push([...fingerprints.subarray(2 * row, 2 * row + 2)]);
            expected.push([hash.lo >>> 0, hash.hi >>> 0]);
            compared += 1;
          }
          expect(hashes).toEqual(expected);
        }
      }
    }
    expect(compared).toBeGreaterThan(1000);
  });

  it('knows the templates of each kind as they were written', () => {
    const set = parseTemplates('U1:%x[0,0]\n*2:%x[0,0]\nB\nB3:%x[0,0]');
    const names = new FeatureNames(planExtraction(set, ['form']));
    expect(names.templates('state')).toEqual(['U1:%x[0,0]', '*2:%x[0,0]']);
    expect(names.templates('edge')).toEqual(['*2:%x[0,0]', 'B3:%x[0,0]']);
  });
});
