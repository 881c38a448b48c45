import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { coverValues } from '../../house/long-forms.js';
import { digestOf, Recorded } from './recorded.js';
import { writeTaggingInputs } from './tagging-inputs.js';

const folder = workspace();
const recorded = new Recorded('tagging');

/** Options of `tag` that every format takes. */
const everywhere = {
  records: [],
  tags: ['--output', 'tags'],
  'minimum-risk': ['--decoding', 'minimum-risk', '--transitions', 'any', '--limit', '700'],
  simd64: ['--kernel', 'simd64', '--decoding', 'posterior', '--limit', '700'],
  reference: ['--kernel', 'reference', '--limit', '300'],
  'two workers, tags': ['--workers', '2', '--output', 'tags'],
  dictionary: ['--dictionary', 'words.dict', '--limit', '700'],
  pretty: ['--pretty', '--limit', '300'],
  html: ['--html', '-', '--limit', '300'],
};

/** Those that need fields for their results. */
const inFields = {
  probabilities: ['--marginals', '--scores', '--probability'],
  'n-best': ['--nbest', '3', '--span-probabilities'],
  posterior: ['--decoding', 'posterior', '--marginals', '--limit', '700'],
  'simd64, marginals': ['--kernel', 'simd64', '--marginals', '--limit', '700'],
  'reference, n-best': ['--kernel', 'reference', '--nbest', '2', '--limit', '300'],
  'two workers': ['--workers', '2', '--marginals', '--span-probabilities'],
  'content ids': ['--ids', 'content', '--limit', '700'],
  'position ids': ['--ids', 'position', '--limit', '700'],
};

const spans = ['--model', 'spans.model'];
const inputs = {
  'text.ndjson': { given: spans, more: inFields },
  'tokens.ndjson': { given: spans, more: inFields },
  'mixed.ndjson': { given: spans, more: inFields },
  'rows.conll': { given: [...spans, '--format', 'conll'], more: {} },
  'rows.conllu': { given: [...spans, '--format', 'conllu'], more: {} },
  'words.letters': { given: ['--model', 'letters.model', '--format', 'letters'], more: {} },
};

describe('tagging gives the bytes that it gave before', () => {
  writeTaggingInputs(folder);

  it('of models', async () => {
    for (const name of ['spans', 'letters']) {
      const { code, stderr } = await tagstream(['train', `${name}.yaml`], { cwd: folder });
      expect(code, stderr).toBe(0);
      const model = readFileSync(join(folder, `${name}.model`));
      recorded.expect({ [`${name}.model`]: digestOf(model) });
    }
  });

  const runs = Object.entries(inputs).flatMap(([input, { given, more }]) =>
    Object.entries({ ...everywhere, ...more }).map(
      ([name, chosen]) => [input, name, [...given, ...chosen]] as const,
    ),
  );
  for (const { rows, tags } of coverValues(runs, ([input, name]) => [input, name])) {
    it.each(rows)('of %s, %s', { tags }, async (input, name, chosen) => {
      const { code, stdout, stderr } = await tagstream(['tag', input, ...chosen], { cwd: folder });
      expect(code, stderr).toBe(0);
      recorded.expect({ [`${input}, ${name}`]: digestOf(stdout) });
    });
  }
});
