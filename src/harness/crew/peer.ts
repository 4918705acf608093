/** Questions and answers over any two-way message channel: parent and child speak it over the pipe between them. */

export type Port = {
  readonly send: (message: object) => void;
  readonly listen: (onMessage: (message: unknown) => void, onClose: () => void) => void;
};

export type Handler = (value: unknown, signal: AbortSignal) => Promise<unknown>;

export type Peer = {
  /** Resolves with the other side's answer; undefined where it went away or could not answer. */
  readonly ask: (kind: string, value: unknown, signal?: AbortSignal) => Promise<unknown>;
  readonly tell: (kind: string, value: unknown) => void;
};

type Frame = {
  readonly kind?: string;
  readonly value?: unknown;
  /** The question's number; absent where no answer is wanted. */
  readonly ask?: number;
  readonly answer?: number;
  readonly cancel?: number;
};

export function createPeer(port: Port, handlers: Readonly<Record<string, Handler>>, onClose: () => void): Peer {
  const open = new Map<number, (value: unknown) => void>();
  const working = new Map<number, AbortController>();
  let last = 0;

  const answer = async ({ kind = '', value, ask }: Frame) => {
    const controller = new AbortController();
    if (ask !== undefined) working.set(ask, controller);
    const result = await handlers[kind]?.(value, controller.signal).catch(() => undefined);
    if (ask === undefined) return;
    working.delete(ask);
    port.send({ answer: ask, value: result });
  };
  const receive = (message: unknown) => {
    if (typeof message !== 'object' || message === null) return;
    const frame: Frame = message;
    if (frame.answer !== undefined) open.get(frame.answer)?.(frame.value);
    else if (frame.cancel !== undefined) working.get(frame.cancel)?.abort();
    else void answer(frame);
  };
  port.listen(receive, () => {
    for (const resolve of open.values()) resolve(undefined);
    for (const controller of working.values()) controller.abort();
    onClose();
  });

  const ask = (kind: string, value: unknown, signal?: AbortSignal) => {
    const id = ++last;
    const cancel = () => port.send({ cancel: id });
    signal?.addEventListener('abort', cancel, { once: true });
    return new Promise<unknown>((resolve) => {
      open.set(id, resolve);
      port.send({ kind, value, ask: id });
    }).finally(() => {
      open.delete(id);
      signal?.removeEventListener('abort', cancel);
    });
  };
  return { ask, tell: (kind, value) => port.send({ kind, value }) };
}
