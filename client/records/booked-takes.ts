import { fewAtOnce, readableTakes, type Store, type TakeHistory } from '../../store';

/** A take and its history in the ledger. */
export interface BookedTake {
  readonly production: string;
  readonly shot: string;
  readonly history: TakeHistory;
}

/** A take with unreadable records, for audits and reports. */
export interface UnreadableTake {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly reason: string;
  readonly lacksIntent?: true;
}

export interface BookedTakes {
  readonly takes: readonly BookedTake[];
  readonly broken: readonly UnreadableTake[];
}

/** All takes of a production, from all accounts. */
export async function bookedTakes({ ledger }: Pick<Store, 'ledger'>, production: string): Promise<BookedTakes> {
  const takes: BookedTake[] = [];
  const broken: UnreadableTake[] = [];
  const shots = await fewAtOnce((await ledger.shots(production)).toSorted(), async (shot) => ({
    shot,
    read: await readableTakes(ledger, { productionId: production, shotId: shot }),
  }));
  for (const { shot, read } of shots) {
    takes.push(...read.takes.map((history) => ({ production, shot, history })));
    broken.push(
      ...read.broken.map(({ take, reason, lacksIntent }) => ({
        ...{ production, shot, take, reason },
        ...(lacksIntent ? { lacksIntent } : {}),
      })),
    );
  }
  return { takes, broken };
}
