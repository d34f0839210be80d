import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, startDailies } from '../scripts/command';
import { IMAGE } from './rig';

describe('dailies sandbox', () => {
  it('misbehaves as its flags say', async () => {
    const args = ['sandbox', '--port', '0', '--key', 'a-key', '--fault', 'refuse-402=1', '--fault', 'file-empty=.5'];
    const command = startDailies(args, { folder: await temporaryFolder() });
    try {
      let url: string | undefined;
      while (url === undefined) {
        url = /DAILIES_GATEWAY_URL=(\S+)/.exec(command.stdout())?.[1];
        await delay(50);
      }
      const armed = {
        armed: [
          { kind: 'refuse-402', share: 1 },
          { kind: 'file-empty', share: 0.5 },
        ],
        struck: {},
      };
      expect(await (await fetch(`${url}/sandbox/faults`)).json()).toEqual(armed);
      const answer = await fetch(`${url}/workflows/v1/models/submit`, {
        method: 'POST',
        headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
        body: JSON.stringify({ params: IMAGE }),
      });
      expect(answer.status).toBe(402);
    } finally {
      command.signal('SIGINT');
    }
    expect(await command.ended).toMatchObject({ exitCode: 0 });
  });

  it.each(['nonsense=1', 'refuse-402', 'refuse-402=2', 'refuse-402=-1', 'toString=1'])(
    'refuses --fault %s and names the faults there are',
    async (fault) => {
      const { exitCode, stderr } = await dailies(['sandbox', '--port', '0', '--fault', fault], {
        folder: await temporaryFolder(),
      });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`--fault ${fault}`);
      expect(stderr).toContain('accept-drop');
    },
  );
});
