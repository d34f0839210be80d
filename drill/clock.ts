/**
 * Moves the clock of this process, as a person or NTP moves the clock of a machine. Steps add up. Timers use the
 * monotonic clock and are not affected.
 */
export function stepClock(byMs: number): void {
  const clock = Date;
  globalThis.Date = new Proxy(clock, {
    get: (target, name, receiver) =>
      name === 'now' ? () => target.now() + byMs : (Reflect.get(target, name, receiver) as unknown),
    construct: (target, args: unknown[], newTarget: NewableFunction) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + byMs] : args, newTarget) as Date,
    apply: (target) => new target(target.now() + byMs).toString(),
  });
}
