import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedNotice } from '../../activities/sign-notice';
import { secret } from '../../workers/secret';
import { AT } from '../support/ledger-fixtures';
import { NOTIFY_SECRET } from '../support/hook-receiver';

const PAGE = join(__dirname, '..', '..', 'docs', 'notices.md');

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

describe('the check in docs/notices.md', () => {
  const notice = { id: 'msg_1', type: 'batch.done', timestamp: AT, data: { batch: 'shop' } } as const;

  function posted(at = new Date()): Posted {
    const { headers, body } = signedNotice(notice, [secret(NOTIFY_SECRET)], at);
    return { headers, body };
  }

  /** As a receiver would run it that has copied it. */
  async function isGenuine({ headers, body }: Posted): Promise<unknown> {
    const code = /```js\n([\s\S]*?)```/.exec(await readFile(PAGE, 'utf8'))?.[1] ?? '';
    const call = `console.log(isGenuine(${[headers, body, NOTIFY_SECRET].map((one) => JSON.stringify(one)).join(', ')}))`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], { input: `${code}\n${call}\n` });
    expect(stderr.toString()).toBe('');
    return JSON.parse(stdout.toString());
  }

  it('takes what Dailies signs, and nothing that was changed, forged or kept', async () => {
    const sent = posted();
    expect(await isGenuine(sent)).toBe(true);
    expect(await isGenuine({ ...sent, body: sent.body.replace('shop', 'ship') })).toBe(false);
    expect(await isGenuine({ ...sent, headers: { ...sent.headers, 'webhook-id': 'msg_2' } })).toBe(false);
    expect(await isGenuine({ ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,AAAA' } })).toBe(false);
    expect(await isGenuine(posted(new Date(Date.now() - 600_000)))).toBe(false);
    expect(await isGenuine({ ...sent, headers: {} })).toBe(false);
  });
});
