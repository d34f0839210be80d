import type { Survey, SurveyInput } from '../../../contracts/gateway/arbiter';
import { LeaseAccount } from '../../../workflows/arbiter/lease-account';
import { LeaseReconciler } from '../../../workflows/arbiter/reconcile-leases';

const FOUND: Survey = {
  ...{ epoch: 1, limits: { account: {}, models: {} }, force: 'f', asOfMs: 0 },
  ...{ unreadable: [], ended: [], unsent: [] },
};
const UNREADABLE = { unreadable: ['take 1 of film/a'], unreadableLeases: [{ takeKey: 'a', sending: 2 }] };

/** The answers of the activity `survey`, in order. */
const answers: Survey[] = [];
jest.mock('../../../workflows/temporal/activity-options', () => ({
  surveyActivities: () => ({
    survey: (_input: SurveyInput) => Promise.resolve(answers.shift()),
  }),
}));

async function afterSurvey(...found: readonly Survey[]): Promise<LeaseReconciler> {
  const reconciler = new LeaseReconciler(new LeaseAccount(null), null, () => undefined);
  for (const answer of found) {
    answers.push(answer);
    reconciler.requestEpoch();
    await reconciler.survey();
  }
  return reconciler;
}

describe('the look at an account', () => {
  it('hands over the leases of takes that it could not read', async () => {
    const reconciler = await afterSurvey({ ...FOUND, ...UNREADABLE, underWay: [] });
    expect(reconciler.carried()).toMatchObject({ ...UNREADABLE, unreadableLeases: ['a/2'] });
  });

  it('hands over none that a later look could read', async () => {
    const reconciler = await afterSurvey({ ...FOUND, ...UNREADABLE, underWay: [] }, { ...FOUND, underWay: [] });
    expect(reconciler.carried()).toMatchObject({ unreadable: [], unreadableLeases: [] });
  });

  it('hands over the leases that a check of the held leases could not read', async () => {
    const reconciler = await afterSurvey({ ...FOUND, underWay: [] });
    answers.push({ ...FOUND, ...UNREADABLE });
    reconciler.requestCheck();
    reconciler.checkIfDue(Date.now());
    await new Promise(setImmediate);
    expect(reconciler.carried()).toMatchObject({ ...UNREADABLE, unreadableLeases: ['a/2'] });
  });
});
