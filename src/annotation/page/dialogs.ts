import { button, element, onPress } from './dom.js';
import { commands, type KeyMap, type Meaning } from './key-map.js';

/** Shows a dialog, and resolves when it is closed. */
export function openDialog(title: string, ...children: readonly Node[]): HTMLDialogElement {
  const heading = element('h2', { id: 'dialog-title' }, title);
  const close = button(() => dialog.close(), {}, element('kbd', {}, 'Esc'), 'Close');
  const dialog = element(
    'dialog',
    { attributes: { 'aria-labelledby': 'dialog-title' } },
    heading,
    ...children,
    element('div', { class: 'row' }, close),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for a line of text, submitted by Enter or a button. */
export function askText(
  { title, action }: { readonly title: string; readonly action: string },
  onText: (text: string, dialog: HTMLDialogElement) => void,
  ...below: readonly Node[]
): void {
  const input = element('input', {
    attributes: { 'aria-label': title, type: 'text', autocomplete: 'off' },
  });
  input.addEventListener('keydown', event => {
    event.stopPropagation();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onText(input.value, dialog);
  });
  const give = button(() => onText(input.value, dialog), { class: 'accept' }, action);
  const dialog = openDialog(title, element('div', { class: 'asked' }, input, give), ...below);
  input.focus();
}

/** Shows all keys; the button next to a command waits for its new key. */
export function showKeys(keys: KeyMap, labels: readonly string[], onChange: () => void): void {
  const rows: readonly (readonly [Meaning, string])[] = [
    ...labels.map((label, i) => [i, label] as const),
    ...commands.map(([command, , says]) => [command, says] as const),
  ];
  const list = element(
    'div',
    { class: 'keys' },
    ...rows.map(([meaning, says]) => row(meaning, says)),
  );
  const about = element(
    'p',
    {},
    'Arrows move, with Shift they select. Press a button, then the new key.',
  );
  openDialog('Keys', about, list).addEventListener('keydown', event => event.stopPropagation());

  function row(meaning: Meaning, says: string): HTMLElement {
    const shown = element('kbd', {}, keys.keyOf(meaning));
    const button = element(
      'button',
      {
        attributes: {
          type: 'button',
          'aria-label': `${keys.keyOf(meaning)}: change the key of ${says}`,
        },
      },
      shown,
    );
    onPress(button, () => {
      shown.textContent = '...';
      button.addEventListener(
        'keydown',
        event => {
          event.preventDefault();
          event.stopPropagation();
          if (
            event.key.length === 1 ||
            /^(Enter|Backspace|Delete|Home|End|F\d+)$/.test(event.key)
          ) {
            keys.change(meaning, event);
          }
          list.replaceChildren(...rows.map(([each, text]) => row(each, text)));
          onChange();
        },
        { once: true },
      );
    });
    return element('div', { class: 'row' }, element('span', {}, says), button);
  }
}
