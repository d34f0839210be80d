import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { temporaryFolder } from './temporary-folder';
import { until } from './until';

/** True if Chromium is on PATH, for example from Debian's package `chromium`. */
export const hasChromium = spawnSync('chromium', ['--version']).status === 0;

const QUIET = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export interface Page {
  /** Evaluates an expression in the page and returns its value. A promise is awaited. */
  readonly evaluate: (expression: string) => Promise<unknown>;
}

/** Opens an address in a headless Chromium, calls `look` when the page has loaded, and then ends Chromium. */
export async function inChromium<T>(address: string, look: (page: Page) => Promise<T>): Promise<T> {
  const profile = join(await temporaryFolder(), 'profile');
  const own = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ];
  const browser = spawn('chromium', [...own, ...QUIET, address], { stdio: 'ignore', detached: true });
  const ended = once(browser, 'exit');
  try {
    const socket = new WebSocket(await debuggerOf(profile));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const page = pageOn(socket);
    await until(async () => (await page.evaluate('location.href + document.readyState')) === `${address}complete`);
    const result = await look(page);
    socket.close();
    return result;
  } finally {
    // Kill the process group, which contains its children.
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
    await ended;
  }
}

/** The WebSocket address that controls the browser's page. The browser writes its port to a file when it listens. */
async function debuggerOf(profile: string): Promise<string> {
  const port = await until(async () => {
    const noted = await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
    return noted.split('\n')[0] || undefined;
  });
  return until(async () => {
    const list = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly Target[];
    return list.find(({ type }) => type === 'page')?.webSocketDebuggerUrl;
  });
}

interface Target {
  readonly type: string;
  readonly webSocketDebuggerUrl: string;
}

/** An answer of the DevTools protocol. Source: Chrome DevTools Protocol, Runtime.evaluate. */
interface Answer {
  readonly id?: number;
  readonly result?: { readonly result: { readonly value?: unknown }; readonly exceptionDetails?: object };
}

function pageOn(socket: WebSocket): Page {
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  return {
    async evaluate(expression) {
      const id = (last += 1);
      const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      const params = { expression, awaitPromise: true, returnByValue: true };
      socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
      const { result } = await answered;
      if (result?.exceptionDetails !== undefined) throw new Error(JSON.stringify(result.exceptionDetails));
      return result?.result.value;
    },
  };
}
