import { onPress, type PressEvent } from './press.js';

/** What an element may be given: classes, attributes, what happens when it is pressed. */
export interface ElementParts {
  readonly class?: string;
  readonly id?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onPress?: (event: PressEvent) => void;
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
  if (parts.onPress !== undefined) onPress(made, parts.onPress);
  made.append(...children);
  return made;
}
