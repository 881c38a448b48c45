import { describe, expect, it } from 'vitest';
import { presetTemplates } from '../../src/engine/features/presets/preset-templates.js';
import { tagstream } from './commands/run-command.js';

describe('tagstream presets', () => {
  it('lists the presets, a line each', async () => {
    const { code, stdout } = await tagstream(['presets']);
    expect(code).toBe(0);
    expect(stdout.split('\n').map(line => line.split(' ')[0])).toEqual([
      ...['pos', 'chunk', 'ner', 'chunk-small', 'ner-small', 'ner-medium', ''],
    ]);
    expect(stdout).toMatch(/^ner +named entities: /m);
  });

  it('prints the templates of one, for the columns that there are', async () => {
    const whole = await tagstream(['presets', 'ner']);
    expect(whole.stdout).toBe(presetTemplates('ner', ['form', 'pos']));
    const words = await tagstream(['presets', 'ner', '--columns', 'form']);
    const both = await tagstream(['presets', '--columns', 'form, pos', 'ner']);
    expect(both.stdout).toBe(whole.stdout);
    expect(words.stdout).toBe(presetTemplates('ner'));
    expect(words.stdout.length).toBeLessThan(whole.stdout.length);
  });

  it('says which one was meant, as wrong configuration', async () => {
    const { code, stdout, stderr } = await tagstream(['presets', 'chunks']);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toBe(
      'tagstream: there is no preset "chunks" (did you mean chunk? known: pos, chunk, ner, chunk-small, ner-small, ner-medium)\n',
    );
  });
});
