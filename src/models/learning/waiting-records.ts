import type { Position } from '../../core/delivery/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import type { LabelCounts } from '../../core/run-status.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import type { Document } from '../../core/sentence/document.js';
import { knownTags, type PartialTag } from '../../core/sentence/partial-tag.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  wrongState,
} from '../../core/training/state.js';
import { counted } from '../../core/wording/numbers.js';

/** Limits on records that wait for labels. The first limit reached applies. */
export interface WaitingOptions {
  /** Maximum number of waiting records. Default 100,000. */
  readonly keep?: number | undefined;
  /** Maximum size of waiting records in bytes, two per UTF-16 unit. Default 256 MiB. */
  readonly bytes?: number | undefined;
  /** Number of later records after which a waiting one expires. No limit if absent. */
  readonly age?: number | undefined;
  /** Maximum number of labels that wait for their records. Default 1000. */
  readonly early?: number | undefined;
}

/** Positions in each input. */
export interface JoinedPositions {
  records: Position | undefined;
  labels: Position | undefined;
}

interface Waiting {
  /** Record, as JSON. */
  readonly text: string;
  /** Number of the record among those that have waited. */
  readonly number: number;
  /** Predicted tags, as JSON; absent until the record is tagged. */
  tags?: string;
  /** 1 for each token whose label has arrived; absent if none has. */
  known?: string;
  /** Tags of the record's first sentences, until the others are complete. */
  parts?: string[];
}

interface Early {
  readonly label: Document;
  readonly number: number;
}

/** Size of an entry in bytes, excluding its texts. */
const entryBytes = 200;

/**
 * Tagged records that wait for their labels, as JSON text with their predicted tags, bounded in number, bytes and age.
 * Labels that arrive before their records also wait, and the ids of up to `keep` former records are remembered, to
 * distinguish duplicate labels from late ones.
 *
 * A record leaves when all its tokens have labels, or when it is the oldest and a limit is reached. All operations
 * cost O(tokens).
 *
 * @example
 * const waiting = new WaitingRecords({ keep: 1000 });
 * waiting.add({ id: '7', tokens: ['Anna', 'slept'] });
 * waiting.note('7', ['B-PER', 'I-PER'], true);
 * const joined = waiting.join({ id: '7', tagsAt: { 1: 'O' } });
 * [joined.partialTags, joined.late.tags] // => [[null, 'O'], ['B-PER', 'I-PER']]
 * waiting.counts // => { joined: 1, doubled: 0, unmatched: 0, expired: 0, waiting: 1 }
 */
export class WaitingRecords implements Stateful {
  readonly #limits: Required<{ [Name in keyof WaitingOptions]: number }>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #gone = new Map<string, 'labelled' | 'expired'>();
  readonly #early = new Map<string, Early[]>();
  #earlyCount = 0;
  /**
   * Maximum number of records that passed while a label waited for its record, counting only
   * records that arrived.
   */
  #longestWait = 0;
  #bytes = 0;
  #seen = 0;
  #joined = 0;
  #doubled = 0;
  #unmatched = 0;
  #expired = 0;
  /** Input to read next. */
  turn: 'record' | 'label' = 'record';
  /** Positions of the last record and the last label taken from their inputs. */
  readonly positions: JoinedPositions = { records: undefined, labels: undefined };

  /** @throws TagstreamError `config` */
  constructor(options: WaitingOptions = {}) {
    requireKnown('WaitingRecords', options, ['keep', 'bytes', 'age', 'early']);
    const {
      keep = 100_000,
      bytes = 2 ** 28,
      age = Number.POSITIVE_INFINITY,
      early = 1000,
    } = options;
    this.#limits = { keep, bytes, age, early };
    for (const [name, limit] of Object.entries(this.#limits)) {
      if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 1))
        continue;
      throw new TagstreamError('config', `WaitingRecords.${name}: ${limit} is not allowed`, {
        fix: 'give a whole number of at least 1',
      });
    }
  }

  get counts(): LabelCounts {
    return {
      joined: this.#joined,
      doubled: this.#doubled,
      unmatched: this.#unmatched,
      expired: this.#expired,
      waiting: this.#waiting.size,
    };
  }

  /** Size of the waiting records in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Adds a record that waits for its missing labels. */
  add(document: Document): void {
    const { id, tags, partialTags, spans } = document;
    if (id === undefined) return;
    this.#seen += 1;
    this.#remove(id, 'expired');
    if (tags !== undefined || spans !== undefined) {
      this.#forget(id, 'labelled');
    } else {
      this.#gone.delete(id);
      const known = partialTags?.map(tag => (tag === null ? '0' : '1')).join('');
      const entry: Waiting = { text: textOf(document), number: this.#seen };
      if (known !== undefined) entry.known = known;
      this.#waiting.set(id, entry);
      this.#bytes += sizeOf(id, entry);
    }
    this.#expire();
  }

  /** Whether the maximum number of labels is waiting. */
  get isFull(): boolean {
    return this.#earlyCount >= this.#limits.early;
  }

  /**
   * Removes and returns an overdue label: too many labels wait, or `keep` records have passed since it arrived. If
   * there is no room for another label, fewer records suffice: 10 x `early` or twice the longest successful wait so
   * far, whichever is more. So labels without records do not block others.
   */
  takeOverdue(): Document | undefined {
    const { keep, early } = this.#limits;
    const enough = Math.max(10 * early, 2 * this.#longestWait);
    const patience = this.isFull ? Math.min(keep, enough) : keep;
    for (const [id, [first]] of this.#early as Iterable<[string, [Early]]>) {
      if (this.#earlyCount <= early && first.number + patience > this.#seen) return undefined;
      return this.#takeFirst(id);
    }
    return undefined;
  }

  /** Removes and returns a waiting label whose record will not arrive. */
  takeEarly(): Document | undefined {
    for (const id of this.#early.keys()) return this.#takeFirst(id);
    return undefined;
  }

  /** Removes and returns a label whose record has since been tagged. */
  takeReady(id: string): Document | undefined {
    const list = this.#early.get(id);
    if (list === undefined || this.#waiting.get(id)?.tags === undefined) return undefined;
    this.#longestWait = Math.max(this.#longestWait, this.#seen - list[0]!.number);
    return this.#takeFirst(id);
  }

  #takeFirst(id: string): Document {
    const [first, ...others] = this.#early.get(id)!;
    if (others.length === 0) this.#early.delete(id);
    else this.#early.set(id, others);
    this.#earlyCount -= 1;
    return first!.label;
  }

  /** Ids of waiting records whose labels arrived before their tags, in record order. */
  get awaited(): string[] {
    const numberOf = (id: string) => this.#waiting.get(id)?.number;
    return [...this.#early.keys()]
      .filter(id => this.#waiting.has(id))
      .sort((a, b) => numberOf(a)! - numberOf(b)!);
  }

  /** Adds a label that waits for its record. */
  hold(label: Document): void {
    const list = this.#early.get(label.id!) ?? [];
    this.#early.set(label.id!, [...list, { label, number: this.#seen }]);
    this.#earlyCount += 1;
  }

  /**
   * Stores the predicted tags of a sentence of a record.
   *
   * @param isLast whether it is the last sentence
   */
  note(id: string, tags: readonly string[], isLast: boolean): void {
    const entry = this.#waiting.get(id);
    if (entry === undefined || entry.tags !== undefined) return;
    const all = entry.parts === undefined ? [...tags] : [...entry.parts, ...tags];
    if (!isLast) {
      entry.parts = all;
      return;
    }
    delete entry.parts;
    this.#bytes -= sizeOf(id, entry);
    entry.tags = JSON.stringify(all);
    this.#bytes += sizeOf(id, entry);
    this.#expire();
  }

  /**
   * Returns the state of a label's record: tagged, not yet tagged, no longer waiting, or unknown.
   */
  stateOf(id: string | undefined): 'tagged' | 'on its way' | 'labelled' | 'expired' | 'unknown' {
    if (id === undefined) return 'expired';
    const entry = this.#waiting.get(id);
    if (entry !== undefined) return entry.tags === undefined ? 'on its way' : 'tagged';
    return this.#gone.get(id) ?? 'unknown';
  }

  /**
   * Returns a label's record with the new tags; undefined if there are none.
   *
   * @throws TagstreamError `length-mismatch`, `constraint` if the label refers to tokens that the record
   *   does not have
   */
  join(label: Document): Document | undefined {
    const id = label.id!;
    const entry = this.#waiting.get(id);
    if (entry === undefined) {
      this.#doubled += 1;
      return undefined;
    }
    const { delivery, spans, misaligned, overlaps, weight } = label;
    const record = JSON.parse(entry.text) as Document;
    const given = entry.tags === undefined ? undefined : (JSON.parse(entry.tags) as string[]);
    const late = given === undefined ? {} : { tags: given };
    const base: Document = {
      ...{ id, ...record, format: 'late', late },
      ...(weight === undefined ? {} : { weight }),
      ...(delivery === undefined ? {} : { delivery }),
    };
    if (spans !== undefined) {
      this.#joined += 1;
      this.#remove(id, 'labelled');
      return { ...base, spans, ...(misaligned && { misaligned }), ...(overlaps && { overlaps }) };
    }
    const length = given?.length ?? record.tokens?.length;
    const tags = tagsOf(label, length);
    const before = entry.known;
    const fresh = tags.map((tag, t) => (before?.[t] === '1' ? null : tag));
    if (fresh.every(tag => tag === null)) {
      this.#doubled += 1;
      return undefined;
    }
    this.#joined += 1;
    const known = fresh.map((tag, t) => (tag !== null || before?.[t] === '1' ? '1' : '0')).join('');
    if (known.includes('0')) {
      this.#bytes -= sizeOf(id, entry);
      entry.known = known;
      this.#bytes += sizeOf(id, entry);
    } else {
      this.#remove(id, 'labelled');
    }
    return { ...base, ...knownTags(fresh) };
  }

  /** Counts a label without a record. */
  countUnmatched(): void {
    this.#unmatched += 1;
  }

  /** Counts a label for a record that already has all its labels. */
  countDoubled(): void {
    this.#doubled += 1;
  }

  /** Position of the label that has waited longest. */
  get #earliest(): Position | undefined {
    for (const [{ label }] of this.#early.values() as Iterable<[Early]>) {
      return label.delivery?.position ?? label.late?.position;
    }
    return undefined;
  }

  #remove(id: string, why: 'labelled' | 'expired'): void {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return;
    if (why === 'expired' && entry.known === undefined) this.#expired += 1;
    this.#waiting.delete(id);
    this.#bytes -= sizeOf(id, entry);
    this.#forget(id, why === 'expired' && entry.known !== undefined ? 'labelled' : why);
  }

  #forget(id: string, why: 'labelled' | 'expired'): void {
    this.#gone.delete(id);
    this.#gone.set(id, why);
    if (this.#gone.size <= this.#limits.keep) return;
    for (const oldest of this.#gone.keys()) {
      this.#gone.delete(oldest);
      break;
    }
  }

  /** Expires the longest-waiting records and labels, to stay within the limits. */
  #expire(): void {
    const { keep, bytes, age } = this.#limits;
    for (const [id, { number }] of this.#waiting) {
      const isOver = this.#waiting.size > keep || this.#bytes > bytes || this.#seen - number > age;
      if (!isOver) return;
      this.#remove(id, 'expired');
    }
  }

  save(): State {
    const encoder = new TextEncoder();
    const waiting = [...this.#waiting].map(
      ([id, { text, number, tags, known, parts }]) =>
        `${JSON.stringify([id, number, tags, known, parts])}\n${text}`,
    );
    const early = [...this.#early].flatMap(([id, list]) =>
      list.map(({ label, number }) => [
        id,
        number,
        { ...label, delivery: undefined },
        label.delivery?.position ?? label.late?.position,
      ]),
    );
    return {
      json: {
        ...{ seen: this.#seen, joined: this.#joined, doubled: this.#doubled },
        ...{ unmatched: this.#unmatched, expired: this.#expired, turn: this.turn },
        longestWait: this.#longestWait,
        positions: { ...this.positions, earliest: this.#earliest },
      },
      arrays: {
        waiting: encoder.encode(waiting.join('\n')),
        gone: encoder.encode(JSON.stringify([...this.#gone])),
        early: encoder.encode(JSON.stringify(early)),
      },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const decoder = new TextDecoder();
    const textAt = (name: string) => decoder.decode(stateArray(state, name, [Uint8Array]));
    this.#seen = stateCount(state, 'seen');
    this.#joined = stateCount(state, 'joined');
    this.#doubled = stateCount(state, 'doubled');
    this.#unmatched = stateCount(state, 'unmatched');
    this.#expired = stateCount(state, 'expired');
    this.#longestWait = stateCount(state, 'longestWait');
    const { turn, positions } = state.json;
    if (turn !== 'record' && turn !== 'label') throw wrongState(`the turn is ${String(turn)}`);
    this.turn = turn;
    const { records, labels } = (positions ?? {}) as Partial<JoinedPositions>;
    this.positions.records = records;
    this.positions.labels = labels;
    this.#waiting.clear();
    this.#bytes = 0;
    const text = textAt('waiting');
    const lines = text === '' ? [] : text.split('\n');
    if (lines.length % 2 !== 0) throw wrongState('a waiting record is cut off');
    for (let i = 0; i < lines.length; i += 2) {
      const [id, number, tags, known, parts] = JSON.parse(lines[i]!) as [
        ...[string, number, string | null, string | null, string[] | null],
      ];
      const entry: Waiting = { text: lines[i + 1]!, number };
      if (tags !== null) entry.tags = tags;
      if (known !== null) entry.known = known;
      if (parts !== null) entry.parts = parts;
      this.#waiting.set(id, entry);
      this.#bytes += sizeOf(id, entry);
    }
    this.#gone.clear();
    for (const [id, why] of JSON.parse(textAt('gone')) as [string, 'labelled' | 'expired'][]) {
      this.#gone.set(id, why);
    }
    this.#early.clear();
    this.#earlyCount = 0;
    for (const [id, number, label, position] of JSON.parse(textAt('early')) as [
      ...[string, number, Document, Position | undefined],
    ][]) {
      const restored = position ? { ...label, late: { position } } : label;
      this.#early.set(id, [...(this.#early.get(id) ?? []), { label: restored, number }]);
      this.#earlyCount += 1;
    }
  }
}

function sizeOf(id: string, { text, tags, known }: Waiting): number {
  return (
    entryBytes + 2 * (2 * id.length + text.length + (tags?.length ?? 0) + (known?.length ?? 0))
  );
}

/** Returns the fields of a record that are needed to learn from it, as JSON. */
function textOf(document: Document): string {
  const { text, tokens, offsets, sentences, columns, constraints, links } = document;
  const { documentId, startsDocument, maxTokens } = document;
  return JSON.stringify({
    ...{ text, tokens, offsets, sentences, columns, constraints, links },
    ...{ documentId, startsDocument, maxTokens },
  });
}

/** Returns the tags of a label, one per token of its record. */
function tagsOf({ tags, partialTags, tagsAt }: Document, length: number | undefined): PartialTag[] {
  const list = tags ?? partialTags;
  if (list !== undefined) {
    if (length === undefined || list.length === length) return [...list];
    throw new TagstreamError(
      'length-mismatch',
      `${counted(length, 'token')} but ${counted(list.length, 'tag')}`,
      { fix: 'give one tag per token of the record of this id' },
    );
  }
  const numbers = Object.keys(tagsAt ?? {}).map(Number);
  const most = length ?? Math.max(-1, ...numbers) + 1;
  const wrong = numbers.find(t => t >= most);
  if (wrong !== undefined) {
    throw new TagstreamError(
      'length-mismatch',
      `token ${wrong} has a tag, but the record has ${most} tokens`,
      {
        fix: 'number tokens from 0',
      },
    );
  }
  return Array.from({ length: most }, (_, t) => tagsAt?.[t] ?? null);
}
