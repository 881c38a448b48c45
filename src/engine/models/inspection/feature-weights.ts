import type { FeatureKind } from '../../features/extraction/feature-names.js';
import type { ModelContents } from '../files/model-file.js';
import { bitsOf } from '../files/model-sections.js';
import { TopList } from './top-list.js';

/**
 * A model file's weights by feature; state features and edge features are each numbered from 0 in file
 * order.
 */
export class FeatureWeights {
  readonly #contents: ModelContents;
  /**
   * Rows of a hashed index, by kind; undefined for an exact index, in which each feature has its
   * own row.
   */
  readonly hashedEdges: Uint32Array | undefined;

  constructor(contents: ModelContents) {
    this.#contents = contents;
    if (contents.header.spec.index.mode === 'exact') return;
    const features = new Set(contents.sections['edges.features'] as Uint32Array);
    features.delete(0);
    this.hashedEdges = Uint32Array.from(features, feature => feature - 1);
  }

  /**
   * Returns the state features that trees split on, in file order.
   *
   * @param rows rows of the state features in the file
   */
  splitting(rows: Uint32Array): number[] {
    const nodes = this.#contents.sections['trees.nodes'] as Uint32Array | undefined;
    if (nodes === undefined) return [];
    const named = new Set(nodes);
    const isHashed = this.hashedEdges !== undefined;
    return Array.from(rows.keys()).filter(feature =>
      named.has((isHashed ? rows[feature]! : feature) + 1),
    );
  }

  /** Returns the number of nonzero weights of each feature. */
  counts(kind: FeatureKind, features: number): Uint32Array {
    const counts = new Uint32Array(features);
    if (kind === 'edge') {
      for (const feature of this.#edgeFeatures()) if (feature >= 0) counts[feature]! += 1;
      return counts;
    }
    const masks = this.#contents.sections['state.masks'] as Uint8Array;
    const maskBytes = features === 0 ? 0 : masks.length / features;
    for (let feature = 0, at = 0; feature < features; feature += 1) {
      let present = 0;
      for (const end = at + maskBytes; at < end; at += 1) present += bitsOf[masks[at]!]!;
      counts[feature] = present;
    }
    return counts;
  }

  /**
   * Returns the number of nonzero weights by template and label, `[templates x labels]`; for transitions,
   * by target label.
   *
   * @param templateOf number of each feature's template
   */
  byLabel(kind: FeatureKind, templateOf: Uint32Array, templates: number): Uint32Array {
    const labels = this.#contents.header.labels.length;
    const counts = new Uint32Array(templates * labels);
    if (kind === 'edge') {
      const to = this.#contents.sections['edges.to'] as Uint16Array;
      for (const [i, feature] of this.#edgeFeatures().entries()) {
        if (feature >= 0) counts[templateOf[feature]! * labels + to[i]!]! += 1;
      }
      return counts;
    }
    const masks = this.#contents.sections['state.masks'] as Uint8Array;
    const maskBytes = Math.ceil(labels / 8);
    // In most models, nearly all features have a weight for every label, so they are counted
    // together.
    const whole = new Uint32Array(templates);
    for (let feature = 0; feature < templateOf.length; feature += 1) {
      const template = templateOf[feature]!;
      const start = feature * maskBytes;
      let present = 0;
      for (let i = start; i < start + maskBytes; i += 1) present += bitsOf[masks[i]!]!;
      if (present === labels) {
        whole[template]! += 1;
        continue;
      }
      const base = template * labels;
      for (let i = 0; i < maskBytes; i += 1) {
        for (let bits = masks[start + i]!; bits !== 0; bits &= bits - 1) {
          counts[base + i * 8 + 31 - Math.clz32(bits & -bits)]! += 1;
        }
      }
    }
    for (let i = 0; i < counts.length; i += 1) counts[i]! += whole[Math.floor(i / labels)]!;
    return counts;
  }

  /** Returns the features with each label's largest weights; for transitions, by target label. */
  strongest(kind: FeatureKind, perLabel: number): Set<number> {
    const { labels } = this.#contents.header;
    const tops = labels.map(() => new TopList(perLabel));
    if (kind === 'state') this.#rankState(tops);
    else this.#rankEdges(tops);
    return new Set(tops.flatMap(({ ranked }) => ranked.map(({ key }) => key)));
  }

  #rankState(tops: readonly TopList[]): void {
    const { sections } = this.#contents;
    const masks = sections['state.masks'] as Uint8Array;
    const values = sections['state.values'] as Float32Array;
    const maskBytes = Math.ceil(tops.length / 8);
    // Threshold per label, so that most weights are skipped after one comparison.
    const least = new Float64Array(tops.length);
    const offer = (feature: number, label: number, weight: number) => {
      tops[label]!.offer(feature, weight);
      least[label] = tops[label]!.least;
    };
    const labels = tops.length;
    let next = 0;
    for (let feature = 0; feature * maskBytes < masks.length; feature += 1) {
      const start = feature * maskBytes;
      let present = 0;
      for (let i = start; i < start + maskBytes; i += 1) present += bitsOf[masks[i]!]!;
      if (present === labels) {
        // All weights are visited in order: the path of most models without a penalty that produces
        // zeros.
        for (let y = 0; y < labels; y += 1) {
          const weight = values[next + y]!;
          if (Math.abs(weight) > least[y]!) offer(feature, y, weight);
        }
        next += labels;
        continue;
      }
      for (let i = 0; i < maskBytes; i += 1) {
        for (let bits = masks[start + i]!; bits !== 0; bits &= bits - 1) {
          const weight = values[next]!;
          next += 1;
          const y = i * 8 + 31 - Math.clz32(bits & -bits);
          if (Math.abs(weight) > least[y]!) offer(feature, y, weight);
        }
      }
    }
  }

  #rankEdges(tops: readonly TopList[]): void {
    const to = this.#contents.sections['edges.to'] as Uint16Array;
    const values = this.#contents.sections['edges.values'] as Float32Array;
    for (const [i, feature] of this.#edgeFeatures().entries()) {
      if (feature >= 0) tops[to[i]!]!.offer(feature, values[i]!);
    }
  }

  /** Returns the feature of each transition weight, -1 for plain transitions. */
  #edgeFeatures(): Int32Array {
    const features = this.#contents.sections['edges.features'] as Uint32Array;
    const { hashedEdges } = this;
    if (hashedEdges === undefined) return Int32Array.from(features, feature => feature - 1);
    const numbers = new Map(Array.from(hashedEdges, (row, i) => [row + 1, i]));
    return Int32Array.from(features, feature => (feature === 0 ? -1 : numbers.get(feature)!));
  }
}
