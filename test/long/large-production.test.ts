import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productionWorkflowId } from '../../contracts/identifiers';
import { makeClip } from '../media/fixtures';
import { betaShot, film, linkedShot, planOf, type Rig, startRig } from '../support/rig';
import { json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';

const CHAINS = 100;
const LINKS = [1, 2, 3];

/** Temporal ends a workflow at 51,200 events or 50 MB, and warns from a fifth of that on. */
const MOST_EVENTS = 10_000;
const MOST_BYTES = 4_000_000;

/** The longest that a task takes: its takes then end one by one, which costs the most events. */
const SLOWEST_MS = 4_000;

describe('a production of 300 shots with two takes each', () => {
  let gateway: ScriptedGateway;
  let rig: Rig;

  beforeAll(async () => {
    gateway = await startScriptedGateway();
    rig = await startRig({}, { gatewayUrl: gateway.url });
    await answerWithOneClip();
  });

  // Replays all 301 histories.
  afterAll(async () => {
    await rig.close();
    await gateway.close();
  });

  /** Tasks without the work: each leaves the same clip, and the same picture as its last frame, after its own time. */
  async function answerWithOneClip(): Promise<void> {
    const folder = await temporaryFolder();
    const clip = await readFile(await makeClip(join(folder, 'clip.mp4'), { frames: 8, width: 64, height: 36 }));
    const picture = await readFile(
      await makeClip(join(folder, 'frame.png'), {
        frames: 1,
        codec: [],
        extra: ['-update', '1'],
        pixelFormat: 'rgb24',
        width: 64,
        height: 36,
      }),
    );
    const dueAt = new Map<string, number>();
    gateway.answer = ({ method, path }, response) => {
      if (path.startsWith('/files/')) {
        const isClip = path.endsWith('.mp4');
        response.writeHead(200, { 'content-type': isClip ? 'video/mp4' : 'image/png' }).end(isClip ? clip : picture);
        return;
      }
      const id = method === 'POST' ? `task-${dueAt.size + 1}` : (/models\/([^/]+)\/result/.exec(path)?.[1] ?? '');
      if (method === 'POST') {
        dueAt.set(id, Date.now() + ((dueAt.size * 997) % SLOWEST_MS));
        json(response, 200, { status: 'success', response: { id } });
      } else if (Date.now() < (dueAt.get(id) ?? 0)) {
        json(response, 200, { status: 'success', response: { id, status: 'IN_PROGRESS' } });
      } else {
        const result = { url: `${gateway.url}/files/${id}.mp4`, lastFrame: { url: `${gateway.url}/files/${id}.png` } };
        json(response, 200, {
          status: 'success',
          response: { id, status: 'COMPLETED', result, usage: { credits: 40 } },
        });
      }
    };
  }

  it('stays far below the limits of a history', async () => {
    const shots = Array.from({ length: CHAINS }, (_, chain) =>
      LINKS.map((n) => (n === 1 ? betaShot(`c${chain}-1`) : linkedShot(`c${chain}-${n}`, `c${chain}-${n - 1}`))),
    ).flat();
    const large = film('large', shots);
    const plan = { assemble: false, shots: planOf(large).shots.map((shot) => ({ ...shot, takes: 2 })) };
    const status = await rig.render(large, plan);
    expect(status).toMatchObject({ state: 'completed' });
    expect(status.shots.filter(({ takes }) => takes.length === 2)).toHaveLength(300);
    expect(gateway.posts()).toHaveLength(600);

    const id = productionWorkflowId(rig.store.id, 'large');
    const { historyLength, historySize = 0 } = await rig.temporal.client.workflow.getHandle(id).describe();
    process.stderr.write(`300 shots, 600 takes: ${historyLength} events, ${historySize} bytes\n`);
    expect(historyLength).toBeLessThan(MOST_EVENTS);
    expect(historySize).toBeLessThan(MOST_BYTES);
  });
});
