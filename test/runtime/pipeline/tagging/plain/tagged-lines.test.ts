import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import { FeatureExtractor } from '../../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../../src/engine/features/template/parse-templates.js';
import { TextFeatures } from '../../../../../src/engine/features/texts/text-features.js';
import { spansOf } from '../../../../../src/engine/text/tags/spans.js';
import { PlainRecords } from '../../../../../src/formats/codecs/ndjson/plain-records.js';
import { readRecord } from '../../../../../src/formats/codecs/ndjson/read-record.js';
import { spliceRecord } from '../../../../../src/formats/codecs/ndjson/splice-record.js';
import { TaggedBytes } from '../../../../../src/runtime/pipeline/tagging/plain/tagged-bytes.js';
import {
  TaggedLines,
  type WrittenForm,
} from '../../../../../src/runtime/pipeline/tagging/plain/tagged-lines.js';
import { bytesOf } from '../../../io/sources/read-all.js';

const labels = ['O', 'B-é😀', 'I-é😀', 'B-"\\\n', 'I-"\\\n', `S-${'x'.repeat(50)}`, '', 'E-é😀'];
const tokens = ['a', 'é😀', '"quoted"', 'back\\slash', '', 'tab\t', 'x'.repeat(40), '/'];

function random(seed: number) {
  const source = new Random(seed);
  const below = (count: number) => source.below(count);
  const pick = <T>(items: readonly T[]) => items[below(items.length)]!;
  return { below, pick };
}

/** The text of a record that may be plain, members in any order, with blanks. */
function recordText({ below, pick }: ReturnType<typeof random>): string {
  const count = 1 + below(12);
  const own = Array.from({ length: count }, () => JSON.stringify(pick(tokens)));
  const blank = () => pick(['', '', ' ', '\t ']);
  const list = (items: readonly string[]) =>
    `[${items.map(item => `${blank()}${item}${blank()}`).join(',')}]`;
  const members = [`"tokens"${blank()}:${blank()}${list(own)}`];
  const maybe = (text: string, oneIn = 3) => {
    if (below(oneIn) === 0) members.splice(below(members.length + 1), 0, text);
  };
  const tags = () => list(own.map(() => JSON.stringify(pick(labels))));
  maybe(`"id":${blank()}${pick(['7', '"\\u0061é"', '-1.50e3'])}`);
  maybe(`"text":"a\\n"`);
  maybe(`"tags"${blank()}:${tags()}`);
  maybe(`"gold":${tags()}`);
  maybe(`"other":{"tags":[1,{}],"x":"}"}`);
  maybe('"score":1.0', 40);
  maybe('"spans":[]', 40);
  maybe('"nbest":null', 40);
  maybe('"marginals":[1]', 40);
  maybe('"probability":1', 40);
  const end = pick(['', ' ', '\r']);
  return `${blank()}{${blank()}${members.join(`${blank()},${blank()}`)}${blank()}}${end}`;
}

function recordsFor(whole: 'without-spans' | 'with-spans' | undefined) {
  const { plan } = new FeatureExtractor(parseTemplates('U00:%x[0,0]'), ['form']);
  const { texts } = new TextFeatures(plan, new ExactIndex());
  const reader = new PlainRecords(texts, { columns: [], maxLineBytes: 10_000, whole });
  return { reader, memory: texts.memory };
}

const forms: readonly WrittenForm[] = ['tags', 'without-spans', 'with-spans'];

describe.each(forms)('TaggedLines, %s', form => {
  it('writes plain records as splicing the results into them does', { tags: 'slow' }, () => {
    const chance = random(2);
    const { pick, below } = chance;
    const { reader, memory } = recordsFor(form === 'tags' ? undefined : form);
    const out = new TaggedBytes(memory);
    const lines = new TaggedLines(memory, labels, form, out);
    let wanted = '';
    let plain = 0;
    for (let round = 0; round < 300; round += 1) {
      const texts = Array.from({ length: 1 + below(9) }, () => recordText(chance));
      reader.open(bytesOf(`${texts.join('\n')}\n`));
      reader.read();
      const { count, starts } = reader;
      plain += count;
      const hasMore = form !== 'tags' && below(2) === 0;
      const picks = Int32Array.from({ length: starts[count]! }, () => below(labels.length));
      const more: string[] = [];
      const moreOfSpans: string[] = [];
      for (let record = 0; record < count; record += 1) {
        const tags = Array.from(
          picks.subarray(starts[record], starts[record + 1]),
          y => labels[y]!,
        );
        const raw = texts[record]!;
        const document = readRecord(raw);
        if (form === 'tags') {
          const id = /"id":\s*("[^"]*"|[-+.e\d]+)/.exec(raw)?.[1];
          const start = id === undefined ? '' : `"id":${id},`;
          wanted += `{${start}"tags":${JSON.stringify(tags)}}\n`;
          continue;
        }
        const { tokens: own = [] } = document;
        const spans = spansOf(tags).map(span => {
          if (!hasMore) return span;
          const probability = below(1000) / 1000;
          moreOfSpans.push(`,"probability":${probability}`);
          return { ...span, probability };
        });
        const nbest = hasMore
          ? [[{ tags: [pick(labels)], score: 1, probability: 1, logProbability: 0 }]]
          : [];
        if (hasMore) more.push(`,"nbest":${JSON.stringify(nbest)}`);
        const tagged = {
          ...{ document, tokens: own, tags },
          ...(form === 'with-spans' ? { spans } : {}),
          ...(hasMore ? { nbest } : {}),
        };
        wanted += `${spliceRecord(raw.replace(/\r$/, ''), tagged)}\n`;
      }
      const results = hasMore ? { records: more, spans: moreOfSpans } : {};
      lines.add(reader, count, picks, results);
      out.add(bytesOf('other\n'));
      wanted += 'other\n';
    }
    expect(plain).toBeGreaterThan(300);
    expect(out.length).toBe(Buffer.byteLength(wanted));
    expect(new TextDecoder().decode(out.take())).toBe(wanted);
  });
});

it('leaves tokens that JSON usually writes in another way to others, where spans have their texts', () => {
  const texts = ['{"tokens":["\\u0061"]}', '{"tokens":["a\\/b"]}'];
  for (const text of texts) {
    const readIn = (whole: 'without-spans' | 'with-spans') => {
      const { reader } = recordsFor(whole);
      reader.open(bytesOf(`${text}\n`));
      return reader.read();
    };
    expect(readIn('with-spans')).toBe('not-plain');
    expect(readIn('without-spans')).toBe('end');
  }
});
