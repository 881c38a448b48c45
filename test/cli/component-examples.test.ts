import { describe, expect, it } from 'vitest';
import { componentPage } from '../../src/cli/components/list-components.js';
import { builtIn } from '../../src/runtime/pipeline/loading/catalogue.js';
import { parsePipeline } from '../../src/runtime/pipeline/loading/load-pipeline.js';
import { everyNth } from '../house/long-forms.js';

/** The example of a page: the indented lines before the first option. */
function exampleOn(page: string): string {
  const lines = page.split('\n');
  const from = lines.indexOf('', 2) + 1;
  const rest = lines.slice(lines[from]?.startsWith('Goes with') === true ? from + 2 : from);
  const start = rest.findIndex(line => line.startsWith('  '));
  return rest
    .slice(start, rest.indexOf('', start))
    .map(line => line.slice(2))
    .join('\n');
}

const names = [...builtIn.optimizers.items, ...builtIn.trainers].map(({ name }) => name);

describe('the example of tagstream components', () => {
  for (const { rows, tags } of everyNth(5, names)) {
    it.each(rows)('can be pasted into a pipeline: %s', { tags }, name => {
      const page = componentPage(name, builtIn);
      // A loss may have the same name.
      const example = exampleOn(
        page.slice(Math.max(0, page.search(/^\S+: (?:batch )?optimizer/m))),
      );
      const lines = example.split('\n');
      const top = lines.filter(line => line.startsWith('model:'));
      const stages = lines.filter(line => !line.startsWith('model:')).map(line => `  ${line}`);
      const features = example.includes('featurize:')
        ? []
        : ['  - featurize: { templates: ["U:%x[0,0]", "B"] }', '  - batch: {}'];
      const loss = example.includes('contribute') ? [] : ['  - contribute: {}'];
      const text = [
        ...['version: 1', 'name: a', 'source: { ndjson: {} }', 'stages:'],
        ...[...features, ...loss, ...stages],
        ...['train: { epochs: 1 }', ...top],
      ].join('\n');
      const pipeline = parsePipeline(text, 'a.yaml');
      const { options } = pipeline.stages.find(({ component }) => component.name === 'optimize')!;
      expect(Object.keys(options)).toEqual([name]);
    });
  }

  it('has all that a hidden Markov model needs', () => {
    const needed = '- contribute: { loss: joint }\n  - optimize: { counts';
    expect(componentPage('counts', builtIn)).toContain(needed);
    expect(componentPage('counts', builtIn)).toContain('\n  model: { scorer: hmm }\n');
    expect(componentPage('joint', builtIn)).toContain('\n  model: { scorer: hmm }\n');
    expect(componentPage('batch', builtIn)).toContain('\n  - batch: { sentences: 8 }\n');
  });
});
