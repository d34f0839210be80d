import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readHolder } from '../../workers/embedded/lock';
import { identify, isAlive, type ProcessIdentity } from '../../workers/embedded/process-identity';
import { setFiles } from '../../workers/embedded/set-files';
import type { PartPlan, SetPlan } from '../../workers/embedded/set-plan';

interface Note {
  readonly name: string;
  readonly event: 'start' | 'finish';
  readonly pid: number;
  readonly child?: number;
  readonly announced?: Record<string, string> | null;
  readonly given?: string;
}

/** A store folder with a set of dummy parts, and a look at everything that ever ran in it. */
export function setRig() {
  const store = mkdtempSync(join(tmpdir(), 'dailies-embedded-'));
  const journal = join(store, 'journal');
  const seen = new Map<number, ProcessIdentity>();

  const notes = (): Note[] => {
    if (!existsSync(journal)) return [];
    const lines = readFileSync(journal, 'utf8').split('\n').filter(Boolean);
    const read = lines.map((line) => JSON.parse(line) as Note);
    for (const { pid, child } of read) for (const id of [pid, child ?? pid]) watch(id);
    return read;
  };
  const watch = (pid: number) => {
    const process = identify(pid);
    if (process !== undefined && !seen.has(pid)) seen.set(pid, process);
  };

  return {
    store,
    files: setFiles(store),
    notes,
    starts: (name: string) => notes().filter((note) => note.event === 'start' && note.name === name),
    supervisor: async () => {
      const holder = await readHolder(setFiles(store).lock);
      if (holder !== undefined) watch(holder.process.pid);
      return holder?.process.pid;
    },
    /** Everything that was ever seen running and still runs. */
    alive: () => {
      notes();
      return [...seen.values()].filter(isAlive).map(({ pid }) => pid);
    },
    plan: (parts: Record<string, object> = { first: {}, second: {} }, gatewayAccount = 'a'): SetPlan => ({
      files: setFiles(store),
      identity: { gatewayAccount, gatewayUrl: null, temporalAddress: null },
      parts: Object.entries(parts).map(([name, settings], index, all): PartPlan => ({
        name,
        script: join(__dirname, 'dummy-part.cjs'),
        env: { PATH: process.env['PATH'] ?? '' },
        settings: { name, journal, ...settings },
        after: all.slice(0, index).map(([before]) => before),
        graceMs: 5_000,
      })),
    }),
    /** Also for a test that failed half-way. */
    remove: async () => {
      const holder = await readHolder(setFiles(store).lock);
      if (holder !== undefined) process.kill(holder.process.pid, 'SIGKILL');
      notes();
      for (const left of seen.values()) if (isAlive(left)) process.kill(left.pid, 'SIGKILL');
      rmSync(store, { recursive: true, force: true });
    },
  };
}

/** Starts a command in a process of its own. */
export function spawnClient(plan: SetPlan) {
  return spawn(process.execPath, [join(__dirname, 'client.cjs'), JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Starts a command in a process of its own and waits until it is attached. */
export async function startClient(plan: SetPlan): Promise<{ process: ChildProcess; started: boolean }> {
  const client = spawnClient(plan);
  const [line] = (await once(createInterface({ input: client.stdout }), 'line')) as [string];
  return { process: client, started: (JSON.parse(line) as { started: boolean }).started };
}
