import { readFile } from 'node:fs/promises';
import { type ProductionStatus } from '../../contracts/status';
import { type Rig } from '../support/rig';

/** Expects that each shot's stored clip is the file that the gateway made for its last take. */
export async function expectOwnClips({ sandbox, store }: Rig, { shots }: ProductionStatus): Promise<void> {
  for (const { takes } of shots) {
    const { taskId, asset } = takes.at(-1)!;
    const task = sandbox.tasks().find(({ id }) => id === taskId);
    const made = await fetch(`${sandbox.url}/files/${taskId}/${task?.output?.file}`);
    const stored = await readFile(store.assets.shownPath(asset!));
    expect(stored.equals(Buffer.from(await made.arrayBuffer()))).toBe(true);
  }
}
