import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError } from '../../formats/files/file-error.js';
import { atomicWrite, writeFully } from '../../runtime/io/writing/atomic-write.js';

/** A record as shown to an annotator. */
export interface Showing {
  /** Unique id; begins with the digest of the record. */
  readonly id: string;
  readonly record: number;
  readonly proposed: readonly string[];
  /** Positions of the tokens in question; default: all. */
  readonly asked?: readonly number[] | undefined;
  /** Version of the model that made the proposal. */
  readonly model: string;
  /** Whether the record was drawn at random. */
  readonly drawn?: boolean | undefined;
}

/** Maximum number of showings that are remembered. */
const most = 1024;

/**
 * The log of what an annotator was shown, to which answers refer. It is a file next to the answers,
 * so that a page that was open while the server restarted can still send its answer.
 */
export class ShownLog {
  readonly #path: string;
  readonly #byId = new Map<string, Showing>();
  readonly #last = new Map<number, Showing>();
  #file: number | undefined;
  #count = 0;

  /**
   * @param answers path of the answers file
   * @throws TagstreamError `file` if it cannot be read
   */
  constructor(answers: string) {
    this.#path = join(dirname(answers), `.${basename(answers)}.shown`);
    let text = '';
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw fileError('read', this.#path, cause);
      }
    }
    for (const line of text.split('\n')) {
      const showing = parsed(line);
      if (showing !== undefined) this.#remember(showing);
    }
    if (text.length > 0) this.#tryTo(() => atomicWrite(this.#path, this.#text()));
  }

  /** Returns the showing with an id. */
  find(id: string): Showing | undefined {
    return this.#byId.get(id);
  }

  /** Returns the last showing of a record. */
  last(record: number): Showing | undefined {
    return this.#last.get(record);
  }

  /** Logs a showing; the same content shown again keeps its id. */
  add(digest: string, shown: Omit<Showing, 'id'>): Showing {
    const last = this.#last.get(shown.record);
    if (last?.id.startsWith(`${digest}-`) === true && isSame(last, shown)) return last;
    // Greater than all ids of earlier runs, whose file may be gone.
    this.#count = Math.max(this.#count + 1, Date.now());
    const showing = { id: `${digest}-${this.#count}`, ...shown };
    this.#remember(showing);
    this.#tryTo(() => {
      this.#file ??= openSync(this.#path, 'a');
      writeFully(this.#file, Buffer.from(`${JSON.stringify(showing)}\n`));
    });
    return showing;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #remember(showing: Showing): void {
    this.#byId.set(showing.id, showing);
    this.#last.set(showing.record, showing);
    this.#count = Math.max(this.#count, Number(showing.id.split('-')[1]));
    if (this.#byId.size <= most) return;
    const oldest = this.#byId.values().next().value!;
    this.#byId.delete(oldest.id);
    if (this.#last.get(oldest.record) === oldest) this.#last.delete(oldest.record);
  }

  #text(): string {
    return Array.from(this.#byId.values(), each => `${JSON.stringify(each)}\n`).join('');
  }

  /**
   * Ignores write errors: a full disk is reported with the answer, which has to be written, and the
   * page also sends what it showed.
   */
  #tryTo(write: () => void): void {
    try {
      write();
    } catch {
      this.close();
    }
  }
}

/** Parses a showing; undefined if its line was truncated by a kill. */
function parsed(line: string): Showing | undefined {
  try {
    const showing = JSON.parse(line) as Showing;
    const { id, record, proposed, asked = [] } = showing;
    const fits = /^[\da-f]+-\d+$/.test(id) && Number.isInteger(record);
    return fits && Array.isArray(proposed) && Array.isArray(asked) ? showing : undefined;
  } catch {
    return undefined;
  }
}

function isSame(a: Omit<Showing, 'id'>, b: Omit<Showing, 'id'>): boolean {
  const facts = ({ proposed, asked, model, drawn = false }: Omit<Showing, 'id'>) =>
    JSON.stringify([proposed, asked, model, drawn]);
  return facts(a) === facts(b);
}
