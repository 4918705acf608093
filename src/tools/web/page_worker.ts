/** The thread that makes Markdown of a page: its libraries are slow and chatty; here they stop when told. */
import { parentPort, workerData } from 'node:worker_threads';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';

const convert = async (html: string, url: string): Promise<string> => {
  const { document } = parseHTML(html);
  // Some extractors call third parties for what a page lacks; nothing but the page was asked for.
  const fetch = () => Promise.reject(new Error('no network'));
  const { title, content } = await Defuddle(document, url, { markdown: true, useAsync: false, fetch });
  return content.trim() === '' || title === '' ? content : `# ${title}\n\n${content}`;
};

parentPort?.postMessage(await convert(workerData.html, workerData.url));
