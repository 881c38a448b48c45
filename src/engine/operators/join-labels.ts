import { type MonoTypeOperatorFunction, Observable, Subject, takeUntil, tap } from 'rxjs';
import type { FlowLedger } from '../core/delivery/flow-ledger.js';
import { TagstreamError } from '../core/errors.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import { type Document, requireDocument } from '../core/sentence/document.js';
import type { TrainingStep } from '../core/training/training-step.js';
import { predictedTags } from '../models/learning/served-tags.js';
import type { WaitingRecords } from '../models/learning/waiting-records.js';
import type { Model } from '../models/model.js';

/** The options of `joinLabels`. */
export interface JoinOptions {
  /** A source of labels in addition to the stream. */
  readonly labels?: Observable<Document> | undefined;
  /**
   * Whether to wait for one label after each record, until there are no more labels. The order then depends only on the
   * inputs, for example two files. Default false: a record never waits, and labels are inserted as they arrive.
   */
  readonly inTurn?: boolean | undefined;
  /** Tracks held items, for a source that waits for deliveries. */
  readonly ledger?: FlowLedger | undefined;
  /** Receives rejected labels without a delivery, which came from a checkpoint. */
  readonly onRejected?: ((label: Document, error: TagstreamError) => void) | undefined;
}

/**
 * Joins records with labels that arrive later, in the same stream or another one, by id. Records pass at once, and wait
 * in the state `waiting`. A label is replaced by its record with the labels and, in `late`, the predicted tags: the
 * record is scored by these tags (`evaluateProgressive`), learned from, and not written again (`tag`). It has the
 * label's delivery.
 *
 * An item is a label if it has labels but neither text nor tokens, if it has labels and the id of a waiting record, or
 * if it comes from `labels`. A label that arrives before its record waits for it. The first label of a token counts:
 * later ones are not learned from; a label without news is settled, and counted as `doubled`, or as `contradicted` if it
 * gives a token another tag than an earlier one did. A label without a record is
 * rejected (`unmatched`) when its record no longer waits, when `keep` records have passed, or at the end. While the
 * maximum number of labels waits (`early`), none is read from `labels`; in the stream itself, the oldest is rejected.
 *
 * Needs `rememberTags` after `optimize`.
 *
 * @throws TagstreamError `config`
 * @example
 * const waiting = new WaitingRecords();
 * const documents = of({ id: '1', tokens: ['a'] }, { id: '1', tags: ['X'] }, { id: '1', tags: ['Y'] });
 * const out = await lastValueFrom(documents.pipe(joinLabels(waiting), toArray()));
 * out.map(({ id, tags }) => [id, tags]) // => [['1', undefined], ['1', ['X']]]
 * waiting.counts.contradictions // => ['1']
 */
export function joinLabels(
  waiting: WaitingRecords,
  options: JoinOptions = {},
): MonoTypeOperatorFunction<Document> {
  requireArgument('joinLabels: the records', waiting, kinds.waitingRecords);
  requireKnown('joinLabels', options, ['labels', 'inTurn', 'ledger', 'onRejected']);
  const { labels, inTurn = false, ledger, onRejected } = options;
  if (labels !== undefined) requireArgument('joinLabels.labels', labels, kinds.observable);
  return records =>
    new Observable(subscriber => {
      const queues = { record: new Queue(), label: new Queue() };
      queues.label.isComplete = labels === undefined;
      const leave = ledger?.enter('joinLabels', () => {
        const items = queues.record.size + queues.label.size;
        return { items, busy: items > 0 };
      });
      const reject = (label: Document, error: TagstreamError) => {
        if (label.delivery !== undefined) label.delivery.reject(error);
        else if (onRejected !== undefined) onRejected(label, error);
        else throw error;
      };
      const emitJoined = (label: Document) => {
        try {
          const joined = waiting.join(label);
          if (joined !== undefined) subscriber.next(joined);
          else settle(label);
        } catch (thrown) {
          if (!(thrown instanceof TagstreamError)) throw thrown;
          reject(label, thrown);
        }
      };
      /** Rejects a label that can no longer wait. */
      const giveUp = (label: Document) => {
        const state = waiting.stateOf(label.id);
        if (state === 'tagged' || state === 'on its way') return emitJoined(label);
        if (state === 'labelled') {
          waiting.countAgain(label);
          return settle(label);
        }
        waiting.countUnmatched();
        reject(label, unmatched(label));
      };
      const takeLabel = (label: Document) => {
        switch (waiting.stateOf(label.id)) {
          case 'on its way':
          case 'unknown':
            return waiting.hold(label);
          default:
            return giveUp(label);
        }
      };
      /** Labels that arrived before the tags of their records. */
      let awaited = waiting.awaited;
      const takeRecord = (document: Document) => {
        if (isLabel(document, waiting)) return takeLabel(document);
        const { id, text, tokens } = document;
        // Anything else is rejected later, and must not displace the record of its id.
        if (text !== undefined || tokens !== undefined) waiting.add(document);
        if (id !== undefined && waiting.has(id)) awaited.push(id);
        subscriber.next(document);
      };
      // Takes items one by one, because a checkpoint may follow each.
      const each = (take: () => Document | undefined, visit: (label: Document) => void) => {
        for (let label = take(); label !== undefined; label = take()) visit(label);
      };
      const release = () => {
        if (awaited.length > 0) {
          const now = awaited;
          awaited = now.filter(id => waiting.stateOf(id) === 'on its way');
          for (const id of now) each(() => waiting.takeReady(id), emitJoined);
        }
        each(() => waiting.takeOverdue(), giveUp);
      };
      const take = (from: 'record' | 'label', document: Document) => {
        if (typeof document !== 'object' || document === null) requireDocument(document);
        if (labels !== undefined) waiting.turn = from === 'record' ? 'label' : 'record';
        const { delivery } = document;
        if (delivery !== undefined) {
          waiting.positions[from === 'record' ? 'records' : 'labels'] = delivery.position;
        }
        if (from === 'record') takeRecord(document);
        else takeLabel(document);
        release();
      };
      /** Returns the next item, or whether to wait for one or to end. */
      const next = (): readonly ['record' | 'label', Document] | 'later' | 'done' => {
        const { turn } = waiting;
        const other = turn === 'record' ? 'label' : 'record';
        // Labels ahead of their records wait at the source.
        const { record } = queues;
        const isFull = waiting.isFull && (record.size > 0 || !record.isComplete);
        const own = turn === 'label' && isFull ? undefined : queues[turn].take();
        if (own !== undefined) return [turn, own];
        const isLater = inTurn && !queues[turn].isComplete && !(turn === 'label' && isFull);
        if (isLater) return 'later';
        const instead = other === 'label' && isFull ? undefined : queues[other].take();
        if (instead !== undefined) return [other, instead];
        return queues.record.isComplete && queues.label.isComplete ? 'done' : 'later';
      };
      const end = () => {
        each(() => waiting.takeEarly(), giveUp);
        subscriber.complete();
      };
      let isPumping = false;
      const pump = () => {
        if (isPumping) return;
        isPumping = true;
        try {
          release();
          while (!subscriber.closed) {
            const found = next();
            if (found === 'later') break;
            if (found === 'done') return end();
            take(...found);
          }
        } catch (thrown) {
          subscriber.error(thrown);
        } finally {
          isPumping = false;
        }
      };
      // Stops a synchronous source, from which it unsubscribes during subscription.
      const left = new Subject<void>();
      subscriber.add(() => left.next());
      subscriber.add(leave);
      // Releases items that a checkpoint separated.
      release();
      const listen = (name: 'record' | 'label', source: Observable<Document>) => {
        subscriber.add(
          source.pipe(takeUntil(left)).subscribe({
            next: document => {
              queues[name].add(document);
              pump();
            },
            error: error => subscriber.error(error),
            complete: () => {
              if (subscriber.closed) return;
              queues[name].isComplete = true;
              pump();
            },
          }),
        );
      };
      if (labels !== undefined) listen('label', labels);
      listen('record', records);
    });
}

/**
 * Returns an operator that records the predicted tags of records waiting for their labels. Put it after `optimize` and
 * before `checkpoint`; needs `contribute` with `predict`.
 */
export function rememberTags(
  model: Model,
  waiting: WaitingRecords,
): MonoTypeOperatorFunction<TrainingStep> {
  requireArgument('rememberTags: the model', model, kinds.model);
  requireArgument('rememberTags: the records', waiting, kinds.waitingRecords);
  return tap(step => {
    requireItem('rememberTags', step, kinds.step);
    const { minibatch, predicted } = step.contribution;
    if (predicted === undefined) {
      throw new TagstreamError('config', 'there are no predictions to remember', {
        fix: 'call contribute with predict: true',
      });
    }
    for (const [s, { sentence }] of minibatch.sentences.entries()) {
      const { document, part } = sentence;
      if (document.id === undefined || document.late !== undefined) continue;
      if (!waiting.has(document.id)) continue;
      const tags = predictedTags(model, minibatch, predicted, s) ?? sentence.tokens.map(() => null);
      waiting.note(document.id, tags, part.index + 1 === part.count);
    }
  });
}

function isLabel({ id, text, tokens, ...given }: Document, waiting: WaitingRecords): boolean {
  const { tags, partialTags, tagsAt, spans } = given;
  const says = [tags, partialTags, tagsAt, spans].some(value => value !== undefined);
  if (!says) return false;
  return (text === undefined && tokens === undefined) || (id !== undefined && waiting.has(id));
}

/** Settles a redundant label. */
function settle({ delivery }: Document): void {
  delivery?.release();
  delivery?.ack();
}

function unmatched({ id }: Document): TagstreamError {
  const problem =
    id === undefined
      ? 'a label without an id'
      : `no record with the id ${id} is waiting for labels`;
  return new TagstreamError('unmatched', problem, {
    fix: 'give labels the id of their record; raise keep, bytes or age to let more records wait, or early to let labels wait',
  });
}

/** A queue of documents. */
class Queue {
  #items: Document[] = [];
  #first = 0;
  isComplete = false;

  get size(): number {
    return this.#items.length - this.#first;
  }

  add(document: Document): void {
    this.#items.push(document);
  }

  take(): Document | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#first += 1;
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    }
    return item;
  }
}
