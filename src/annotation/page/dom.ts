/** What an element may be given: classes, attributes, what happens when it is clicked. */
export interface ElementParts {
  readonly class?: string;
  readonly id?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onClick?: (event: MouseEvent) => void;
}

/**
 * An element with its children. Text goes in as text alone, never as markup.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  parts: ElementParts = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (parts.class !== undefined) made.className = parts.class;
  if (parts.id !== undefined) made.id = parts.id;
  for (const [key, value] of Object.entries(parts.attributes ?? {})) made.setAttribute(key, value);
  if (parts.onClick !== undefined) made.addEventListener('click', parts.onClick as EventListener);
  made.append(...children);
  return made;
}
