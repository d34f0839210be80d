import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ManifestNotice } from '../../contracts/manifest';
import { NOTICE_TYPES, type NoticeInput, type NoticeSubject } from '../../contracts/notice';
import { ifReadable, isDamaged, type Records } from '../records';

/** Folder of the results of notices. */
export const NOTICES = 'notices';
/** Folder of the addresses to which notices are sent. */
export const NOTIFY_TARGETS = 'notify-targets';

const Target = z.looseObject({ url: z.string() });

const NoticeRecord = z.looseObject({
  type: z.enum(NOTICE_TYPES),
  renderId: z.string(),
  /** When the notice was made, ISO 8601. */
  timestamp: z.string(),
  state: z.enum(['delivered', 'trying', 'undelivered']),
  attempts: z.int(),
  at: z.string(),
  reason: z.string().nullable(),
  /** The notice's content and the name of its address, to send it again. Absent in records of older versions. */
  data: z.record(z.string(), z.unknown()).optional(),
  target: z.string().optional(),
});

export type NoticeResult = Pick<ManifestNotice, 'state' | 'attempts' | 'reason'>;

/** The addresses that notices go to, and the results of notices. */
export interface Notices {
  /** Stores an address and returns its name. Workflows use only the name, since an address may contain a secret. */
  putTarget(url: string): Promise<string>;
  /** The address with that name; undefined if this store has none. */
  target(name: string): Promise<string | undefined>;
  /** Undefined if no result is recorded, or its record is damaged. */
  result(input: NoticeInput): Promise<NoticeResult | undefined>;
  note(input: NoticeInput, result: NoticeResult): Promise<void>;
  /** The notices of one run of a production or batch, oldest first. Leaves out unreadable records. */
  list(subject: NoticeSubject): Promise<readonly ManifestNotice[]>;
  /** The notices that are not delivered yet, to send them again. Leaves out records without `data` or `target`. */
  undelivered(subject: NoticeSubject): Promise<UndeliveredNotices>;
}

export interface UndeliveredNotices {
  readonly notices: readonly NoticeInput[];
  /** Ids of the notices whose records cannot be read. They may belong to any run of the subject. */
  readonly unreadable: readonly string[];
}

interface ReadNotices {
  readonly notices: readonly (z.infer<typeof NoticeRecord> & { readonly id: string })[];
  readonly unreadable: readonly string[];
}

/** The name of an address. It is the same in every store. */
export function targetName(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32);
}

export function createNotices(records: Records): Notices {
  async function noticesOf(subject: NoticeSubject): Promise<ReadNotices> {
    const names = await records.list(folderOf(subject));
    const read = await Promise.all(
      names.map(async (id) => {
        const path = `${folderOf(subject)}/${id}`;
        const record = await ifReadable(async () => NoticeRecord.parse(await records.read(path)));
        return { id, record: record?.value };
      }),
    );
    return {
      notices: read
        .flatMap(({ id, record }) => (record?.renderId === subject.renderId ? [{ id, ...record }] : []))
        .toSorted((a, b) => a.timestamp.localeCompare(b.timestamp)),
      unreadable: read.filter(({ record }) => record === undefined).map(({ id }) => id),
    };
  }

  /** A damaged record counts as none: the notice may be posted twice with one id, but is not lost. */
  async function resultAt(key: string): Promise<z.infer<typeof NoticeRecord> | undefined> {
    try {
      const record = await records.read(key);
      return record === undefined ? undefined : NoticeRecord.parse(record);
    } catch (error) {
      if (isDamaged(error)) return undefined;
      throw error;
    }
  }

  return {
    async putTarget(url) {
      const name = targetName(url);
      await records.create(`${NOTIFY_TARGETS}/${name}`, { url });
      return name;
    },
    async target(name) {
      const record = await records.read(`${NOTIFY_TARGETS}/${name}`);
      return record === undefined ? undefined : Target.parse(record).url;
    },
    result: ({ subject, notice }) => resultAt(`${folderOf(subject)}/${notice.id}`),
    async note({ subject, target, notice: { id, type, timestamp, data } }, { state, attempts, reason }) {
      const key = `${folderOf(subject)}/${id}`;
      // A worker and a person may send a notice at the same time. Keep the record of a delivery.
      if (state !== 'delivered' && (await resultAt(key))?.state === 'delivered') return;
      await records.replace(key, {
        type,
        renderId: subject.renderId,
        timestamp,
        state,
        attempts,
        at: new Date().toISOString(),
        reason,
        data,
        target,
      });
    },
    list: async (subject) =>
      (await noticesOf(subject)).notices.map(({ id, type, state, attempts, at, reason }) => ({
        id,
        type,
        state,
        attempts,
        at,
        reason,
      })),
    async undelivered(subject) {
      const { notices, unreadable } = await noticesOf(subject);
      return {
        notices: notices.flatMap(({ id, type, timestamp, state, data, target }) =>
          state === 'delivered' || data === undefined || target === undefined
            ? []
            : [{ subject, target, notice: { id, type, timestamp, data } }],
        ),
        unreadable,
      };
    },
  };
}

function folderOf({ kind, id }: NoticeSubject): string {
  return `${NOTICES}/${kind}/${id}`;
}
