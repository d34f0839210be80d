import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { until } from '../support/until';
import { startWorkerProcess } from '../support/worker-process';
import { clipOf, crowdedEnd, DECEPTIVE, plainClip, playlistWithSound } from './hostile-clips';

/** Of the worker and all that it starts, together. */
const MOST_MEMORY_BYTES = 600_000_000;

const UNHARMED = ['good-1', 'crowded-end', 'good-2'];

describe('a worker that meets every hostile clip in one production', () => {
  let gateway: ScriptedGateway;
  let rig: Rig;

  beforeAll(async () => {
    gateway = await startScriptedGateway();
    rig = await startRig({}, { inProcess: false });
  });

  afterAll(async () => {
    await rig.close();
    await gateway.close();
  });

  it('completes the other shots in little memory, and parks the hostile ones', async () => {
    const clips = new Map<string, Buffer>([
      ['good-1', plainClip()],
      ...Object.values(DECEPTIVE).map((make, index): [string, Buffer] => [`deceptive-${index}`, make()]),
      ['crowded-end', crowdedEnd()],
      ['cinepak', await readFile(await clipOf('cinepak', 'mov'))],
      ['zmbv', await readFile(await clipOf('zmbv', 'mkv'))],
      ['playlist', await playlistWithSound('/etc/passwd')],
      ['good-2', plainClip()],
    ]);
    expect(clips.size).toBe(11);
    serve(clips);
    const worker = await startWorkerProcess(rig, { DAILIES_GATEWAY_URL: gateway.url });
    const memory = watchMemory(worker.process.pid ?? 0);

    try {
      const production = film(
        'hostile',
        [...clips.keys()].map((id) => betaShot(id)),
      );
      await rig.start(production, planOf(production));
      const shots = await until(async () => {
        const now = (await rig.client.status('hostile'))?.shots ?? [];
        return (
          now.length === clips.size && now.every(({ state }) => state === 'completed' || state === 'parked') && now
        );
      });
      expect(shots.filter(({ state }) => state === 'completed').map(({ id }) => id)).toEqual(UNHARMED);
      for (const { id, parked } of shots)
        if (!UNHARMED.includes(id)) expect(parked).toMatchObject({ for: 'uncollected' });
      expect(gateway.posts()).toHaveLength(clips.size);
      expect(worker.process.exitCode).toBeNull();
      expect(await memory.peakBytes()).toBeLessThan(MOST_MEMORY_BYTES);
      await rig.client.cancel('hostile');
    } finally {
      await worker.kill('SIGTERM');
    }
  });

  function serve(clips: ReadonlyMap<string, Buffer>): void {
    gateway.answer = ({ method, path, body }, response) => {
      const named = [...clips.keys()].find((id) => (method === 'POST' ? body : path).includes(id)) ?? '';
      if (path.startsWith('/files/')) return void response.end(clips.get(named));
      if (method === 'POST') return json(response, 200, { status: 'success', response: { id: `task-${named}` } });
      const result = { url: `${gateway.url}/files/${named}` };
      json(response, 200, { status: 'success', response: { id: `task-${named}`, status: 'COMPLETED', result } });
    };
  }
});

/** Measures, four times a second, the memory of a process and its descendants. Linux only. */
function watchMemory(root: number): { peakBytes(): Promise<number> } {
  const stop = new AbortController();
  const watching = (async () => {
    let peak = 0;
    while (!stop.signal.aborted) {
      peak = Math.max(peak, await memoryOf(root));
      await delay(250);
    }
    return peak;
  })();
  return {
    peakBytes() {
      stop.abort();
      return watching;
    },
  };
}

async function memoryOf(root: number): Promise<number> {
  const processes = new Map<number, { parent: number; bytes: number }>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    const figure = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    processes.set(Number(name), { parent: figure('PPid'), bytes: figure('VmRSS') * 1024 });
  }
  const isOurs = (pid: number): boolean => pid === root || (pid > 1 && isOurs(processes.get(pid)?.parent ?? 0));
  return [...processes].reduce((sum, [pid, { bytes }]) => sum + (isOurs(pid) ? bytes : 0), 0);
}
