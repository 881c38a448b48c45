import { TagstreamError } from './errors.js';

/**
 * Components of one kind, by unique name. A registry is immutable; `with` returns a larger one, so
 * that components added by one pipeline are invisible to others.
 *
 * @example
 * const own = new Registry('loss', [{ name: 'log' }]);
 * const more = own.with([{ name: 'focal' }], 'the plug-in margins');
 * more.names // => ['log', 'focal']
 * more.ownerOf('focal') // => 'the plug-in margins'
 * own.find('focal') // => undefined
 */
export class Registry<Item extends { readonly name: string }> {
  /** Noun for the components in errors. */
  readonly kind: string;
  readonly items: readonly Item[];
  readonly #owners: ReadonlyMap<string, string>;

  /** @param items the built-in components */
  constructor(
    kind: string,
    items: readonly Item[],
    owners: ReadonlyMap<string, string> = new Map(items.map(({ name }) => [name, 'Tagstream'])),
  ) {
    this.kind = kind;
    this.items = items;
    this.#owners = owners;
  }

  get names(): string[] {
    return this.items.map(({ name }) => name);
  }

  find(name: string): Item | undefined {
    return this.items.find(item => item.name === name);
  }

  /** Returns a component's owner, for errors. */
  ownerOf(name: string): string | undefined {
    return this.#owners.get(name);
  }

  /**
   * Returns a registry with more components.
   *
   * @param owner owner of the added components, for errors
   * @param taken further reserved names, with their owners
   * @throws TagstreamError `config` that names both owners if a name is not free
   */
  with(
    items: readonly Item[],
    owner: string,
    taken: ReadonlyMap<string, string> = new Map(),
  ): Registry<Item> {
    const owners = new Map(this.#owners);
    for (const { name } of items) {
      const other = owners.get(name) ?? taken.get(name);
      if (other !== undefined) throw this.#clash(name, owner, other);
      owners.set(name, owner);
    }
    return new Registry(this.kind, [...this.items, ...items], owners);
  }

  /** Returns a registry with the same names, each component changed. */
  map(change: (item: Item) => Item): Registry<Item> {
    return new Registry(this.kind, this.items.map(change), this.#owners);
  }

  #clash(name: string, owner: string, other: string): TagstreamError {
    const problem =
      other === owner
        ? `${owner} registers two ${this.kind} components named "${name}"`
        : `${owner} registers ${article(this.kind)} ${this.kind} "${name}", but ${other} already has one of that name`;
    return new TagstreamError('config', problem, { fix: 'give the component another name' });
  }
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? 'an' : 'a';
}
