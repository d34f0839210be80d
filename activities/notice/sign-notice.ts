import { createHmac } from 'node:crypto';
import { type Notice } from '../../contracts/notice';

/** One of the keys in `DAILIES_NOTIFY_SECRET`, for signatures. Only `reveal` shows it. */
export interface SigningSecret {
  reveal(): string;
}

/**
 * The request that delivers a notice, signed for the given time. The body is the same at every attempt; the signature
 * differs.
 */
export function signedNotice(
  { id, type, timestamp, data }: Omit<Notice, 'type'> & { readonly type: string },
  secrets: readonly SigningSecret[],
  now: Date,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const body = JSON.stringify({ id, type, timestamp, data });
  const seconds = String(Math.floor(now.getTime() / 1000));
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'dailies',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': secrets.map((secret) => signature(`${id}.${seconds}.${body}`, secret)).join(' '),
    },
    body,
  };
}

/** Source: Standard Webhooks, "Signature scheme": symmetric, v1. */
function signature(signed: string, secret: SigningSecret): string {
  const key = Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
