import { plainPage } from './plain_page.ts';

/** Tags above which a document takes longer than it is worth (some 100 µs each). */
const MAX_TAGS = 25_000;
/** Milliseconds. */
const MAX_TIME = 5_000;
const MAX_HEAP_MB = 160;

/** A page's main text with its links, tables and code. What is too big or too odd for that is converted plainly. */
export const pageToMarkdown = async (html: string, url: string, signal: AbortSignal): Promise<string> => {
  const tags = html.length > MAX_TAGS ? html.split('<', MAX_TAGS + 1).length : 0;
  const markdown =
    tags > MAX_TAGS ? '' : await convertInThread(html, url, AbortSignal.any([signal, AbortSignal.timeout(MAX_TIME)]));
  return markdown.trim() === '' ? plainPage(html, url) : markdown;
};

/** '' where it failed, ran out of memory or was stopped. */
const convertInThread = async (html: string, url: string, signal: AbortSignal): Promise<string> => {
  const { Worker } = await import('node:worker_threads');
  // Beside this file as source, beside the bundle's chunks when built.
  const file = new URL(`./page_worker${import.meta.url.slice(-3)}`, import.meta.url);
  const worker = new Worker(file, {
    workerData: { html, url },
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => stopped.resolve(), { once: true });
  if (signal.aborted) stopped.resolve();
  try {
    const { promise, resolve } = Promise.withResolvers<string>();
    worker
      .once('message', resolve)
      .once('error', () => resolve(''))
      .once('exit', () => resolve(''));
    return await Promise.race([promise, stopped.promise.then(() => '')]);
  } finally {
    await worker.terminate();
  }
};
