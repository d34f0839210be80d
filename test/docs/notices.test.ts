import { spawnSync } from 'node:child_process';
import { signedNotice } from '../../activities/notice/sign-notice';
import { secret } from '../../workers/config/secret';
import { AT } from '../support/ledger-fixtures';
import { NOTIFY_SECRET } from '../support/hook-receiver';
import { onlyBlock } from '../support/page-blocks';

const PAGE = 'docs/notices.md';

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
  function isGenuine({ headers, body }: Posted): unknown {
    const code = onlyBlock(PAGE, 'js');
    const call = `console.log(isGenuine(${[headers, body, NOTIFY_SECRET].map((one) => JSON.stringify(one)).join(', ')}))`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], { input: `${code}\n${call}\n` });
    expect(stderr.toString()).toBe('');
    return JSON.parse(stdout.toString());
  }

  it('takes what Dailies signs, and nothing that was changed, forged or kept', () => {
    const sent = posted();
    expect(isGenuine(sent)).toBe(true);
    expect(isGenuine({ ...sent, body: sent.body.replace('shop', 'ship') })).toBe(false);
    expect(isGenuine({ ...sent, headers: { ...sent.headers, 'webhook-id': 'msg_2' } })).toBe(false);
    expect(isGenuine({ ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,AAAA' } })).toBe(false);
    expect(isGenuine(posted(new Date(Date.now() - 600_000)))).toBe(false);
    expect(isGenuine({ ...sent, headers: {} })).toBe(false);
  });
});
