/** Optional parts of an element: classes, attributes, and a handler for presses. */
export interface ElementParts {
  readonly class?: string;
  readonly id?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onPress?: (event: PressEvent) => void;
}

/** Creates an element with its children. Text is inserted as text, never as markup. */
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

/** Creates a button with a press handler. */
export function button(
  onPress: () => void,
  parts: Pick<ElementParts, 'class'>,
  ...children: readonly (Node | string)[]
): HTMLButtonElement {
  return element('button', { ...parts, attributes: { type: 'button' }, onPress }, ...children);
}

/** Creates a heading with a list below it. */
export function headed(title: string, kind: string, items: readonly Node[]): readonly Node[] {
  const each = items.map(item => element('li', {}, item));
  return [element('h2', {}, title), element('ul', { class: kind }, ...each)];
}

/** Event of a press by mouse, key or finger. */
type PressEvent = MouseEvent | TouchEvent;

/** Maximum number of pixels that a finger may move during a press. */
const slip = 12;

/**
 * Calls back for each press of an element: a click, or a finger lifted where it went down, after
 * any time. A browser makes no click from a touch that it interprets as the end of another gesture,
 * such as one that stops a scroll. After a handled touch the browser's own click is prevented, as
 * it would hit what has appeared there since, such as a dialog.
 */
export function onPress(target: HTMLElement, work: (event: PressEvent) => void): void {
  let down: Touch | undefined;
  target.addEventListener('click', work);
  target.addEventListener(
    'touchstart',
    ({ touches }) => {
      down = touches.length === 1 ? touches[0] : undefined;
    },
    { passive: true },
  );
  target.addEventListener('touchend', event => {
    const up = event.changedTouches[0]!;
    const stayed =
      down?.identifier === up.identifier &&
      Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) <= slip;
    down = undefined;
    // A touch that scrolls cannot be prevented.
    if (!stayed || !event.cancelable) return;
    event.preventDefault();
    work(event);
  });
  target.addEventListener('touchcancel', () => {
    down = undefined;
  });
}
