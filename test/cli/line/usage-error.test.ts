import { describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { tagstream, tagstreamProcess } from '../commands/run-command.js';

/** What a command writes that is called in the wrong way. */
async function refusal(given: string, run = tagstream): Promise<string[]> {
  const { code, stdout, stderr } = await run(given.split(' '));
  expect([code, stdout]).toEqual([2, '']);
  return stderr.trimEnd().split('\n');
}

describe('a line that cannot be read', () => {
  for (const part of everyNth(5, [
    ['tag --modle m', 'unknown option --modle (did you mean --model?)'],
    ['tag --model m --nbset=3', 'unknown option --nbset (did you mean --nbest?)'],
    ['tag --model m --span_probabilities', 'did you mean --span-probabilities?'],
    ['tag --model m --zzzzzzzzzzzzzzzz', /unknown option --zzzzzzzzzzzzzzzz$/],
    ['tag --model m -o x', 'unknown option -o (did you mean --out?)'],
    ['tag --model m --output foo', '--output cannot be "foo" (it can be "record", "tags")'],
    ['tag --model m --out x --checkpoint', '--checkpoint needs a value'],
    ['tag --model m --resume', '--resume needs --checkpoint (add --checkpoint)'],
    ['tag --model m --checkpoint d --replay f', '--checkpoint cannot be combined with --replay'],
    ['run a.yaml --resume --replay f', 'resume first, then replay'],
    ['tag a.model', '--model is missing (add --model before a.model)'],
    [
      'train',
      'train needs an argument (write tagstream train <pipeline>; tagstream init FILE writes a pipeline file)',
    ],
    ['train --dry-run --json', 'train needs an argument (write tagstream train <pipeline>'],
    ['init', 'init needs an argument (write tagstream init <file> [test])'],
    ['inspect', 'inspect needs an argument (write tagstream inspect <model>)'],
    ['pool --out m', 'pool needs an argument (write tagstream pool <models..>)'],
    ['train a.yaml b.yaml', 'unexpected argument b.yaml'],
    ['train a.yaml --epochs 3', 'unknown option --epochs (write --set train.epochs=VALUE)'],
    ['corpora fetch', 'corpora fetch needs an argument (write tagstream corpora fetch <names..>)'],
  ])) {
    it.each(part.rows)(
      '%s: what is wrong, the fix, and where the options are listed',
      { tags: part.tags },
      async (given, problem) => {
        const lines = await refusal(given);
        expect(lines).toHaveLength(2);
        expect(lines[0]).toMatch(typeof problem === 'string' ? literally(problem) : problem);
        const command = given.startsWith('corpora') ? 'corpora fetch' : given.split(' ')[0];
        expect(lines[1]).toBe(`tagstream ${command} --help lists the options`);
      },
    );
  }

  it('says how to set the path of the model', async () => {
    const [problem] = await refusal('train a.yaml --out x.model');
    expect(problem).toContain('unknown option --out');
    expect(problem).toContain('--model PATH');
    expect(problem).toContain('--set model=PATH');
  });

  for (const { rows, tags } of everyNth(5, [
    ['trian a.yaml', 'there is no command trian (did you mean train?)', 'tagstream --help'],
    ['predict a', 'there is no command predict (did you mean tag?)', 'tagstream --help'],
    ['zzzzzzzzz', 'there is no command zzzzzzzzz', 'tagstream --help'],
    ['corpora fetc', 'there is no command corpora fetc (did you mean fetch?)', 'corpora --help'],
    ['corpora', 'corpora needs list, fetch or convert', 'tagstream corpora --help'],
  ])) {
    it.each(rows)('%s: names the nearest command', { tags }, async (given, problem, help) => {
      const [first, second] = await refusal(given);
      expect(first).toBe(`tagstream: ${problem}`);
      expect(second).toContain(help);
      expect(second).toMatch(/lists the commands$/);
    });
  }

  it('is explained in one language', async () => {
    const german = { LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' };
    const inGerman: typeof tagstream = words => tagstreamProcess(words, { env: german });
    expect((await refusal('tag --modle m', inGerman))[0]).toContain('did you mean --model?');
  });
});

describe('a line without a command', () => {
  it('shows the commands', async () => {
    const { code, stderr } = await tagstreamProcess([]);
    expect(code).toBe(2);
    expect(stderr).toContain('tagstream train <pipeline>');
    expect(stderr).toMatch(/tagstream: no command given\n$/);
  });
});

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
