import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import type { Document } from '../../../src/core/sentence/document.js';
import { distanceClass, parseLinkFeatures } from '../../../src/features/links/link-feature.js';
import { readModel } from '../../../src/models/files/model-file.js';
import { Tagger } from '../../../src/models/tagger.js';
import { train } from '../../../src/pipeline/training/train.js';

interface Linked {
  readonly tokens: string[];
  readonly tags: string[];
  readonly links: (readonly [number, number])[];
}

/**
 * A telling word and one that says nothing, linked: the second has the class of the first where both are in lower case, and
 * the other class where it has a capital.
 */
function records(count: number, seed: number): Linked[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const gap = random.below(3);
    const first = random.below(2);
    const turns = random.below(2);
    const word = `${turns === 1 ? 'W' : 'w'}${random.below(1000)}`;
    const between = Array.from({ length: gap }, () => 'x');
    const [own, other] = first === 0 ? ['C', 'D'] : ['D', 'C'];
    return {
      tokens: [`told${first}`, ...between, word],
      tags: [own, ...between.map(() => 'O'), turns === 0 ? own : other],
      links: [[0, gap + 1]],
    };
  });
}

async function learned(linkFeatures?: string[]) {
  const { bytes } = await train({
    corpus: records(200, 3) as readonly object[] as readonly Document[],
    features: { templates: ['U0:%x[0,0]', 'U1:%shape[0,0]'], cutoff: 2 },
    ...{ structure: 'graph', trainer: { sgd: { l2: 0.1 } }, epochs: 8 },
    ...(linkFeatures === undefined ? {} : { linkFeatures }),
  });
  const model = readModel(bytes);
  const tagger = new Tagger(model);
  let wrong = 0;
  for (const { tokens, tags, links } of records(100, 4)) {
    if (tagger.analyze(tokens, {}, { links }).tags.at(-1) !== tags.at(-1)) wrong += 1;
  }
  return { wrong, model };
}

describe('features of links', () => {
  it('say what the pair of labels depends on, which the type of a link does not', async () => {
    const { wrong, model } = await learned(['shape', 'distance']);
    expect(wrong).toBe(0);
    expect(model.spec.graph!.features).toEqual(['shape', 'distance']);
    expect((await learned()).wrong).toBeGreaterThan(30);
  });

  it('are named by what the two ends are', async () => {
    const { model } = await learned(['lower:form', 'distance']);
    const names: string[] = [];
    const [{ tokens, links }] = records(1, 5) as [Linked];
    const document = { links } as unknown as Document;
    model.links!.eachName(
      { tokens, columns: {}, document, part: { index: 0, count: 1, start: 0 } },
      model.edgeIndex,
      (_, name) => names.push(name),
    );
    expect(names).toContain('link:link');
    expect(names).toContain(`link:link distance:${tokens.length - 1}`);
  });

  it.each([
    [1, 2, '1'],
    [9, 5, '4'],
    [0, 5, '..8'],
    [0, 9, '..16'],
  ])('have classes of distances: %i to %i is %s', (from, to, expected) => {
    expect(distanceClass(from, to)).toBe(expected);
  });

  it.each(['colour', 'distance:form', 'lower:'])('are refused where there is none: %s', source => {
    expect(() => parseLinkFeatures([source])).toThrow(/no link feature/);
  });
});
