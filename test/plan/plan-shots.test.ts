import fc from 'fast-check';
import { currentShots } from '../../client/records/current-takes';
import { planShots, type UnpricedShot } from '../../client/plan/plan-shots';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type ShotPolicy } from '../../contracts/render/plan';
import { type Begun, type TakeHistory } from '../../store';
import { AT } from '../support/ledger-fixtures';
import { betaShot, film, linkedShot } from '../support/rig';
import { asset, inputAfter, type Rendered, simulateRender } from './simulated-render';

/** Rules that leave every decision to a person. */
const ASKING: ShotPolicy = { onUnclear: 'park', retryFailed: 0, onFailure: 'park', takes: 1, review: null };

/** Two chains of three and two, as `a1 <- a2 <- a3` and `b1 <- b2`. */
const FILM = film('film', [
  betaShot('a1'),
  linkedShot('a2', 'a1'),
  linkedShot('a3', 'a2'),
  betaShot('b1'),
  linkedShot('b2', 'b1'),
]);

function withShot(id: string, changes: Partial<FrozenShot>, production = FILM): FrozenProduction {
  return { ...production, shots: production.shots.map((shot) => (shot.id === id ? { ...shot, ...changes } : shot)) };
}

function withPrompt(id: string, prompt: string, production = FILM): FrozenProduction {
  const shot = production.shots.find((one) => one.id === id)!;
  return withShot(id, { parameters: { ...shot.parameters, prompt } }, production);
}

function actions(plan: readonly UnpricedShot[]): Record<string, string> {
  return Object.fromEntries(plan.map(({ shot, action }) => [shot, action]));
}

function underWay(renderId: string): Begun {
  return { renderId, production: asset('film', 'application/json'), account: 'sandbox', at: AT };
}

const REUSED = { a1: 'reused', a2: 'reused', a3: 'reused', b1: 'reused', b2: 'reused' };

describe('the plan of shots', () => {
  let rendered: Rendered;
  beforeAll(async () => {
    rendered = await simulateRender(FILM);
  });

  const planOf = (production: FrozenProduction, after: Omit<Rendered, 'paid'> = rendered): readonly UnpricedShot[] =>
    planShots(inputAfter(production, after));
  const shotIn = (plan: readonly UnpricedShot[], id: string): UnpricedShot => plan.find(({ shot }) => shot === id)!;

  /** The store with a changed newest take of a shot. */
  function with_(id: string, otherwise: (take: TakeHistory) => TakeHistory, after = rendered): Rendered {
    const takes = after.takes.get(id)!;
    return { ...after, takes: new Map(after.takes).set(id, [...takes.slice(0, -1), otherwise(takes.at(-1)!)]) };
  }

  it('is all new if nothing was ever rendered', () => {
    const plan = planShots({ ...inputAfter(FILM, rendered), takes: new Map(), status: undefined });
    expect(new Set(plan.map(({ action }) => action))).toEqual(new Set(['new']));
    expect(plan.map(({ take }) => take)).toEqual([null, null, null, null, null]);
  });

  it('reuses everything of a production that has not changed', () => {
    expect(actions(planOf(FILM))).toEqual(REUSED);
  });

  it('finds a changed prompt, and what starts on its frames stale through it', () => {
    const plan = planOf(withPrompt('a2', 'the lighthouse, in fog'));
    expect(actions(plan)).toEqual({ ...REUSED, a2: 'changed', a3: 'stale' });
    expect(shotIn(plan, 'a2')).toMatchObject({
      take: 1,
      through: [],
      changes: [{ parameter: 'prompt', from: 'the lighthouse, a2', to: 'the lighthouse, in fog' }],
    });
    expect(shotIn(plan, 'a3')).toMatchObject({ take: 1, through: ['a2'], changes: [] });
  });

  it('shows a stale shot that has also changed as stale, and says both', () => {
    const plan = planOf(withPrompt('a3', 'dusk', withPrompt('a2', 'fog')));
    expect(shotIn(plan, 'a3')).toMatchObject({ action: 'stale', through: ['a2'], changes: [{ parameter: 'prompt' }] });
  });

  it('finds another model, and a removed parameter', () => {
    const rest = Object.fromEntries(Object.entries(betaShot('b1').parameters).filter(([name]) => name !== 'duration'));
    expect(shotIn(planOf(withShot('b1', { parameters: rest })), 'b1').changes).toEqual([
      { parameter: 'duration', from: 4, to: 5 },
    ]);
    const alpha = {
      model: { id: 'alpha-3.0-video', output: 'video' as const },
      parameters: { prompt: 'the lighthouse, b1' },
    };
    const { action, changes } = shotIn(planOf(withShot('b1', alpha)), 'b1');
    expect(action).toBe('changed');
    expect(changes[0]).toEqual({ parameter: 'model', from: 'beta-2.5', to: 'alpha-3.0-video' });
    expect(changes.map(({ parameter }) => parameter)).not.toContain('prompt');
  });

  it.each<[string, Partial<FrozenShot>]>([
    ['a default is written out', { parameters: { ...betaShot('b2').parameters, outputFormat: 'mp4' } }],
    ['the caption is another', { caption: 'Later' }],
  ])('changes nothing if %s', (_what, changes) => {
    expect(actions(planOf(withShot('b2', changes)))).toEqual(REUSED);
  });

  it('counts a picture by its bytes, not by its name', async () => {
    const startingOn = (bytes: string, name: string): FrozenProduction =>
      withShot('b1', { files: { startFrame: { kind: 'asset', asset: asset(bytes, 'image/png'), name } } });
    const after = await simulateRender(startingOn('dawn', 'dawn.png'));
    expect(actions(planOf(startingOn('dawn', 'sunrise.png'), after))).toEqual(REUSED);
    const plan = planOf(startingOn('noon', 'dawn.png'), after);
    expect(actions(plan)).toEqual({ ...REUSED, b1: 'changed', b2: 'stale' });
    expect(shotIn(plan, 'b1').changes).toEqual([
      { parameter: 'startFrame', from: `sha256:${asset('dawn').sha256}`, to: `sha256:${asset('noon').sha256}` },
    ]);
  });

  it('names the shots of a redirected link, and of a list of pictures', () => {
    const { parameter, from, to } = shotIn(planOf(linkedTo('b2', 'a3')), 'b2').changes[0]!;
    expect({ parameter, from, to }).toEqual({
      parameter: 'startFrame',
      from: 'last frame of b1',
      to: 'last frame of a3',
    });
    const pictures = [{ kind: 'link' as const, shot: 'a1', frame: 'first' as const }];
    expect(shotIn(planOf(withShot('b1', { files: { imageUrls: pictures } })), 'b1').changes).toEqual([
      { parameter: 'imageUrls', from: null, to: ['first frame of a1'] },
    ]);
  });

  it('says that a frame becomes anchored, and recognizes it afterwards', async () => {
    const startFrame = { kind: 'link', shot: 'a2', frame: 'last', anchor: 'a1' } as const;
    const anchored = withShot('a3', { files: { startFrame } });
    const plan = planOf(anchored);
    expect(actions(plan)).toEqual({ ...REUSED, a3: 'changed' });
    expect(shotIn(plan, 'a3').changes).toEqual([
      { parameter: 'startFrame', from: 'last frame of a2', to: 'last frame of a2, anchored' },
    ]);
    const after = await simulateRender(anchored, rendered);
    expect(after.paid).toBe(1);
    expect(actions(planOf(anchored, after))).toEqual(REUSED);
    const reworded = planOf(withPrompt('a3', 'fog', anchored), after);
    expect(shotIn(reworded, 'a3').changes).toMatchObject([{ parameter: 'prompt' }]);
    const again = planOf(withPrompt('a1', 'fog', anchored), after);
    expect(actions(again)).toEqual({ ...REUSED, a1: 'changed', a2: 'stale', a3: 'stale' });
    expect(shotIn(again, 'a3').changes).toEqual([]);
  });

  function linkedTo(id: string, from: string): FrozenProduction {
    return withShot(id, { files: { startFrame: { kind: 'link', shot: from, frame: 'last' } } });
  }

  it('says how another take would differ from one that a person chose over the direction', async () => {
    const directed = withShot('b1', { variant: 8, parameters: { ...betaShot('b1').parameters, prompt: 'two gulls' } });
    const after = await simulateRender(directed, rendered);
    const choosing = (take: number): UnpricedShot => {
      const input = { ...inputAfter(directed, after), written: FILM };
      const { context } = currentShots({ ...input, sideBySide: new Map() }).get('b1')!;
      const { takeKey } = after.takes.get('b1')![take - 1]!.intent;
      const choices = new Map([[context, { takeKey, take, by: 'person' as const, approved: true }]]);
      return shotIn(planShots({ ...input, choices }), 'b1');
    };
    const change = [{ parameter: 'prompt', from: 'the lighthouse, b1', to: 'two gulls' }];
    expect(choosing(1)).toMatchObject({ action: 'reused', take: 1, directed: change, chosenOver: change });
    expect(choosing(2)).toMatchObject({ action: 'reused', take: 2, directed: change, chosenOver: null });
  });

  it('reuses the take of a prompt that was tried before, and finds stale what was rendered since', async () => {
    const changed = withPrompt('a1', 'fog');
    const after = await simulateRender(changed, rendered);
    const back = planOf(FILM, after);
    expect(actions(back)).toEqual(REUSED);
    expect(shotIn(back, 'a3').take).toBe(1);
    const other = planOf(withPrompt('a2', 'other', FILM), after);
    expect(actions(other)).toEqual({ ...REUSED, a2: 'stale', a3: 'stale' });
    expect(shotIn(other, 'a2')).toMatchObject({ take: 2, through: ['a1'], changes: [{ parameter: 'prompt' }] });
  });

  it('pays again for a take that failed or was refused, and makes stale what starts on it', () => {
    const failed = with_('a1', ({ output: _output, ...take }) => ({
      ...take,
      settled: { ...take.settled!, state: 'failed', reason: 'no luck' },
    }));
    const plan = planOf(FILM, failed);
    expect(actions(plan)).toEqual({ ...REUSED, a1: 'again', a2: 'stale', a3: 'stale' });
    expect(shotIn(plan, 'a1')).toMatchObject({ take: 1, reason: 'no luck' });

    const refused = with_('b2', ({ settled: _settled, output: _output, ...take }) => ({
      ...take,
      sendings: [{ n: 1, sent: null, refused: { again: false, reason: 'HTTP 400', at: AT } }],
    }));
    expect(shotIn(planOf(FILM, refused), 'b2')).toMatchObject({ action: 'again', reason: 'HTTP 400' });
  });

  it('lets a take that failed in the current render wait for a person, as that render does', () => {
    const failed = with_('b2', ({ output: _output, ...take }) => ({
      ...take,
      settled: { ...take.settled!, state: 'failed', reason: 'no luck' },
    }));
    const joined = underWay(failed.takes.get('b2')![0]!.intent.renderId);
    const joining = (policy: Partial<ShotPolicy>, render = joined): UnpricedShot => {
      const policies = new Map([['b2', { ...ASKING, ...policy }]]);
      return shotIn(planShots({ ...inputAfter(FILM, failed), policies, joined: render }), 'b2');
    };
    expect(joining({})).toMatchObject({ action: 'waits', reason: 'no luck' });
    expect(joining({ retryFailed: 1 })).toMatchObject({ action: 'again', reason: 'no luck' });
    expect(joining({}, underWay('render-2'))).toMatchObject({ action: 'again' });
  });

  it('leaves out a skipped shot, with what starts on it, until the skip is taken back', () => {
    const left = with_('a2', ({ settled: _settled, output: _output, ...take }) => ({
      ...take,
      sendings: [{ n: 1, sent: null, unclear: { reason: 'HTTP 502', at: AT } }],
      decisions: [{ kind: 'skip', by: 'person', afterSending: 1, parkedFor: 'unclear', at: AT }],
    }));
    const plan = planOf(FILM, left);
    expect(actions(plan)).toEqual({ ...REUSED, a2: 'skipped', a3: 'blocked' });
    expect(shotIn(plan, 'a3')).toMatchObject({ through: ['a2'], take: null });
    expect(actions(planOf(withPrompt('a2', 'fog'), left))).toEqual({ ...REUSED, a2: 'changed', a3: 'stale' });
    expect(actions(planShots({ ...inputAfter(FILM, left), joined: underWay('render-2') }))).toMatchObject({
      a2: 'skipped',
    });
  });

  it('treats a claimed take like the one before it', () => {
    const failed = with_('b2', ({ output: _output, ...take }) => ({
      ...take,
      settled: { ...take.settled!, state: 'failed', reason: 'no luck' },
    }));
    const [first] = failed.takes.get('b2')!;
    const { intent, decisions } = first!;
    const claimed = { take: 2, intent: { ...intent, attempt: 2, count: 1 }, sendings: [], decisions };
    const takes = new Map(failed.takes).set('b2', [first!, claimed]);
    expect(shotIn(planOf(FILM, { ...failed, takes }), 'b2')).toMatchObject({
      action: 'again',
      take: 1,
      reason: 'no luck',
    });
  });

  it('lets an unclear shot wait, with what starts on it stale', () => {
    const unclear = with_('a2', ({ settled: _settled, output: _output, ...take }) => ({
      ...take,
      sendings: [{ n: 1, sent: null, unclear: { reason: 'HTTP 502', at: AT } }],
    }));
    const plan = planOf(FILM, unclear);
    expect(actions(plan)).toEqual({ ...REUSED, a2: 'waits', a3: 'stale' });
    expect(shotIn(plan, 'a2').reason).toBe('HTTP 502');
    expect(shotIn(plan, 'a3')).toMatchObject({ through: ['a2'], heldBy: ['a2'] });
    const resubmit = new Map([['a2', { ...ASKING, onUnclear: 'resubmit' as const }]]);
    const byPolicy = (after: Rendered): UnpricedShot =>
      shotIn(planShots({ ...inputAfter(FILM, after), policies: resubmit }), 'a2');
    expect(byPolicy(unclear)).toMatchObject({ action: 'again', reason: 'HTTP 502' });
    const sentTwice = with_(
      'a2',
      (take) => ({
        ...take,
        sendings: [...take.sendings, { n: 2, sent: null, unclear: { reason: 'HTTP 502', at: AT } }],
        decisions: [{ kind: 'resubmit', by: 'policy', afterSending: 1, at: AT }],
      }),
      unclear,
    );
    expect(byPolicy(sentTwice)).toMatchObject({ action: 'waits' });
    const decided = with_(
      'a2',
      (take) => ({
        ...take,
        decisions: [{ kind: 'resubmit', by: 'person', afterSending: 1, at: AT }],
      }),
      unclear,
    );
    expect(actions(planOf(FILM, decided))).toMatchObject({ a2: 'again' });
  });

  it('collects accepted takes, and takes missing in the store, at no cost', () => {
    const accepted = with_('b2', ({ settled: _settled, output: _output, ...take }) => take);
    expect(actions(planOf(FILM, accepted))).toEqual({ ...REUSED, b2: 'collected' });
    const missing = planShots({ ...inputAfter(FILM, rendered), storedTakeKeys: new Set() });
    expect(new Set(missing.map(({ action }) => action))).toEqual(new Set(['collected']));
  });

  it('ignores a take that was claimed and never sent', () => {
    const claimed = with_('b2', ({ settled: _settled, output: _output, ...take }) => ({ ...take, sendings: [] }));
    expect(shotIn(planOf(FILM, claimed), 'b2')).toMatchObject({ action: 'new', take: null });
  });

  it('matches what a render does, for any changes', async () => {
    const graphs = fc.array(fc.tuple(fc.nat(7), fc.boolean()), { minLength: 1, maxLength: 8 });
    const edits = fc.array(fc.tuple(fc.nat(7), fc.constantFrom('fog', 'dusk', 'rain')), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(graphs, fc.array(edits, { minLength: 1, maxLength: 3 }), async (graph, rounds) => {
        let production = film(
          'film',
          graph.map(([from, isLinked], n) =>
            isLinked && n > 0 ? linkedShot(`s${n}`, `s${from % n}`) : betaShot(`s${n}`),
          ),
        );
        let after = await simulateRender(production);
        for (const round of rounds) {
          expect(new Set(planOf(production, after).map(({ action }) => action))).toEqual(new Set(['reused']));
          for (const [n, prompt] of round) production = withPrompt(`s${n % graph.length}`, prompt, production);
          const plan = planOf(production, after);
          const taken = new Map([...after.takes].map(([id, takes]) => [id, takes.length]));
          after = await simulateRender(production, after);
          const bought = [...after.takes].filter(([id, takes]) => takes.length > taken.get(id)!).map(([id]) => id);
          expect(
            plan
              .filter(({ newTakes }) => newTakes > 0)
              .map(({ shot }) => shot)
              .toSorted(),
          ).toEqual(bought.toSorted());
        }
      }),
      { numRuns: 60 },
    );
  });
});
