import type { Row } from '../render/row.ts';
import type { Look } from '../render/theme.ts';
import type { Component, Pi, Tui } from './pi.ts';
import { createTail, type Tail } from './tail.ts';

/** Lines above the screen that may gather before they are let go. */
const SLACK = 100;

export type Below = {
  /** Rows between the transcript and the editor, for so many lines. */
  readonly live: (room: number) => readonly Row[];
  /** Rows under the editor. */
  readonly status: () => readonly Row[];
};

/** The picture, from top to bottom: the transcript's end, live rows, the editor or a list, status. */
export type Drawing = {
  readonly tail: Tail;
  readonly render: (width: number) => readonly string[];
};

export type DrawingOptions = {
  /** Lines of the screen. */
  readonly rows: () => number;
  readonly input: () => Component;
  readonly below: () => Below | undefined;
  /** True while the last picture stays as it is. */
  readonly still: () => boolean;
};

export const createDrawing = (pi: Pi, look: Look, { rows, input, below, still }: DrawingOptions): Drawing => {
  // No line may be wider than the screen, whoever made it.
  const clip = (lines: readonly string[], width: number) =>
    lines.map((line) => (look.width(line) > width ? pi.truncateToWidth(line, width, '') : line));
  const layOut = (shown: readonly Row[], width: number) =>
    clip(
      shown.flatMap((row) => row(width)),
      width,
    );
  const tail = createTail((row, width) => layOut([row], width));
  // The live part never outgrows the screen: its end is what matters.
  const belowLines = (width: number): readonly string[] => {
    const parts = below();
    // The line on which the shell goes on.
    if (!parts) return [''];
    const edited = clip(input().render(width), width);
    const status = rows() < 6 ? [] : layOut(parts.status(), width);
    const room = Math.max(0, rows() - edited.length - status.length - 1);
    const live = layOut(parts.live(room), width);
    return [...live.slice(Math.max(0, live.length - room)), ...edited, ...status];
  };
  const draw = (width: number): readonly string[] => {
    const lines = belowLines(width);
    return [...tail.render(width, rows(), Math.max(1, rows() - lines.length)), ...lines];
  };
  return { tail, render: steady(draw, still) };
};

/** A fault in drawing must not end the session: the last good picture stays. */
const steady = (draw: (width: number) => readonly string[], still: () => boolean) => {
  let last: readonly string[] = [];
  return (width: number): readonly string[] => {
    if (still()) return last;
    try {
      last = draw(width);
    } catch {
      return last.map((line) => line.slice(0, width));
    }
    return last;
  };
};

/** Lines that have scrolled away are let go: the picture's state moves up by as many. */
export const letGo = (tui: Tui, tail: Tail): void => {
  const state = tui.captureRenderState();
  if (state.previousViewportTop < SLACK) return;
  const gone = tail.trim(state.previousViewportTop);
  tui.restoreRenderState({
    ...state,
    previousLines: state.previousLines.slice(gone),
    cursorRow: state.cursorRow - gone,
    hardwareCursorRow: state.hardwareCursorRow - gone,
    maxLinesRendered: state.maxLinesRendered - gone,
    previousViewportTop: state.previousViewportTop - gone,
  });
};
