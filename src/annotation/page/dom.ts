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

/** A button that does something when it is pressed. */
export function button(
  onPress: () => void,
  parts: Pick<ElementParts, 'class'>,
  ...children: readonly (Node | string)[]
): HTMLButtonElement {
  return element('button', { ...parts, attributes: { type: 'button' }, onPress }, ...children);
}

/** A heading and a list below it. */
export function headed(title: string, kind: string, items: readonly Node[]): readonly Node[] {
  const each = items.map(item => element('li', {}, item));
  return [element('h2', {}, title), element('ul', { class: kind }, ...each)];
}

/** What presses: a mouse, a key or a finger. */
type PressEvent = MouseEvent | TouchEvent;

/** Pixels that a finger may slip. */
const slip = 12;

/**
 * Calls for each press of an element: a click, or a finger that leaves where it went down, however long it stayed. A browser
 * makes no click of a finger that it takes for the end of another gesture: one that stops a scroll, say. Of a press that was
 * taken it is to make none, which would meet what lies there by then, as a dialog: it is prevented.
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
    // One that scrolls cannot be prevented.
    if (!stayed || !event.cancelable) return;
    event.preventDefault();
    work(event);
  });
  target.addEventListener('touchcancel', () => {
    down = undefined;
  });
}
