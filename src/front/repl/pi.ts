/** The only door to pi-tui: the parts that are used, none of the rest, and nothing before a screen is wanted. */
export const loadPi = async () => {
  const [screen, editor, keys, input, text] = await Promise.all([
    import('@earendil-works/pi-tui/dist/tui-main-screen.js'),
    import('@earendil-works/pi-tui/dist/components/editor.js'),
    import('@earendil-works/pi-tui/dist/keys.js'),
    import('@earendil-works/pi-tui/dist/stdin-buffer.js'),
    import('@earendil-works/pi-tui/dist/utils.js'),
  ]);
  return { ...screen, ...editor, ...keys, ...input, ...text };
};

export type Pi = Awaited<ReturnType<typeof loadPi>>;
export type { AutocompleteProvider } from '@earendil-works/pi-tui/dist/autocomplete.js';
export type { Editor } from '@earendil-works/pi-tui/dist/components/editor.js';
export type { Terminal } from '@earendil-works/pi-tui/dist/terminal.js';
export type { Component } from '@earendil-works/pi-tui/dist/tui.js';
export type { TuiMainScreen as Tui } from '@earendil-works/pi-tui/dist/tui-main-screen.js';
