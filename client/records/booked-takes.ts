import { readableTakes, type Store, type TakeHistory } from '../../store';

export interface BookedTake {
  readonly production: string;
  readonly shot: string;
  readonly history: TakeHistory;
}

export interface BrokenTake {
  readonly production: string;
  readonly shot: string;
  readonly take: number;
  readonly reason: string;
  readonly lacksIntent?: true;
}

export interface BookedTakes {
  readonly takes: readonly BookedTake[];
  readonly broken: readonly BrokenTake[];
}

/** All takes of a production, of every account. An unreadable take is listed in `broken` and does not affect others. */
export async function bookedTakes(
  { ledger, records }: Pick<Store, 'ledger' | 'records'>,
  production: string,
): Promise<BookedTakes> {
  const takes: BookedTake[] = [];
  const broken: BrokenTake[] = [];
  for (const shot of (await ledger.shots(production)).toSorted()) {
    const found = await readableTakes({ ledger, records }, { productionId: production, shotId: shot });
    takes.push(...found.takes.map((history) => ({ production, shot, history })));
    broken.push(
      ...found.broken.map(({ take, reason, lacksIntent }) => ({
        ...{ production, shot, take, reason },
        ...(lacksIntent ? { lacksIntent } : {}),
      })),
    );
  }
  return { takes, broken };
}
