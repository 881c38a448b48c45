import { expect, it } from 'vitest';
import { gazetteer } from '../../../../src/engine/features/resources/gazetteer.js';
import { withListTemplates } from '../../../../src/engine/features/resources/list-templates.js';
import { quantisedVectors } from '../../../../src/engine/features/resources/quantised-vectors.js';
import { wordClusters } from '../../../../src/engine/features/resources/word-clusters.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { createModel } from '../../../../src/engine/models/create-model.js';

const resources = {
  gazetteers: { cities: gazetteer(['Bath']), people: gazetteer(['Ann']) },
  clusters: { brown: wordClusters('0\ta\t1') },
};

it('adds templates for the lists that none mentions, and for no other', () => {
  const lines = withListTemplates('U:%gazetteer[0,0,people]\nB', resources).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'U:%gazetteer[0,0,people]',
    'B',
    'U:gazetteer:cities[-1]:%gazetteer[-1,0,cities]',
    'U:gazetteer:cities[0]:%gazetteer[0,0,cities]',
    'U:gazetteer:cities[1]:%gazetteer[1,0,cities]',
  ]);
  expect(lines.slice(5, 10)).toEqual([
    'U:cluster:brown[-2,4]:%cluster[-2,0,brown,4]',
    'U:cluster:brown[-1,4]:%cluster[-1,0,brown,4]',
    'U:cluster:brown[0,4]:%cluster[0,0,brown,4]',
    'U:cluster:brown[1,4]:%cluster[1,0,brown,4]',
    'U:cluster:brown[2,4]:%cluster[2,0,brown,4]',
  ]);
  expect(lines.slice(5 + 4 * 5)).toEqual([
    'U:cluster:brown[-1][0]:%cluster[-1,0,brown]/%cluster[0,0,brown]',
    'U:cluster:brown[0][1]:%cluster[0,0,brown]/%cluster[1,0,brown]',
    'U:cluster:brown[-1,10][0,10]:%cluster[-1,0,brown,10]/%cluster[0,0,brown,10]',
    'U:cluster:brown[0,10][1,10]:%cluster[0,0,brown,10]/%cluster[1,0,brown,10]',
    'U:cluster:brown[-1,10][1,10]:%cluster[-1,0,brown,10]/%cluster[1,0,brown,10]',
  ]);
  expect(parseTemplates(lines.join('\n')).templates).toHaveLength(1 + 3 + 4 * 5 + 5);
});

it('pairs whole paths alone where the beginnings of paths mean nothing', () => {
  const clusters = { brown: { ...resources.clusters.brown, bits: [] } };
  const lines = withListTemplates('U:%x[0,0]', { clusters }).split('\n');
  expect(lines.slice(1)).toEqual([
    ...[-2, -1, 0, 1, 2].map(at => `U:cluster:brown[${at}]:%cluster[${at},0,brown]`),
    'U:cluster:brown[-1][0]:%cluster[-1,0,brown]/%cluster[0,0,brown]',
    'U:cluster:brown[0][1]:%cluster[0,0,brown]/%cluster[1,0,brown]',
  ]);
});

it('adds templates of the token and its neighbours for word vectors that none mentions', () => {
  const values = Float32Array.of(1, 2);
  const v = quantisedVectors({ words: ['a'], dimensions: 2, values });
  const lists = { vectors: { v, w: v } };
  const lines = withListTemplates('U:%vector[-1,0,w]', lists).split('\n');
  expect(lines).toEqual([
    'U:%vector[-1,0,w]',
    'U:vector:v[-1]:%vector[-1,0,v]',
    'U:vector:v[0]:%vector[0,0,v]',
    'U:vector:v[1]:%vector[1,0,v]',
  ]);
  expect(createModel({ templates: 'U:%x[0,0]', resources: lists }).spec.templates).toContain(
    '%vector[0,0,w]',
  );
});

it('leaves templates as they are where all lists are mentioned, or there are none', () => {
  const all = 'U:%gazetteer[0,0,people]/%gazetteer[1,0,cities]\nU:%cluster[0,0,brown]';
  expect(withListTemplates(all, resources)).toBe(all);
  expect(withListTemplates('U:%x[0,0]', undefined)).toBe('U:%x[0,0]');
});

it.each([
  [
    'U:%gazetteer[0,0]',
    /:1:3: %gazetteer needs the name of a list \(for example %gazetteer\[0,0,cities\]\)/,
  ],
  ['U:%gazetteer[0,0,cities,2]', /%gazetteer needs the name of a list/],
  ['U:%cluster[0,0,brown,0]', /%cluster needs the name of a list/],
  ['U:%cluster[0,0,a b]', /%cluster needs the name of a list/],
])('refuses the template %s', (template, message) => {
  expect(() => parseTemplates(template)).toThrow(message);
});

it('refuses a template that asks for a list that the model does not have', () => {
  expect(() => createModel({ templates: 'U:%gazetteer[0,0,cities]' })).toThrow(
    'uses the gazetteer "cities", which the model does not have (give it: gazetteers: { cities: FILE })',
  );
  expect(() => createModel({ templates: 'U:%cluster[0,0,toString]', resources })).toThrow(
    'uses the word clusters "toString", which the model does not have (it has brown)',
  );
});
