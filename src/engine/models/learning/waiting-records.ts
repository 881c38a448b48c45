import type { Position } from '../../core/delivery/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import type { LabelCounts } from '../../core/run-status.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import type { Document } from '../../core/sentence/document.js';
import { determinedTag, knownTags, type PartialTag } from '../../core/sentence/partial-tag.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  wrongState,
} from '../../core/training/state.js';
import { counted } from '../../core/wording/numbers.js';
import { fnv1a } from '../../text/fnv1a.js';

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
  /** Predicted tags, as JSON, null where nothing was predicted; absent until the record has passed. */
  tags?: string;
  /** Marks of the labels that have arrived, see `marksOf`; absent if none has. */
  known?: string;
  /** Tags of the record's first sentences, until the others are complete. */
  parts?: (string | null)[];
}

/** A record that no longer waits. */
interface Gone {
  readonly why: 'labelled' | 'expired';
  /** Marks of its labels, see `marksOf`. */
  readonly known?: string | undefined;
}

interface Early {
  readonly label: Document;
  readonly number: number;
  /** Place of the label in the order of arrival. */
  readonly arrival: number;
}

/** Maximum number of ids of contradictory labels that are kept for reports. */
const mostContradictions = 20;

/** Maximum number of tokens of a record that was not divided into tokens before its labels came. */
const mostTokens = 100_000;

/** Size of an entry in bytes, excluding its texts. */
const entryBytes = 200;

/**
 * Tagged records that wait for their labels, as JSON text with their predicted tags, bounded in number, bytes and age.
 * Labels that arrive before their records also wait, and the ids of up to `keep` former records are remembered with
 * 16 bits of each label, to distinguish duplicate labels from late and contradictory ones.
 *
 * A record leaves when all its tokens have labels, or when it is the oldest and a limit is reached. All operations
 * cost O(tokens).
 *
 * @example
 * const waiting = new WaitingRecords({ keep: 1000 });
 * waiting.add({ id: '7', tokens: ['Anna', 'slept'] });
 * waiting.note('7', ['B-PER', 'I-PER'], true);
 * const label = waiting.join({ id: '7', tagsAt: { 1: 'O' } });
 * [label.partialTags, label.late.tags] // => [[null, 'O'], ['B-PER', 'I-PER']]
 * waiting.join({ id: '7', tagsAt: { 1: 'B-LOC' } }) // => undefined
 * const { joined, contradicted, contradictions } = waiting.counts;
 * [joined, contradicted, contradictions] // => [1, 1, ['7']]
 */
export class WaitingRecords implements Stateful {
  readonly #limits: Required<{ [Name in keyof WaitingOptions]: number }>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #gone = new Map<string, Gone>();
  /** Bytes of the marks of records that no longer wait. */
  #goneBytes = 0;
  readonly #early = new Map<string, Early[]>();
  #earlyCount = 0;
  #arrivals = 0;
  /**
   * Maximum number of records that passed while a label waited for its record, counting only
   * records that arrived.
   */
  #longestWait = 0;
  #bytes = 0;
  #seen = 0;
  #joined = 0;
  #doubled = 0;
  #contradicted = 0;
  #contradictions: string[] = [];
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
      contradicted: this.#contradicted,
      contradictions: [...this.#contradictions],
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
      this.#forget(id, { why: 'labelled', known: marksOf(document) });
    } else {
      this.#unforget(id);
      const known = partialTags && marksOf(document);
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
    this.#arrivals += 1;
    this.#hold({ label, number: this.#seen, arrival: this.#arrivals });
  }

  #hold(early: Early): void {
    const id = early.label.id!;
    this.#early.set(id, [...(this.#early.get(id) ?? []), early]);
    this.#earlyCount += 1;
  }

  /**
   * Stores the predicted tags of a sentence of a record. A record with a sentence without tags is learned from when its
   * labels come, but its tags are not scored.
   *
   * @param tags null at all tokens if nothing was predicted, because the model knew no label
   * @param isLast whether it is the last sentence
   */
  note(id: string, tags: readonly (string | null)[], isLast: boolean): void {
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
    return this.#gone.get(id)?.why ?? 'unknown';
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
      this.countAgain(label);
      return undefined;
    }
    const { delivery, spans, misaligned, overlaps, weight } = label;
    const record = JSON.parse(entry.text) as Document;
    const given =
      entry.tags === undefined ? undefined : (JSON.parse(entry.tags) as (string | null)[]);
    const tagged = given?.filter(tag => tag !== null);
    const late = tagged && { tags: tagged.length === given!.length ? tagged : [] };
    const base: Document = {
      ...{ id, ...record, format: 'late', late: late ?? {} },
      ...(weight === undefined ? {} : { weight }),
      ...(delivery === undefined ? {} : { delivery }),
    };
    if (spans !== undefined) {
      this.#joined += 1;
      this.#setKnown(id, entry, marksOf(label));
      this.#remove(id, 'labelled');
      return { ...base, spans, ...(misaligned && { misaligned }), ...(overlaps && { overlaps }) };
    }
    const length = given?.length ?? record.tokens?.length;
    const tags = tagsOf(label, length);
    const before = (entry.known ?? '').padEnd(tags.length, openMark);
    const fresh = tags.map((tag, t) => (before[t] === openMark ? tag : null));
    if (fresh.every(tag => tag === null)) {
      this.#countAgain(id, contradicts(before, label));
      return undefined;
    }
    this.#joined += 1;
    if (contradicts(before, label)) this.#contradict(id);
    const known = fresh.map((tag, t) => (tag === null ? before[t] : markOf(tag))).join('');
    this.#setKnown(id, entry, known);
    if (!known.includes(openMark)) this.#remove(id, 'labelled');
    return { ...base, ...knownTags(fresh) };
  }

  #setKnown(id: string, entry: Waiting, known: string): void {
    this.#bytes -= sizeOf(id, entry);
    entry.known = known;
    this.#bytes += sizeOf(id, entry);
  }

  /** Counts a label without a record. */
  countUnmatched(): void {
    this.#unmatched += 1;
  }

  /** Counts a label for a record that already has all its labels. */
  countAgain(label: Document): void {
    const id = label.id!;
    const known = this.#gone.get(id)?.known;
    this.#countAgain(id, known !== undefined && contradicts(known, label));
  }

  #countAgain(id: string, isContradiction: boolean): void {
    if (isContradiction) this.#contradict(id);
    else this.#doubled += 1;
  }

  #contradict(id: string): void {
    this.#contradicted += 1;
    this.#contradictions = [...this.#contradictions, id].slice(-mostContradictions);
  }

  /** Position of the label that has waited longest. */
  get #earliest(): Position | undefined {
    let first: Early | undefined;
    // An id keeps its place when its first label has been taken, but its others came later.
    for (const [early] of this.#early.values() as Iterable<[Early]>) {
      if (first === undefined || early.arrival < first.arrival) first = early;
    }
    return first?.label.delivery?.position ?? first?.label.late?.position;
  }

  #remove(id: string, why: 'labelled' | 'expired'): void {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return;
    if (why === 'expired' && entry.known === undefined) this.#expired += 1;
    this.#waiting.delete(id);
    this.#bytes -= sizeOf(id, entry);
    const { known } = entry;
    this.#forget(id, { why: known === undefined ? why : 'labelled', known });
  }

  #forget(id: string, gone: Gone): void {
    this.#unforget(id);
    this.#gone.set(id, gone);
    this.#goneBytes += bytesOfMarks(gone);
    const { keep, bytes } = this.#limits;
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= keep && this.#goneBytes <= bytes) break;
      this.#unforget(oldest);
    }
  }

  #unforget(id: string): void {
    const gone = this.#gone.get(id);
    if (gone === undefined) return;
    this.#gone.delete(id);
    this.#goneBytes -= bytesOfMarks(gone);
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
    const early = [...this.#early.values()]
      .flat()
      .map(({ label, number, arrival }) => [
        ...[number, arrival, { ...label, delivery: undefined }],
        label.delivery?.position ?? label.late?.position,
      ]);
    return {
      json: {
        ...{ seen: this.#seen, joined: this.#joined, doubled: this.#doubled },
        ...{ contradicted: this.#contradicted, contradictions: this.#contradictions },
        ...{ unmatched: this.#unmatched, expired: this.#expired, turn: this.turn },
        longestWait: this.#longestWait,
        positions: { ...this.positions, earliest: this.#earliest },
      },
      arrays: {
        waiting: encoder.encode(waiting.join('\n')),
        gone: encoder.encode(
          JSON.stringify([...this.#gone].map(([id, { why, known }]) => [id, why, known])),
        ),
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
    this.#contradicted = stateCount(state, 'contradicted');
    const { contradictions } = state.json;
    if (!Array.isArray(contradictions)) throw wrongState('there are no contradictory labels');
    this.#contradictions = contradictions as string[];
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
        ...[string, number, string | null, string | null, (string | null)[] | null],
      ];
      const entry: Waiting = { text: lines[i + 1]!, number };
      if (tags !== null) entry.tags = tags;
      if (known !== null) entry.known = known;
      if (parts !== null) entry.parts = parts;
      this.#waiting.set(id, entry);
      this.#bytes += sizeOf(id, entry);
    }
    this.#gone.clear();
    this.#goneBytes = 0;
    for (const [id, why, known] of JSON.parse(textAt('gone')) as [
      ...[string, Gone['why'], string | null],
    ][]) {
      this.#forget(id, { why, known: known ?? undefined });
    }
    this.#early.clear();
    this.#earlyCount = 0;
    this.#arrivals = 0;
    for (const [number, arrival, given, position] of JSON.parse(textAt('early')) as [
      ...[number, number, Document, Position | undefined],
    ][]) {
      const label = position ? { ...given, late: { position } } : given;
      this.#hold({ label, number, arrival });
      this.#arrivals = Math.max(this.#arrivals, arrival);
    }
  }
}

function sizeOf(id: string, { text, tags, known }: Waiting): number {
  return (
    entryBytes + 2 * (2 * id.length + text.length + (tags?.length ?? 0) + (known?.length ?? 0))
  );
}

/** Mark of a token without a label, and of one with several possible tags, which is compared with no other. */
const openMark = ' ';
const setMark = '*';

/** Marks of tags, of which there are few. */
const marks = new Map<string, string>();
const mostMarks = 65_536;

function markOf(given: PartialTag): string {
  const tag = determinedTag(given);
  if (tag === null) return given === null ? openMark : setMark;
  let mark = marks.get(tag);
  if (mark === undefined) {
    if (marks.size >= mostMarks) marks.clear();
    // Neither ASCII nor a surrogate.
    mark = String.fromCharCode(0x100 + (fnv1a(tag) % 0xd000));
    marks.set(tag, mark);
  }
  return mark;
}

/**
 * Returns 16 bits of the label of each token as one UTF-16 unit, or `openMark`; for labels given as spans, one text for
 * all of them. Labels with equal marks count as equal.
 */
function marksOf({ tags, partialTags = [], spans }: Document): string {
  if (spans !== undefined) return `spans ${fnv1a(JSON.stringify(spans))}`;
  return (tags ?? partialTags).map(markOf).join('');
}

/** Returns whether a label gives a token another tag than earlier labels do, whose marks are known. */
function contradicts(known: string, label: Document): boolean {
  const { tags, partialTags, tagsAt = {}, spans } = label;
  // Tags and spans are not compared: that would take the tokens of the record.
  if (known.startsWith('spans ') !== (spans !== undefined)) return false;
  if (spans !== undefined) return known !== marksOf(label);
  return Object.entries(tags ?? partialTags ?? tagsAt).some(([t, tag]) => {
    const [mark, before = openMark] = [markOf(tag), known[Number(t)]];
    return mark !== before && ![mark, before].some(each => each === openMark || each === setMark);
  });
}

function bytesOfMarks({ known = '' }: Gone): number {
  return 2 * known.length;
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
  const most = length ?? Math.min(mostTokens, Math.max(-1, ...numbers) + 1);
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
